import { expect, test } from "vitest";
import { FleetResponseSchema } from "../../contracts/fleet.ts";
import { addCluster, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { forbidden, seedCluster, seedOutage } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getFleet } from "./get-fleet.ts";

const stores = temporaryStores();

const QUIET = { "api-0": [{ name: "workload-low", seats: 6, limit: 56 }] };
const FULL = { name: "workload-low", seats: 361, limit: 368, waiting: 182, rejectedPerSecond: 9.6 };

async function seedFleet() {
  const store = await stores.open();
  await seedCluster(store, { name: "stage-eu-west", servers: QUIET, nodes: 44 });
  await addCluster(store, "new-cluster");
  await seedCluster(store, {
    name: "payments-eu",
    servers: QUIET,
    nodes: 210,
    inventory: {
      status: "partial",
      notRead: [{ what: "daemonsets", serverId: null, failure: forbidden("/apis/apps/v1/daemonsets") }],
    },
  });
  const gone = await seedCluster(store, {
    name: "edge-ap-south",
    servers: QUIET,
    nodes: 140,
    at: NOON - 3_600_000,
  });
  await seedOutage(store, gone, NOON - 1_800_000);
  await seedCluster(store, {
    name: "ml-us-east",
    servers: { "api-0": [FULL], "api-1": [{ ...FULL, waiting: 184 }], "api-2": null },
    nodes: 640,
  });
  return makeTestContext(store);
}

test("clusters stand worst first, each with its worst reason in figures and the way to it", async () => {
  const fleet = FleetResponseSchema.parse(await getFleet(await seedFleet()));
  expect(
    fleet.rows.map(({ name, state, worstReason, worstHref }) => [name, state, worstReason, worstHref]),
  ).toEqual([
    [
      "ml-us-east",
      "error",
      "workload-low on api-0: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected",
      "/clusters/ml-us-east/fairness?server=api-0&level=workload-low",
    ],
    [
      "edge-ap-south",
      "unreachable",
      "Unreachable since 11:30 UTC: connection refused",
      "/clusters/edge-ap-south",
    ],
    [
      "payments-eu",
      "warning",
      'Inventory: read in part. Not read: daemonsets. 403 on /apis/apps/v1/daemonsets: the permission "list daemonsets.apps" is missing. Agents that run on every node are not shown.',
      "/clusters/payments-eu",
    ],
    ["new-cluster", "unknown", "Not read yet", "/clusters/new-cluster"],
    ["stage-eu-west", "ok", "Nothing to do", "/clusters/stage-eu-west"],
  ]);
});

test("an unreachable cluster keeps its figures, with unknown risk; one never read has none", async () => {
  const { rows } = await getFleet(await seedFleet());
  const row = (name: string) => rows.find((each) => each.name === name);
  expect(row("edge-ap-south")).toMatchObject({
    nodes: 140,
    fairness: { severity: "unknown", findings: 0 },
    dataAt: NOON - 3_600_000,
    isStale: true,
    unreachableSince: NOON - 1_800_000,
  });
  expect(row("new-cluster")).toMatchObject({
    nodes: null,
    version: null,
    busiest: null,
    dataAt: null,
    isStale: false,
    ownCost: null,
    sparkline: null,
  });
});

test("risks count every cluster once and name the worst", async () => {
  const { risks } = await getFleet(await seedFleet());
  expect(risks).toEqual([
    {
      area: "fan-out",
      error: 0,
      warning: 0,
      ok: 0,
      unknown: 5,
      worst: "no agent is simulated yet",
      worstHref: null,
    },
    {
      area: "fairness",
      error: 1,
      warning: 0,
      ok: 2,
      unknown: 2,
      worst: "ml-us-east: workload-low on api-0: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected",
      worstHref: "/clusters/ml-us-east/fairness?server=api-0&level=workload-low",
    },
    {
      area: "collection",
      error: 1,
      warning: 1,
      ok: 2,
      unknown: 1,
      worst: "edge-ap-south: The cluster does not answer",
      worstHref: "/clusters/edge-ap-south",
    },
  ]);
});

