import { expect, test } from "vitest";
import { FanOutResponseSchema } from "../../contracts/fan-out.ts";
import type { Store } from "../../db/store.ts";
import { addCluster, makeOutcome, makePass } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { AGENT_CATALOGUE } from "../../domain/agents/catalogue/catalogue.ts";
import { joinSeeds } from "../../domain/fan-out/agent-projection.ts";
import { summariseFanOut } from "../../domain/fan-out/fan-out-summary.ts";
import { openFanOut } from "../../domain/fan-out/open-fan-out.ts";
import { inventoryOf, partsOf, TELEMETRY } from "../../domain/fan-out/testing/parts.ts";
import type { VerdictName } from "../../domain/storm/verdict.ts";
import { getOverview } from "../clusters/get-overview.ts";
import { getFleet } from "../fleet/get-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getFanOut } from "./get-fan-out.ts";
import { hashOfInputs } from "./inputs-hash.ts";

const stores = temporaryStores();
const ID = "daemonset/observability/node-telemetry";

/** A cluster of 2,000 nodes with node-telemetry on each; read at the time of the context. */
async function seed(store: Store, name: string, at: number): Promise<string> {
  const clusterId = await addCluster(store, name, at);
  const { version, servers, sizes, fairness, inventory } = partsOf({ inventory: inventoryOf([TELEMETRY]) });
  const values = { version, servers, sizes, fairness, inventory };
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: at,
      parts: (["version", "servers", "sizes", "fairness", "inventory"] as const).flatMap((part) => {
        const value = values[part]?.value;
        // The cast: part and value come from one entry.
        return value == null ? [] : [{ part, outcome: makeOutcome(part, { startedAt: at }), value } as never];
      }),
      periodSeconds: { version: 300, servers: 60, sizes: 3600, fairness: 30, inventory: 300 },
    }),
  );
  return clusterId;
}

/** Stores a projection as the collector would, with the verdict that the test wants. */
async function project(
  store: Store,
  clusterId: string,
  {
    at,
    verdict,
    drainSeconds,
    nodes = 2000,
  }: { at: number; verdict: VerdictName; drainSeconds: number | null; nodes?: number },
): Promise<void> {
  const parts = await store.parts.getAll(clusterId);
  const cluster = await store.clusters.get(clusterId);
  const fanOut = openFanOut({
    clusterName: cluster?.name ?? "",
    labels: {},
    parts,
    catalogue: AGENT_CATALOGUE,
    now: at,
  });
  if (fanOut === null) throw new Error("no inventory");
  const simulated = verdict === "inconclusive" ? "unsafe" : verdict;
  const projection = joinSeeds(ID, [
    {
      verdict: { verdict, simulated, reasons: [] },
      outcome: drainSeconds === null ? "collapse" : "drained",
      drainSeconds,
      rejected: 7,
      neighbourWaitSeconds: null,
      ownWaitSeconds: null,
      linkRatio: null,
      assumptions: [],
    },
  ]);
  const summary = summariseFanOut({
    at,
    nodes,
    agents: fanOut.agents.filter(({ id }) => id === ID),
    costs: fanOut.costs,
    projections: new Map([[ID, projection]]),
  });
  await store.fanOut.record(
    clusterId,
    {
      at,
      inputsHash: hashOfInputs(fanOut.key),
      model: "m",
      seedsWanted: 5,
      durationSeconds: 1,
      projections: [projection],
    },
    summary,
    [],
  );
}

const plain = (text: string | undefined) => text?.replaceAll(/[\u00a0\u202f]/g, " ");

test("costs come from what is stored now, verdicts from the latest simulation; the worst stands first", async () => {
  const store = await stores.open();
  const context = makeTestContext(store);
  const at = context.clock.now() - 5000;
  const clusterId = await seed(store, "prod-us-east", at);
  const before = FanOutResponseSchema.parse(await getFanOut(context, { clusterId }));
  expect(before.projection).toBeNull();
  expect(before.notice).toBeNull();
  expect(before.agents.find(({ agent }) => agent.id === ID)).toMatchObject({
    copies: 2000,
    perStart: { seats: { value: 14 }, bytes: { value: 240_374_000 } },
    total: { seats: { value: 28_000 }, bytes: { value: 480_748_000_000 } },
    grade: "declared",
    projection: null,
  });

  await project(store, clusterId, { at, verdict: "unsafe", drainSeconds: 165 });
  const after = FanOutResponseSchema.parse(await getFanOut(context, { clusterId }));
  expect(after.projection).toMatchObject({ at, isCurrent: true });
  expect(after.agents[0]?.agent.id).toBe(ID);
  expect(after.header.fanOut).toEqual({ severity: "error", findings: 1 });
  expect(after.notice).toMatchObject({ severity: "error", lead: "1 agent is unsafe.", agentId: ID });
  expect(plain(after.notice?.text)).toMatch(
    /asks for [\d.]+ × the seats that workload-low can ever borrow, drains in 2 min 45 s \(simulated\)\.$/,
  );
  expect(after.capacity[0]?.ofCeilingRatio).toBeGreaterThan(1);
});

