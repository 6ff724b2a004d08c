// The handlers as Next calls them, over a real store.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClustersResponseSchema } from "@/lib/contracts/clusters";
import { ProblemSchema } from "@/lib/contracts/common";
import { EventsResponseSchema } from "@/lib/contracts/events";
import { FleetResponseSchema } from "@/lib/contracts/fleet";
import { makeEvent, NOON } from "@/lib/db/testing/records";
import { temporaryStores } from "@/lib/db/testing/temporary-store";
import { AppError } from "@/lib/errors";
import { provideServiceContext } from "@/lib/services/context";
import { recordSeed, seedCluster } from "@/lib/services/testing/seed-fleet";
import { makeTestContext, type TestContext } from "@/lib/services/testing/test-context";
import { POST as acknowledge } from "./changes/acknowledge/route";
import { GET as getChanges } from "./changes/route";
import { GET as getClusterEvents } from "./clusters/[clusterId]/events/route";
import { GET as getHistory } from "./clusters/[clusterId]/history/route";
import { GET as getOverview } from "./clusters/[clusterId]/overview/route";
import { GET as listClusters } from "./clusters/route";
import { GET as getFleet } from "./fleet/route";
import { DELETE as removeTarget } from "./settings/clusters/[targetId]/route";
import { POST as addTarget } from "./settings/clusters/route";
import { POST as requestTest } from "./settings/connection-tests/route";

const stores = temporaryStores();
const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLW9mLWEtcGxhbnRlZC10b2tlbg";
const QUIET = { name: "c", servers: { "api-0": [{ name: "workload-low", seats: 6, limit: 56 }] } };

let context: TestContext;
let clusterId: string;
beforeEach(async () => {
  const store = await stores.open();
  clusterId = await seedCluster(store, QUIET);
  context = makeTestContext(store);
  provideServiceContext(context);
});
afterEach(() => provideServiceContext(null));

/** The routes see a store in which one read of one repository answers as given; all else is the real one. */
function replaceRead(name: "clusters" | "reviews", method: string, read: () => Promise<unknown>): void {
  const repository = context.store[name];
  const replaced = new Proxy(repository, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property);
      if (property === method) return read;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  provideServiceContext({ ...context, store: { ...context.store, [name]: replaced } });
}

const ORIGIN = "http://127.0.0.1:3000";

function ask(
  path: string,
  init: { headers?: Record<string, string>; method?: string; body?: unknown } = {},
): Request {
  return new Request(`${ORIGIN}${path}`, {
    method: init.method ?? "GET",
    headers: {
      host: "127.0.0.1:3000",
      ...(init.body === undefined ? {} : { "content-type": "application/json" }),
      ...init.headers,
    },
    ...(init.body === undefined
      ? {}
      : { body: typeof init.body === "string" ? init.body : JSON.stringify(init.body) }),
  });
}

const post = (path: string, body: unknown, headers: Record<string, string> = { origin: ORIGIN }) =>
  ask(path, { method: "POST", body, headers });
const withParams = (params: Record<string, string>) => ({ params: Promise.resolve(params) });

async function problemOf(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const problem = ProblemSchema.parse(await response.json());
  expect(problem.status).toBe(response.status);
  expect(problem.requestId).toBe(response.headers.get("x-request-id"));
  return problem;
}

describe("what is polled", () => {
  test("carries a tag, and costs an empty answer while nothing changed but the clock", async () => {
    const first = await getFleet(ask("/api/fleet"));
    expect(first.status).toBe(200);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    FleetResponseSchema.parse(await first.json());
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"/);

    context.setNow(NOON + 5_000);
    const second = await getFleet(ask("/api/fleet", { headers: { "if-none-match": tag } }));
    expect([second.status, await second.text(), second.headers.get("etag")]).toEqual([304, "", tag]);
    expect(second.headers.get("date")).not.toBeNull();
  });

  test("comes in full once a pass brought new figures, or figures grew stale", async () => {
    const tag = (await getFleet(ask("/api/fleet"))).headers.get("etag") ?? "";
    const again = () => getFleet(ask("/api/fleet", { headers: { "if-none-match": tag } }));
    await recordSeed(context.store, clusterId, QUIET, NOON - 5_000);
    expect((await again()).status).toBe(200);
    const newer = (await getFleet(ask("/api/fleet"))).headers.get("etag") ?? "";
    context.setNow(NOON + 600_000);
    expect((await getFleet(ask("/api/fleet", { headers: { "if-none-match": newer } }))).status).toBe(200);
  });

  test("a chart up to now keeps its tag while no sample came", async () => {
    const path = `/api/clusters/${clusterId}/history?range=2h`;
    const first = await getHistory(ask(path), withParams({ clusterId }));
    expect(first.status).toBe(200);
    context.setNow(NOON + 1_000);
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await getHistory(ask(path, { headers }), withParams({ clusterId }))).status).toBe(304);
  });
});

