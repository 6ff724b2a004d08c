import { describe, expect, test } from "vitest";
import { OverviewResponseSchema } from "../../contracts/cluster.ts";
import { addCluster, makeTarget, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { forbidden, seedCluster, seedOutage } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getOverview } from "./get-overview.ts";

const stores = temporaryStores();
const QUIET = { name: "workload-low", seats: 6, limit: 56 };
const FULL = { name: "workload-low", seats: 361, limit: 368, waiting: 182, rejectedPerSecond: 9.6 };

test("a quiet cluster has no notice and shows its parts, servers, seats, capacity and sizes", async () => {
  const store = await stores.open();
  const clusterId = await seedCluster(store, {
    name: "stage-eu-west",
    servers: { "api-0": [QUIET, { name: "system", seats: 2, limit: 74 }], "api-1": [{ ...QUIET, seats: 3 }] },
    nodes: 44,
  });
  const overview = OverviewResponseSchema.parse(await getOverview(makeTestContext(store), { clusterId }));
  expect(overview.header).toMatchObject({
    name: "stage-eu-west",
    state: "ok",
    version: "v1.34.2",
    nodes: 44,
    pods: 200,
    apiServers: 2,
    apiServersRead: 2,
    fairness: { severity: "ok", findings: 0 },
    previousClusterId: null,
    nextClusterId: null,
  });
  expect(overview.notice).toBeNull();
  expect(overview.findings).toEqual([]);
  expect(overview.parts.map(({ part, status }) => `${part} ${status}`)).toEqual([
    "version ok",
    "servers ok",
    "sizes ok",
    "fairness ok",
    "inventory ok",
  ]);
  expect(overview.servers.map(({ name, gitVersion }) => `${name} ${gitVersion}`)).toEqual([
    "api-0 v1.34.2",
    "api-1 v1.34.2",
  ]);
  expect(overview.busiest).toMatchObject({
    serverName: "api-0",
    priorityLevelName: "workload-low",
    executingSeats: 6,
  });
  expect(
    overview.busiestSeries.map(({ metric, serverName, points }) => [metric, serverName, points.length > 0]),
  ).toEqual([
    ["executing-seats", "api-0", true],
    ["current-limit-seats", "api-0", true],
  ]);
  expect(overview.capacity).toEqual({
    totalNominalSeats: 130,
    busiestLevel: { idleSeats: null, nominalSeats: 56, currentLimitSeats: 56 },
    residentMemoryBytes: 2_000_000_000,
    storageBytes: null,
    listCostModel: "by stored bytes (1.34 and later)",
    watchListServer: "on for 1 of 2 API servers",
  });
  expect(overview.resources.map(({ resource, serverName }) => `${resource} ${serverName}`)).toEqual([
    "pods api-0",
    "nodes api-0",
  ]);
  expect(overview.resourcesTotal).toBe(2);
  expect(overview.gates).toEqual({ enabled: 2, total: 2 });
  expect(overview.recentChanges.map((each) => each.kind)).toEqual(["node-count-changed"]);
});

test("a rejecting level leads the findings and the notice, before what could not be read", async () => {
  const store = await stores.open();
  const clusterId = await seedCluster(store, {
    name: "ml-us-east",
    servers: { "api-0": [FULL] },
    inventory: {
      status: "partial",
      notRead: [{ what: "nodes", serverId: null, failure: forbidden("/api/v1/nodes") }],
    },
  });
  const { notice, findings, header } = await getOverview(makeTestContext(store), { clusterId });
  expect(header.fairness).toEqual({ severity: "error", findings: 1 });
  expect(findings.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    "error fairness.rejecting",
    "warning collector.part-not-read",
  ]);
  expect(notice).toEqual({
    severity: "error",
    lead: "A priority level rejects requests.",
    text: "workload-low on api-0: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected",
    actions: [
      { label: "Open fairness", href: "/clusters/ml-us-east/fairness?server=api-0&level=workload-low" },
    ],
  });
});

test("an unreachable cluster says since when and why, and keeps its last known figures", async () => {
  const store = await stores.open();
  const clusterId = await seedCluster(store, {
    name: "edge",
    servers: { "api-0": [FULL] },
    at: NOON - 7_200_000,
  });
  await seedOutage(store, clusterId, NOON - 3_600_000);
  const overview = await getOverview(makeTestContext(store), { clusterId });
  expect(overview.notice).toMatchObject({
    severity: "unknown",
    lead: "edge does not answer since Mon 30 Nov, 11:00 UTC.",
    text: expect.stringContaining("Connection refused"),
  });
  expect(overview.findings.map((each) => each.rule)).toEqual(["collector.unreachable"]);
  expect(overview.busiest?.executingSeats).toBe(361);
  expect(overview.parts.find((each) => each.part === "fairness")).toMatchObject({
    status: "failed",
    isStale: true,
    valueAt: NOON - 7_200_000,
  });
});

test("a cluster that was never read says what is still to come", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store, "new");
  const { notice, header, parts } = await getOverview(makeTestContext(store), { clusterId });
  expect(header.state).toBe("unknown");
  expect(parts).toEqual([]);
  expect(notice?.text).toContain(
    "Still to come: Version and gates, API servers, Counts and sizes, Fairness, Inventory.",
  );
});

test("a certificate that is not checked is a finding that leads to the settings", async () => {
  const store = await stores.open();
  const { clusterId } = await store.clusters.addTarget(makeTarget({ isInsecure: true }), NOON);
  const { findings, header, notice } = await getOverview(makeTestContext(store), { clusterId });
  expect(header.isInsecure).toBe(true);
  expect(findings).toMatchObject([
    { severity: "warning", rule: "collector.insecure-tls", href: "/settings/clusters" },
  ]);
  expect(notice?.actions).toEqual([{ label: "Open settings", href: "/settings/clusters" }]);
});

describe("neighbours", () => {
  test("follow the order of the fleet, worst first", async () => {
    const store = await stores.open();
    const quiet = await seedCluster(store, { name: "a-quiet", servers: { "api-0": [QUIET] } });
    const full = await seedCluster(store, { name: "b-full", servers: { "api-0": [FULL] } });
    const fresh = await addCluster(store, "c-new");
    const header = async (clusterId: string) =>
      (await getOverview(makeTestContext(store), { clusterId })).header;
    expect(await header(full)).toMatchObject({ previousClusterId: null, nextClusterId: fresh });
    expect(await header(fresh)).toMatchObject({ previousClusterId: full, nextClusterId: quiet });
  });
});

test("a cluster that does not exist is not found, and its id is not repeated", async () => {
  const context = makeTestContext(await stores.open());
  await expect(getOverview(context, { clusterId: "<script>" })).rejects.toMatchObject({
    code: "not-found",
    message: expect.not.stringContaining("script"),
  });
});
