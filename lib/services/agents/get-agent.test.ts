import { describe, expect, test } from "vitest";
import { AgentResponseSchema, AgentsResponseSchema } from "../../contracts/agent-pages.ts";
import type { Store } from "../../db/store.ts";
import { NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import type { AgentProjection } from "../../domain/fan-out/agent-projection.ts";
import type { AgentSummary } from "../../domain/fan-out/fan-out-summary.ts";
import { seedCluster } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getAgent } from "./get-agent.ts";
import { getAgents } from "./get-agents.ts";

const stores = temporaryStores();
const ID = "daemonset/observability/node-telemetry";

const summaryOf = (over: Partial<AgentSummary> = {}): AgentSummary => ({
  id: ID,
  title: "observability/node-telemetry",
  version: "2.6.3",
  verdict: "invisible",
  simulated: "invisible",
  copies: 40,
  drainSeconds: 2,
  undrained: 0,
  bytes: 80_000,
  seats: 40,
  ...over,
});

const projectionOf = (over: Partial<AgentProjection> = {}): AgentProjection => ({
  agentId: ID,
  verdict: "invisible",
  simulated: "invisible",
  reasons: [],
  skipped: null,
  seeds: 5,
  undrained: 0,
  collapsed: 0,
  drainSeconds: null,
  rejected: null,
  neighbourWaitSeconds: null,
  ownWaitSeconds: null,
  linkRatio: null,
  assumptions: [],
  ...over,
});

async function store(
  store: Store,
  clusterId: string,
  agents: AgentSummary[],
  projections: AgentProjection[],
) {
  await store.fanOut.record(
    clusterId,
    { at: NOON, inputsHash: "h", model: "m", seedsWanted: 5, durationSeconds: 1, projections },
    { at: NOON, nodes: 40, agents },
    [],
  );
}

async function seedFleet() {
  const opened = await stores.open();
  const small = await seedCluster(opened, { name: "stage-eu-west", servers: { "api-0": [] }, nodes: 40 });
  const large = await seedCluster(opened, { name: "prod-us-east", servers: { "api-0": [] }, nodes: 2000 });
  await seedCluster(opened, { name: "dev-eu-west", servers: { "api-0": [] }, nodes: 10 });
  const band = { p5: 1, p50: 12, p95: 20, seeds: 5 };
  await store(
    opened,
    small,
    [
      summaryOf(),
      summaryOf({ id: "client/kubelet", title: "kubelet", copies: null, bytes: null, seats: null }),
    ],
    [projectionOf()],
  );
  await store(
    opened,
    large,
    [summaryOf({ verdict: "unsafe", copies: 2000, undrained: 2, version: "2.7.1", bytes: 4e9 })],
    [
      projectionOf({
        verdict: "unsafe",
        rejected: band,
        neighbourWaitSeconds: band,
        reasons: [{ reason: "never-drains", verdict: "unsafe", text: "It does not drain." }],
      }),
    ],
  );
  return { context: makeTestContext(opened), small, large };
}

describe("agents of the fleet", () => {
  test("are matched by id, worst verdict first, with versions by copies and where each is worst", async () => {
    const { context, large } = await seedFleet();
    const response = AgentsResponseSchema.parse(await getAgents(context));
    expect(response.agents.map(({ title, kind }) => [title, kind])).toEqual([
      ["observability/node-telemetry", "DaemonSet"],
      ["kubelet", "node-client"],
    ]);
    expect(response.agents[0]).toMatchObject({
      versions: [
        { version: "2.7.1", clusters: 1, copies: 2000 },
        { version: "2.6.3", clusters: 1, copies: 40 },
      ],
      copies: 2040,
      verdicts: { unsafe: 1, invisible: 1, visible: 0, inconclusive: 0 },
      worst: { clusterId: large, drainSeconds: null, undrained: 2 },
    });
    expect(response.agents[1]).toMatchObject({ copies: 0, clustersWithoutCopies: 1 });
    expect([response.clusters, response.clustersSimulated]).toEqual([3, 2]);
  });

  test("are none where nothing was simulated yet", async () => {
    const opened = await stores.open();
    expect(await getAgents(makeTestContext(opened))).toMatchObject({ agents: [], clusters: 0 });
  });
});

describe("one agent", () => {
  test("has a row on each cluster, worst first, with what its whole projection holds", async () => {
    const { context, large, small } = await seedFleet();
    const response = AgentResponseSchema.parse(await getAgent(context, { agentId: ID, query: {} }));
    expect(response.clusterId).toBe(large);
    expect(response.clusters).toMatchObject([
      {
        clusterId: large,
        perStartBytes: 2_000_000,
        rejected: 12,
        neighbourWaitSeconds: 12,
        reason: "It does not drain.",
      },
      { clusterId: small, perStartBytes: 2000, perStartSeats: 1, rejected: null, reason: null },
    ]);
  });

  test("cannot be simulated where its workload is not in the inventory; the rest is answered", async () => {
    const { context, small } = await seedFleet();
    const response = await getAgent(context, { agentId: ID, query: { cluster: small } });
    expect([response.subject, response.clusterId]).toEqual([null, small]);
    expect(response.clusters).toHaveLength(2);
  });

  test("that nobody knows, and on a cluster that there is not, is not found", async () => {
    const { context } = await seedFleet();
    await expect(getAgent(context, { agentId: "daemonset/no/such", query: {} })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(getAgent(context, { agentId: ID, query: { cluster: "no" } })).rejects.toMatchObject({
      code: "not-found",
    });
  });
});
