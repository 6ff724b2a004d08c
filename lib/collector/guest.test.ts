import { describe, expect, test } from "vitest";
import { PART_NAMES } from "../domain/clusters/part.ts";
import type { LoggedRequest } from "../fake-api-server/index.ts";
import { USER_AGENT } from "../kube/index.ts";
import { FakeClock } from "../kube/test-support/fake-clock.ts";
import { duePartsAt, firstPlan, nextPassAt, planNext } from "./schedule/plan-next.ts";
import { startFakeCluster } from "./test-support/fake-cluster.ts";

const VERSIONS = [
  "1.26.15",
  "1.27.16",
  "1.28.15",
  "1.29.14",
  "1.30.14",
  "1.31.14",
  "1.32.13",
  "1.33.1",
  "1.33.13",
  "1.34.2",
  "1.35.10",
  "1.36.6",
  "1.37.2",
];

/** What a pass may never do, whatever it reads; one line per offence. */
function findOffences(requests: readonly LoggedRequest[]): readonly string[] {
  return requests.flatMap((request) => {
    const { method, path, query } = request;
    const whole = `${path}?${new URLSearchParams(query).toString()}`;
    const isCollection = /^\/(api|apis\/[^/]+)\/v[^/]+\/(namespaces\/[^/]+\/)?[a-z]+$/.test(path);
    const isOneObject = path === "/api/v1/namespaces/kube-system";
    const isFromCacheByWhole = query.limit === undefined;
    return [
      ...(method === "GET" ? [] : [`${method} ${path}`]),
      ...(/secrets/i.test(decodeURIComponent(whole)) ? [`secrets: ${whole}`] : []),
      ...(query.watch === undefined ? [] : [`watch: ${whole}`]),
      ...(request.userAgent === USER_AGENT ? [] : [`user agent ${request.userAgent}: ${path}`]),
      ...(request.acceptEncoding === "gzip" ? [] : [`accept-encoding ${request.acceptEncoding}: ${path}`]),
      ...(request.authorization === "bearer" ? [] : [`authorization ${request.authorization}: ${path}`]),
      // Left out only where the version ignores it or would go to etcd for it, and one page holds the collection.
      ...(isCollection && !isOneObject && isFromCacheByWhole && !mayGoWithoutLimit(request)
        ? [`not paged: ${whole}`]
        : []),
    ];
  });
}

/** Collections that the fake cluster holds less than one page of. */
function mayGoWithoutLimit({ path }: LoggedRequest): boolean {
  return !/\/(nodes|pods)$/.test(path);
}

describe.each(VERSIONS)("complete passes over %s", (kubernetesVersion) => {
  test("only GET, never a Secret, one page of pods, everything paged, gzip and our own name", async () => {
    await using cluster = await startFakeCluster({
      scenario: { kubernetesVersion, nodes: 700, servers: 3 },
    });
    const first = await cluster.scrape();
    expect(first.parts.map(({ part, outcome }) => [part, outcome.status, outcome.notRead])).toEqual(
      PART_NAMES.map((part) => [part, "ok", []]),
    );
    // No request of ours is wider than what a LIST from the cache costs at most, and each has a price.
    for (const { part, outcome } of first.parts) {
      expect(outcome.seats, part).toMatchObject({ notPriced: 0 });
      expect(outcome.seats?.widestSeats, part).toBeGreaterThanOrEqual(1);
      expect(outcome.seats?.widestSeats, part).toBeLessThanOrEqual(10);
    }
    const onePass = cluster.server.requestLog.all();
    const pods = onePass.filter(({ path }) => path === "/api/v1/pods");
    expect(pods.map(({ query }) => query)).toEqual([{ limit: "50" }]);
    await cluster.scrape();
    expect(findOffences(cluster.server.requestLog.all())).toEqual([]);
    expect(cluster.server.requestLog.of("/api/v1/pods").some(({ query }) => "continue" in query)).toBe(false);
    const minor = Number(kubernetesVersion.split(".")[1]);
    const apiVersion = minor >= 29 ? "v1" : "v1beta3";
    expect(cluster.server.requestLog.of(/flowschemas$/)[0]?.path).toContain(`/${apiVersion}/`);
  });
});

test("without the right to read metrics a pass stays a guest: one-object LISTs, still one page of pods", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 700 } });
  cluster.server.faults.add({ fault: { kind: "status", code: 403 }, path: "/metrics" });
  const result = await cluster.scrape();
  const log = cluster.server.requestLog.all();
  expect(findOffences(log)).toEqual([]);
  expect(log.filter(({ path }) => path === "/api/v1/pods").map(({ query }) => query)).toEqual([
    { limit: "50" },
  ]);
  const sizes = result.parts.find(({ part }) => part === "sizes");
  expect(sizes?.outcome.status).toBe("partial");
  expect(sizes?.value).toMatchObject({
    resources: expect.arrayContaining([
      expect.objectContaining({
        resource: "nodes",
        objects: { state: "known", value: 700 },
        objectsSource: "remainingItemCount",
      }),
    ]),
  });
});

describe("the pace over half an hour at the default periods", () => {
  test.each([
    { title: "by their own addresses", isBehindOneAddress: false },
    { title: "behind one address", isBehindOneAddress: true },
  ])(
    "$title each API server is asked less than 6 times in 30 s on average, and the budget denies nothing",
    {
      timeout: 60_000,
    },
    async ({ isBehindOneAddress }) => {
      const clock = new FakeClock(Date.parse("2026-11-30T12:00:00Z"));
      await using cluster = await startFakeCluster({
        scenario: { nodes: 300, servers: 3 },
        server: { clock, requestLogLimit: 20_000 },
        clock,
      });
      const { servers, requestLog } = cluster.server;
      if (isBehindOneAddress) {
        for (const { name } of servers) await cluster.server.setRefusing(name, true);
      }
      const startedAt = clock.now();
      let plan = firstPlan(startedAt, 0, () => 0.5);
      while (nextPassAt(plan) - startedAt < HALF_HOUR_MS) {
        const at = nextPassAt(plan);
        await clock.advance(at - clock.now());
        // Time stands still meanwhile: a pass that had to wait for its budget would not end.
        const { parts } = await cluster.scrape({ due: duePartsAt(plan, at) });
        const outcomes = parts.map(({ outcome }) => outcome);
        expect(outcomes.map(({ status }) => status)).not.toContain("failed");
        expect(outcomes.flatMap(({ notRead }) => notRead.map(({ failure }) => failure.reason))).not.toContain(
          "budget",
        );
        plan = planNext({ plan, outcomes, now: clock.now(), isIncident: false, random: () => 0.5 });
      }
      for (const { name } of servers) {
        const requests = requestLog.all().filter(({ server }) => server === name).length;
        expect(requests / (HALF_HOUR_MS / 30_000)).toBeLessThanOrEqual(6);
      }
    },
  );
});

const HALF_HOUR_MS = 1_800_000;