describe("paging by cursor", () => {
  test("gives every event of a cluster once, newest first", async () => {
    await context.store.events.append(
      clusterId,
      Array.from({ length: 5 }, (_, index) =>
        makeEvent({ at: NOON - 1000 * (index + 1), subject: `s${index}` }),
      ),
      { isGenerated: false },
    );
    const subjects: string[] = [];
    let search = "?limit=2";
    for (let pages = 0; pages < 10; pages++) {
      const response = await getClusterEvents(
        ask(`/api/clusters/c/events${search}`),
        withParams({ clusterId }),
      );
      const page = EventsResponseSchema.parse(await response.json());
      subjects.push(...page.events.map((each) => each.subject));
      if (page.nextCursor === null) break;
      search = `?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(subjects).toEqual(["s0", "s1", "s2", "s3", "s4", "nodes"]);
  });

  test("of clusters refuses a cursor it never gave, and says where it stands", async () => {
    const problem = await problemOf(await listClusters(ask("/api/clusters?cursor=x")));
    expect(problem).toMatchObject({ status: 400, code: "invalid-input", issues: [{ where: "cursor" }] });
    ClustersResponseSchema.parse(await (await listClusters(ask("/api/clusters?limit=1"))).json());
  });
});

describe("problem documents", () => {
  test.each([
    ["range", `/api/clusters/c/history?range=1y`],
    ["at", `/api/clusters/c/history?at=yesterday`],
  ])("name the parameter %s that is not as expected", async (name, path) => {
    const problem = await problemOf(await getHistory(ask(path), withParams({ clusterId })));
    expect(problem).toMatchObject({
      status: 400,
      code: "invalid-input",
      issues: [{ where: `query.${name}` }],
    });
  });

  test("name the member of a body that is not as expected, never its value", async () => {
    const body = { kubeconfigPath: `relative/${TOKEN}`, context: null };
    const problem = await problemOf(await requestTest(post("/api/settings/connection-tests", body)));
    expect(problem.issues).toEqual([
      { where: "body.kubeconfigPath", expected: "a path that begins with /, ./ or ~/" },
    ]);
    expect(JSON.stringify(problem)).not.toContain(TOKEN);
  });

  test.each([
    ["content of a kubeconfig", { kubeconfigPath: "/k", context: "a", content: "apiVersion: v1" }],
    ["several lines as a path", { kubeconfigPath: "/k\napiVersion: v1", context: "a" }],
  ])("%s is not taken", async (_title, body) => {
    expect((await problemOf(await addTarget(post("/api/settings/clusters", body)))).status).toBe(400);
  });

  test("an unknown cluster is 404", async () => {
    const response = await getOverview(ask("/api/clusters/x/overview"), withParams({ clusterId: "x" }));
    expect(await problemOf(response)).toMatchObject({ status: 404, title: "Not Found", code: "not-found" });
  });

  test.each([
    ["store-unavailable", 503],
    ["store-replaced", 503],
    ["store-read-only", 503],
    ["store-full", 507],
    ["store-corrupt", 500],
    ["stored-value-unreadable", 500],
    ["conflict", 409],
    ["unsupported", 501],
  ] as const)("%s is answered with %d and its own words", async (code, status) => {
    replaceRead("reviews", "lastReviewAt", () => Promise.reject(new AppError(code, "In plain words.")));
    const response = await getChanges(ask("/api/changes"));
    expect(await problemOf(response)).toMatchObject({ status, code, detail: "In plain words." });
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
  });

  test("an error of no known kind keeps its words to the log, where the token in it is taken out", async () => {
    replaceRead("clusters", "list", () =>
      Promise.reject(new Error(`cannot reach https://admin:${TOKEN}@10.0.0.1 with Bearer ${TOKEN}`)),
    );
    const response = await getFleet(ask("/api/fleet"));
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 500, code: "internal", title: "Internal Server Error" });
    expect(JSON.stringify(problem)).not.toMatch(/cannot reach|10\.0\.0\.1/);
    const logged = context.logLines.find((line) => line.includes(problem.requestId)) ?? "";
    expect(logged).toContain("cannot reach");
    expect(JSON.stringify(problem) + context.logLines.join("")).not.toContain(TOKEN);
  });

  test("an answer of another shape than described is an internal error, not a surprise for the page", async () => {
    replaceRead("reviews", "lastReviewAt", async () => -1);
    expect(await problemOf(await getChanges(ask("/api/changes")))).toMatchObject({
      status: 500,
      code: "internal",
    });
  });
});

