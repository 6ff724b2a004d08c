import { expect, test } from "vitest";
import { FairnessResponseSchema } from "../../contracts/cluster.ts";
import type { Store } from "../../db/store.ts";
import { addCluster, makeSample, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { recordSeed, type SeedCluster, seedCluster, seedOutage } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getFairness } from "./get-fairness.ts";

const stores = temporaryStores();

const FULL = { name: "workload-low", seats: 361, limit: 368, waiting: 182, rejectedPerSecond: 2 };
const REJECTING: SeedCluster = {
  name: "ml-us-east",
  servers: {
    "api-0": [
      FULL,
      { name: "system", seats: 47, limit: 50 },
      { name: "catch-all", seats: 0, limit: 13 },
      { name: "exempt", seats: 2, limit: null },
    ],
    "api-1": [{ ...FULL, rejectedPerSecond: 0 }],
    "api-2": null,
  },
};

/** Passes every 30 s up to ten seconds before noon. */
async function seedPasses(store: Store, passes: number): Promise<string> {
  const at = (index: number) => NOON - 10_000 - 30_000 * (passes - 1 - index);
  const clusterId = await seedCluster(store, { ...REJECTING, at: at(0) });
  for (let index = 1; index < passes; index++) await recordSeed(store, clusterId, REJECTING, at(index));
  return clusterId;
}

test("levels stand per API server, worst first and those without a limit last; nothing is summed over servers", async () => {
  const store = await stores.open();
  const clusterId = await seedPasses(store, 1);
  const fairness = FairnessResponseSchema.parse(await getFairness(makeTestContext(store), { clusterId }));
  expect(
    fairness.servers.map(({ server, levels, observedAt }) => [
      server.name,
      observedAt,
      levels.map((each) => `${each.priorityLevelName} ${each.severity}`),
    ]),
  ).toEqual([
    ["api-0", NOON - 10_000, ["workload-low error", "system ok", "catch-all ok", "exempt ok"]],
    ["api-1", NOON - 10_000, ["workload-low warning"]],
    ["api-2", null, []],
  ]);
  expect(fairness.busiestServerId).toBe("id-api-0");
  expect(fairness.servers[0]?.rejectedPerSecond).toBe(2);
  expect(fairness.servers[2]?.rejectedPerSecond).toBeNull();
});

test("rejections of the last hour are counted by reason; a reason that cannot occur at a level is none", async () => {
  const store = await stores.open();
  const clusterId = await seedPasses(store, 20);
  const { servers } = await getFairness(makeTestContext(store), { clusterId });
  const rejected = (server: number, level: string) =>
    servers[server]?.levels.find((each) => each.priorityLevelName === level)?.rejected;
  // 20 samples of 2 requests/s, each for 30 s; the server was first read 19 × 30 + 10 s ago.
  const windowSeconds = 19 * 30 + 10;
  expect(rejected(0, "workload-low")).toEqual({
    queueFull: 1200,
    timeOut: 0,
    concurrencyLimit: null,
    windowSeconds,
  });
  expect(rejected(0, "catch-all")).toEqual({
    queueFull: null,
    timeOut: null,
    concurrencyLimit: 0,
    windowSeconds,
  });
  expect(rejected(0, "exempt")).toEqual({
    queueFull: null,
    timeOut: null,
    concurrencyLimit: null,
    windowSeconds,
  });
  expect(rejected(1, "workload-low")).toMatchObject({ queueFull: 0, timeOut: 0 });
});

test("a server that was not read in the window has no counts, not zero", async () => {
  const store = await stores.open();
  const clusterId = await seedPasses(store, 1);
  const context = makeTestContext(store);
  context.setNow(NOON + 2 * 3_600_000);
  const { servers } = await getFairness(context, { clusterId });
  expect(servers[0]?.levels[0]?.rejected).toEqual({
    queueFull: null,
    timeOut: null,
    concurrencyLimit: null,
    windowSeconds: 0,
  });
});

test("a level that rejected within the hour and does not now stays a warning", async () => {
  const store = await stores.open();
  const quiet = { name: "workload-low", seats: 1, limit: 368 };
  const clusterId = await seedCluster(store, {
    name: "c",
    at: NOON - 1_800_000,
    servers: { "api-0": [quiet] },
    samples: [
      makeSample(3, { metric: "rejected-per-second", serverId: "id-api-0", rejectReason: "time-out" }),
    ],
  });
  await recordSeed(store, clusterId, { name: "c", servers: { "api-0": [quiet] } }, NOON - 10_000);
  const { servers } = await getFairness(makeTestContext(store), { clusterId });
  expect(servers[0]?.levels[0]).toMatchObject({
    severity: "warning",
    rejected: { timeOut: 90, queueFull: 0 },
  });
});

test("the notice names the level and every server on which it is that bad", async () => {
  const store = await stores.open();
  const clusterId = await seedCluster(store, { name: "c", servers: { "api-0": [FULL], "api-1": [FULL] } });
  const { notice } = await getFairness(makeTestContext(store), { clusterId });
  expect(notice).toEqual({
    severity: "error",
    lead: "workload-low rejects requests on api-0 and api-1.",
    text: "workload-low on api-0: 361 of 368 seats, 182 waiting, 2 requests/s rejected; workload-low on api-1: 361 of 368 seats, 182 waiting, 2 requests/s rejected.",
  });
});

test("an unreachable cluster says that who uses which seats now is not known", async () => {
  const store = await stores.open();
  const clusterId = await seedPasses(store, 1);
  await seedOutage(store, clusterId, NOON - 5_000);
  const { notice, part } = await getFairness(makeTestContext(store), { clusterId });
  expect(notice).toMatchObject({ severity: "unknown", text: expect.stringContaining("last known good") });
  expect(part).toMatchObject({ status: "failed", valueAt: NOON - 10_000 });
});

test("one that never answered has no last known good figures, and does not promise any", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store, "edge");
  await seedOutage(store, clusterId, NOON - 5_000);
  const { notice, part } = await getFairness(makeTestContext(store), { clusterId });
  expect(notice?.text).toBe("Nothing was ever read of it: who uses which seats is not known.");
  expect(part).toMatchObject({ status: "failed", valueAt: null });
});