test("a smaller cluster with the same version tells that it grew into it", async () => {
  const store = await stores.open();
  const context = makeTestContext(store);
  const at = context.clock.now() - 5000;
  const large = await seed(store, "prod-us-east", at);
  const small = await seed(store, "stage-eu-west", at);
  await project(store, large, { at, verdict: "unsafe", drainSeconds: 165 });
  await project(store, small, { at, verdict: "invisible", drainSeconds: 1.8, nodes: 44 });
  const { elsewhere, notice } = await getFanOut(context, { clusterId: large });
  expect(elsewhere).toEqual([
    {
      agentId: ID,
      clusterId: small,
      clusterName: "stage-eu-west",
      nodes: 44,
      version: "2.6.3",
      drainSeconds: 1.8,
    },
  ]);
  expect(plain(notice?.text)).toContain(
    "On stage-eu-west with 44 nodes the same version drains in 1.8 s (simulated).",
  );
});

test("a quiet cluster rolls normally, with the thresholds it is held to; a doubtful one is not said to", async () => {
  const store = await stores.open();
  const context = makeTestContext(store);
  const at = context.clock.now() - 5000;
  const clusterId = await seed(store, "stage", at);
  await project(store, clusterId, { at, verdict: "invisible", drainSeconds: 2 });
  const quiet = await getFanOut(context, { clusterId });
  expect(quiet.notice?.lead).toBe("stage: roll normally.");
  expect(quiet.notice?.text).toContain("neighbours wait at most 1 s at p99");
  await project(store, clusterId, { at: at + 1, verdict: "inconclusive", drainSeconds: 200 });
  expect((await getFanOut(context, { clusterId })).notice).toMatchObject({
    severity: "unknown",
    agentId: ID,
  });
});

test("a cluster whose workloads were never read has nothing to price, and says nothing", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store, "new");
  const response = FanOutResponseSchema.parse(await getFanOut(makeTestContext(store), { clusterId }));
  expect(response).toMatchObject({
    facts: null,
    agents: [],
    capacity: [],
    lists: [],
    inventory: null,
    notice: null,
  });
});

test("a cluster that is not there is not found", async () => {
  const store = await stores.open();
  await expect(getFanOut(makeTestContext(store), { clusterId: "none" })).rejects.toMatchObject({
    code: "not-found",
  });
});

test("fleet and overview tell the worst agent with its figures, and lead to it", async () => {
  const store = await stores.open();
  const context = makeTestContext(store);
  const at = context.clock.now() - 5000;
  const clusterId = await seed(store, "prod-us-east", at);
  await project(store, clusterId, { at, verdict: "unsafe", drainSeconds: null });
  const { rows, risks } = await getFleet(context);
  const line =
    "observability/node-telemetry 2.6.3 unsafe: ≈ 481 GB, 28 000 seats if all 2 000 copies LIST at once, never drains (simulated)";
  expect(rows[0]).toMatchObject({ state: "error", fanOut: { severity: "error", findings: 1 } });
  expect(plain(rows[0]?.worstReason)).toBe(line);
  expect(rows[0]?.worstHref).toBe(`/clusters/${clusterId}/fan-out`);
  expect(risks[0]).toMatchObject({ area: "fan-out", error: 1, unknown: 0 });
  expect(plain(risks[0]?.worst ?? "")).toBe(`prod-us-east: ${line}`);
  const { findings, fanOut, notice } = await getOverview(context, { clusterId });
  expect(findings[0]).toMatchObject({ rule: "fan-out.unsafe", subject: "observability/node-telemetry" });
  expect(findings[0]?.href).toBe(
    `/clusters/${clusterId}/fan-out?agent=daemonset%2Fobservability%2Fnode-telemetry`,
  );
  expect(fanOut).toMatchObject({ unsafe: 1, visible: 0, inconclusive: 0 });
  expect(notice?.actions).toEqual([{ label: "Open fan-out", href: findings[0]?.href }]);
});