describe("what changes something", () => {
  const body = { allUpTo: NOON };

  test("is taken from our own page", async () => {
    const response = await acknowledge(post("/api/changes/acknowledge", body));
    expect(response.status).toBe(200);
    expect(response.headers.get("etag")).toBeNull();
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test.each<[string, () => Request, number, string]>([
    [
      "another site",
      () => post("/api/changes/acknowledge", body, { origin: "https://attacker.example" }),
      403,
      "cross-site",
    ],
    [
      "another site, whatever it says of itself",
      () => post("/api/changes/acknowledge", body, { origin: ORIGIN, "sec-fetch-site": "cross-site" }),
      403,
      "cross-site",
    ],
    [
      "a form",
      () =>
        post("/api/changes/acknowledge", "allUpTo=1", {
          "content-type": "application/x-www-form-urlencoded",
        }),
      403,
      "cross-site",
    ],
    [
      "a name that was pointed at this machine",
      () =>
        post("/api/changes/acknowledge", body, {
          host: "attacker.example",
          origin: "http://attacker.example",
        }),
      421,
      "unknown-host",
    ],
    [
      "our own page with a body of another type",
      () => post("/api/changes/acknowledge", "{}", { origin: ORIGIN, "content-type": "text/plain" }),
      415,
      "unsupported-media-type",
    ],
    [
      "our own page with a body that is no JSON",
      () => post("/api/changes/acknowledge", "{"),
      400,
      "body-unreadable",
    ],
    [
      "our own page with a body without end",
      () => post("/api/changes/acknowledge", { eventIds: ["x".repeat(70_000)] }),
      413,
      "body-too-large",
    ],
    [
      "our own page with a member nobody knows",
      () => post("/api/changes/acknowledge", { ...body, more: 1 }),
      400,
      "invalid-input",
    ],
    [
      "our own page without a body",
      () => ask("/api/changes/acknowledge", { method: "POST", headers: { origin: ORIGIN } }),
      400,
      "invalid-input",
    ],
  ])("from %s is refused, and nothing is changed", async (_from, request, status, code) => {
    expect(await problemOf(await acknowledge(request()))).toMatchObject({ status, code });
    expect(await context.store.reviews.lastReviewAt(context.reviewer)).toBeNull();
  });

  test("a connection of the page is removed by its id", async () => {
    const added = await addTarget(
      post("/api/settings/clusters", { kubeconfigPath: "/k.yaml", context: "x" }),
    );
    const { targetId } = (await added.json()) as { targetId: string };
    const remove = (headers: Record<string, string>) =>
      removeTarget(
        ask(`/api/settings/clusters/${targetId}`, { method: "DELETE", headers }),
        withParams({ targetId }),
      );
    expect((await remove({})).status).toBe(403);
    expect((await remove({ origin: "https://attacker.example" })).status).toBe(403);
    expect((await remove({ origin: ORIGIN })).status).toBe(200);
    expect((await remove({ origin: ORIGIN })).status).toBe(404);
  });
});

test("a request under a name that is not ours is refused on reads too", async () => {
  const response = await getFleet(ask("/api/fleet", { headers: { host: "attacker.example" } }));
  expect(await problemOf(response)).toMatchObject({ status: 421, code: "unknown-host" });
});