test("totals say what they leave out; own cost is per minute over the window", async () => {
  const { totals, rows } = await getFleet(await seedFleet());
  expect(totals).toMatchObject({ clusters: 5, nodes: 44 + 210 + 140 + 640, clustersWithoutNodes: 1 });
  // One pass of 12 requests and 3 MB within five minutes each for three clusters.
  expect(totals.ownCost).toEqual({
    requestsPerMinute: expect.closeTo(7.2),
    wireBytesPerMinute: 1_800_000,
    windowSeconds: 300,
  });
  expect(rows.find((each) => each.name === "stage-eu-west")?.ownCost).toEqual({
    requestsPerMinute: 2.4,
    wireBytesPerMinute: 600_000,
    windowSeconds: 300,
  });
  expect(rows.find((each) => each.name === "edge-ap-south")?.ownCost?.requestsPerMinute).toBe(0);
});

test("own cost of the fleet leaves out a cluster that is no longer read", async () => {
  const context = await seedFleet();
  const { store } = context;
  const gone = (await getFleet(context)).rows.find(({ name }) => name === "ml-us-east");
  const target = (await store.clusters.listTargets()).find(({ clusterId }) => clusterId === gone?.clusterId);
  await store.clusters.removeTarget(target?.id ?? "", NOON);
  const { totals, rows } = await getFleet(context);
  expect(rows.map(({ name }) => name)).not.toContain("ml-us-east");
  expect(totals.ownCost).toMatchObject({
    requestsPerMinute: expect.closeTo(4.8),
    wireBytesPerMinute: 1_200_000,
  });
});

test("own cost since a start counts the pass that began with it", async () => {
  const store = await stores.open();
  await store.collector.start(1, "0.1.0", NOON - 60_700);
  await seedCluster(store, { name: "stage-eu-west", servers: QUIET, at: NOON - 60_600 });
  const { totals } = await getFleet(makeTestContext(store));
  expect(totals.ownCost).toMatchObject({ requestsPerMinute: (12 * 60) / 61, windowSeconds: 61 });
});

test("the frame counts the clusters whose figures are fresh", async () => {
  const context = await seedFleet();
  expect((await getFleet(context)).frame).toMatchObject({
    now: NOON,
    clusters: 5,
    freshClusters: 3,
    isDemo: false,
  });
  context.setNow(NOON + 120_000);
  const later = await getFleet(context);
  expect(later.frame.freshClusters).toBe(0);
  expect(later.rows.find((each) => each.name === "stage-eu-west")?.isStale).toBe(true);
});

test("the sparkline is seats ÷ current limit of the busiest level, with gaps where nothing was read", async () => {
  const store = await stores.open();
  const id = await seedCluster(store, {
    name: "c",
    servers: { "api-0": [{ name: "workload-low", seats: 28, limit: 56 }] },
  });
  const key = { serverId: "id-api-0", priorityLevelName: "workload-low", rejectReason: null };
  const hour = NOON / 1000 - 7200;
  const points = (values: readonly number[]) =>
    values.map((value, index) => ({ atSeconds: hour + 1800 * index, min: value, avg: value, max: value }));
  await store.samples.append(
    id,
    "five-minutes",
    [
      { key: { ...key, metric: "executing-seats" }, points: points([10, 20, 30]) },
      { key: { ...key, metric: "current-limit-seats" }, points: points([40, 40]) },
    ],
    { isGenerated: false },
  );
  const { rows } = await getFleet(makeTestContext(store));
  expect(rows[0]?.sparkline).toEqual({ fromSeconds: hour, stepSeconds: 1800, values: [0.25, 0.5] });
});

test("an empty store is a fleet without clusters", async () => {
  const fleet = await getFleet(makeTestContext(await stores.open()));
  expect(fleet).toMatchObject({ rows: [], totals: { clusters: 0, nodes: 0 }, frame: { isDemo: false } });
});
