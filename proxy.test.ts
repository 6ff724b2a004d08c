import { NextRequest } from "next/server";
import { describe, expect, test } from "vitest";
import { proxy } from "./proxy.ts";

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  proxy(
    new NextRequest(`http://127.0.0.1:3000${path}`, {
      method,
      headers: { host: "127.0.0.1:3000", ...headers },
    }),
  );

const policyOf = (response: Response) => response.headers.get("content-security-policy") ?? "";
const nonceOf = (response: Response) => /'nonce-([^']+)'/.exec(policyOf(response))?.[1];

describe("a page", () => {
  test("may run scripts that carry the nonce of this answer, and the page learns it", () => {
    const response = ask("/");
    const nonce = nonceOf(response);
    expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(response.headers.get("x-middleware-request-x-nonce")).toBe(nonce);
    expect(response.headers.get("x-middleware-request-content-security-policy")).toBe(policyOf(response));
    expect(nonceOf(ask("/"))).not.toBe(nonce);
  });

  test("runs no inline or evaluated script, is framed by nobody and sends forms nowhere else", () => {
    const policy = policyOf(ask("/clusters/a"));
    const scripts = policy.split("; ").find((each) => each.startsWith("script-src "));
    expect(scripts).not.toMatch(/unsafe|https?:|\*/);
    for (const directive of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "worker-src 'self' blob:",
      "connect-src 'self'",
    ]) {
      expect(policy.split("; ")).toContain(directive);
    }
  });
});

test.each(["/api/fleet", "/api/openapi.json", "/metrics", "/livez", "/readyz"])(
  "%s runs nothing at all",
  (path) => {
    expect(policyOf(ask(path))).toBe(
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
  },
);

test.each(["/", "/api/fleet"])(
  "%s is not sniffed, framed, or read by another origin, and tells no referrer",
  (path) => {
    const { headers } = ask(path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toContain("camera=()");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  },
);

test.each(["/", "/api/fleet", "/livez", "/clusters/a"])(
  "%s is not served under a name that is not ours",
  async (path) => {
    const response = ask(path, { host: "attacker.example" });
    expect(response.status).toBe(421);
    expect(await response.json()).toMatchObject({ code: "unknown-host" });
    expect(response.headers.get("x-middleware-next")).toBeNull();
  },
);

test("what another site sends to change something stops here", () => {
  const headers = { origin: "https://attacker.example", "sec-fetch-site": "cross-site" };
  expect(ask("/api/changes/acknowledge", headers, "POST").status).toBe(403);
  expect(ask("/", headers, "POST").status).toBe(403);
  expect(ask("/api/changes/acknowledge", { origin: "http://127.0.0.1:3000" }, "POST").status).toBe(200);
});
