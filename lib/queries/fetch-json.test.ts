import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fetchJson, isWorthRetrying, ProblemError } from "./fetch-json.ts";

afterEach(() => vi.unstubAllGlobals());

/** Answers every request of the test; returns what was asked. */
function answer(respond: () => Response): RequestInit[] {
  const asked: RequestInit[] = [];
  vi.stubGlobal("fetch", (_path: string, init: RequestInit) => {
    asked.push(init);
    return Promise.resolve().then(respond);
  });
  return asked;
}

async function failure(): Promise<ProblemError> {
  const error: unknown = await fetchJson({ path: "/api/x", schema: z.object({ n: z.number() }) }).catch(
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error;
  throw new Error("expected a ProblemError");
}

describe("fetchJson", () => {
  test("an answer of the right shape is returned as parsed", async () => {
    answer(() => new Response('{"n":1,"more":true}'));
    await expect(fetchJson({ path: "/api/x", schema: z.object({ n: z.number() }) })).resolves.toEqual({
      n: 1,
    });
  });

  test("a body is sent as JSON with its method", async () => {
    const asked = answer(() => new Response('{"n":7}'));
    await fetchJson({ path: "/api/x", schema: z.object({ n: z.number() }), method: "POST", body: { n: 7 } });
    expect(asked[0]).toMatchObject({ method: "POST", body: '{"n":7}' });
    expect(new Headers(asked[0]?.headers).get("content-type")).toBe("application/json");
  });

  test("an answer without content needs no JSON", async () => {
    answer(() => new Response(null, { status: 204 }));
    await expect(fetchJson({ path: "/api/x", schema: z.null(), method: "DELETE" })).resolves.toBeNull();
  });

  test("a problem document becomes its detail, code and request id", async () => {
    const problem = {
      type: "about:blank",
      title: "Not found",
      status: 404,
      detail: "There is no cluster by this id.",
      code: "not-found",
      requestId: "7f3a-c2",
    };
    answer(() => new Response(JSON.stringify(problem), { status: 404 }));
    const error = await failure();
    expect(error).toMatchObject({ message: problem.detail, code: "not-found", requestId: "7f3a-c2" });
    expect(isWorthRetrying(error)).toBe(false);
  });

  test("an error without a problem document never shows its body", async () => {
    answer(() => new Response("<h1>secret stack</h1>", { status: 502, headers: { "x-request-id": "r-1" } }));
    const error = await failure();
    expect(error).toMatchObject({ code: "http-502", requestId: "r-1" });
    expect(error.message).not.toContain("secret");
    expect(isWorthRetrying(error)).toBe(true);
  });

  test("an answer of another shape is an error of its own", async () => {
    answer(() => new Response('{"n":"one"}'));
    expect((await failure()).code).toBe("unexpected-answer");
  });

  test("no answer at all is worth another try and does not show the network's words", async () => {
    answer(() => {
      throw new TypeError("fetch failed: ECONNRESET");
    });
    const error = await failure();
    expect(error.code).toBe("no-answer");
    expect(error.message).not.toContain("ECONNRESET");
    expect(isWorthRetrying(error)).toBe(true);
  });
});
