import { describe, expect, it } from "vitest";
import { CONTROLLER_RATE } from "../rollout/client-rate-limit.ts";
import { ASSUMED_DURATIONS } from "../rollout/pod-durations.ts";
import { StormSimulation, simulateStorm } from "./simulate-storm.ts";
import type { StormAgent, StormBackground, StormCluster } from "./storm-input.ts";
import type { StormScenario } from "./storm-scenario.ts";
import {
  makeAgent,
  makeCluster,
  makeCollection,
  makeInformer,
  makeServer,
  makeStorm,
} from "./testing/make-storm.ts";

const three = (cores = 8) => ["api-0", "api-1", "api-2"].map((name) => makeServer({ name, cores }));
const run = (
  scenario: StormScenario,
  cluster: Partial<StormCluster> = {},
  agent: Partial<StormAgent> = {},
  seed = 1,
) => simulateStorm(makeStorm({ seed, scenario, cluster: makeCluster(cluster), agents: [makeAgent(agent)] }));

const pods = (objects: number) => ({ collections: [makeCollection({ objects })] });
const pace = { controller: CONTROLLER_RATE, durations: ASSUMED_DURATIONS, jitterRatio: 0.2 };
const startAll: StormScenario = { kind: "start-all", windowSeconds: 2 };
const update = { kind: "rolling-update", ...pace, maxSurge: 0, minReadySeconds: 0 } as const;

describe("the scenarios", () => {
  it("start-all is the worst; a paced rollout of the same agent on the same cluster is milder", () => {
    const cluster = { ...pods(10_000), servers: three(4) };
    const burst = run(startAll, cluster, { replicas: 300 });
    const healthy = run({ ...update, maxUnavailable: 3, unavailable: 0 }, cluster, { replicas: 300 });
    const broken = run({ ...update, maxUnavailable: 3, unavailable: 300 }, cluster, { replicas: 300 });
    expect(burst.verdict.verdict).toBe("unsafe");
    expect(healthy.verdict.verdict).toBe("invisible");
    expect(healthy.drain.lastStartSeconds).toBeGreaterThan(1000);
    expect(healthy.drain.afterLastStartSeconds).toBeLessThan(5);
    // Ten a second, whatever maxUnavailable says.
    expect(broken.drain.lastStartSeconds).toBeLessThan(60);
    expect(broken.peaks.executingSeats).toBeGreaterThan(healthy.peaks.executingSeats);
  });

  it("a small cluster is invisible: nobody is rejected, nobody waits", () => {
    const result = run(startAll, { ...pods(300), servers: three() }, { replicas: 12 });
    expect(result.verdict).toEqual({ verdict: "invisible", reasons: [], simulated: "invisible" });
    expect(result.totals).toMatchObject({ copies: 12, requests: 24, lists: 12, watches: 12, rejectedAll: 0 });
    expect(result.drain.seconds).toBeLessThan(2.5);
  });

  it("first rollout: creations at 20 a second and no faster", () => {
    const result = run(
      { kind: "first-rollout", ...pace },
      { ...pods(500), servers: three() },
      { replicas: 400 },
    );
    expect(result.drain.lastStartSeconds).toBeGreaterThan(18 + 18);
    expect(result.drain.outcome).toBe("drained");
    expect(result.agents[0]?.syncSeconds?.max).toBeLessThan(2);
  });

  it("scale-out concerns the new nodes alone", () => {
    const scenario: StormScenario = { kind: "node-scale-out", addedNodes: 50, nodesPerMinute: 100 };
    const result = run(scenario, { ...pods(2000), servers: three() }, { replicas: 1000 });
    expect(result.drain.copies).toBe(50);
    expect(result.verdict.verdict).toBe("invisible");
  });

  it("crash recovery spreads over the back-off", () => {
    const scenario: StormScenario = {
      kind: "crash-recovery",
      initialSeconds: 10,
      capSeconds: 300,
      runSeconds: 5,
      crashedSeconds: 7200,
      spreadSeconds: 600,
    };
    const result = run(scenario, { ...pods(2000), servers: three() }, { replicas: 300 });
    expect(result.drain.copiesDone).toBe(300);
    expect(result.drain.lastStartSeconds).toBeGreaterThan(250);
  });

  it("batches: each drains before the next", () => {
    const scenario: StormScenario = { kind: "batches", batchSize: 5, intervalSeconds: 60 };
    const result = run(scenario, pods(10_000), { replicas: 20 });
    expect(result.drain.seconds).toBeLessThan(200);
    expect(result.totals.rejectedAll).toBe(0);
  });
});

describe("API servers that restart or are lost", () => {
  it("restart of all: every informer relists, clients are refused for as long as none is up", () => {
    const scenario: StormScenario = {
      kind: "api-server-restart",
      servers: [],
      downSeconds: 10,
      resumedRatio: 0,
    };
    const result = run(scenario, { ...pods(500), servers: three() }, { replicas: 200 });
    expect(result.drain).toMatchObject({ outcome: "drained", copies: 200, copiesDone: 200 });
    expect(result.drain.seconds).toBeGreaterThan(10);
    expect(result.totals.lists).toBe(200);
    expect(result.agents[0]?.failures).toBeGreaterThan(400);
  });

  it("restart of one of three: a third of the copies moves at once", () => {
    const scenario: StormScenario = {
      kind: "api-server-restart",
      servers: [1],
      downSeconds: 30,
      resumedRatio: 0,
    };
    const result = run(scenario, { ...pods(500), servers: three() }, { replicas: 300 });
    expect(result.drain.copies).toBeGreaterThan(70);
    expect(result.drain.copies).toBeLessThan(130);
    expect(result.drain.seconds).toBeLessThan(10);
    expect(result.agents[0]?.failures).toBe(0);
  });

  it("watches that resume need no LIST", () => {
    const scenario: StormScenario = {
      kind: "api-server-restart",
      servers: [0],
      downSeconds: 30,
      resumedRatio: 1,
    };
    const result = run(scenario, { ...pods(5000), servers: three() }, { replicas: 300 });
    expect(result.totals.lists).toBe(0);
    expect(result.drain.outcome).toBe("drained");
  });

  it("loss of one: its copies and its steady load come to the others, and that may be too much for them", () => {
    const scenario: StormScenario = {
      kind: "api-server-loss",
      server: 0,
      noticedWithinSeconds: 5,
      resumedRatio: 0,
    };
    const result = run(scenario, { ...pods(3000), servers: three(2) }, { replicas: 900 });
    const seats = result.servers.map(({ levels }) =>
      Math.max(
        0,
        ...(levels.find(({ priorityLevelName }) => priorityLevelName === "workload-low")?.executingSeats ??
          []),
      ),
    );
    expect(seats[0]).toBe(0);
    expect(seats[1]).toBeGreaterThan(0);
    expect(seats[2]).toBeGreaterThan(0);
    expect(result.drain.copies).toBeGreaterThan(230);
    expect(result.drain.copiesDone).toBe(result.drain.copies);
  });

  it("loss of the only one never drains, and says why", () => {
    const scenario: StormScenario = {
      kind: "api-server-loss",
      server: 0,
      noticedWithinSeconds: 0,
      resumedRatio: 0,
    };
    const result = run(scenario, pods(100), { replicas: 10 });
    expect(result.drain.outcome).toBe("never-drains");
    expect(result.drain.why).toMatch(/no API server is up/);
    expect(result.verdict.reasons[0]?.reason).toBe("never-drains");
  });
});

describe("several API servers", () => {
  it("get the clients by weight", () => {
    const servers = [
      makeServer({ name: "a", clientWeight: 3, cores: 8 }),
      makeServer({ name: "b", cores: 8 }),
      makeServer({ name: "c", clientWeight: 0 }),
    ];
    const storm = new StormSimulation(
      makeStorm({
        cluster: makeCluster({ ...pods(100), servers }),
        agents: [makeAgent({ replicas: 400 })],
        stepSeconds: 100,
      }),
    );
    const { servers: results, busiestServer } = storm.run();
    const bytes = results.map(
      ({ bytesPerSecond, stepSeconds }) => stepSeconds * bytesPerSecond.reduce((a, b) => a + b, 0),
    );
    expect(busiestServer).toBe(0);
    expect((bytes[0] ?? 0) / ((bytes[0] ?? 0) + (bytes[1] ?? 1))).toBeCloseTo(0.75, 1);
    expect(bytes[2]).toBe(0);
  });
});

describe("neighbours", () => {
  const flow = (overrides: Partial<StormBackground> = {}): StormBackground => ({
    priorityLevelName: "workload-low",
    flowSchemaName: "service-accounts",
    flowDistinguisher: "system:serviceaccount:ingress:controller",
    requestsPerSecond: 5,
    seats: 1,
    serviceSeconds: 0.01,
    cpuSeconds: null,
    ...overrides,
  });
  const background = [
    flow(),
    flow({ priorityLevelName: "system", flowSchemaName: "system-nodes", flowDistinguisher: "system:node:a" }),
  ];

  it("of the same level wait behind a wide head and are rejected, whether they share a queue or not; others are not", () => {
    const result = run(startAll, { ...pods(8000), background }, { replicas: 200 });
    const [same, other] = result.neighbours;
    expect(same).toMatchObject({
      flowDistinguisher: "system:serviceaccount:ingress:controller",
      sharesLevel: true,
      isProbe: false,
    });
    expect(same?.waitSecondsP99).toBeGreaterThan(1);
    expect(same?.handSize).toBe(6);
    expect(other).toMatchObject({ sharesLevel: false, rejectedAll: 0 });
    expect(other?.waitSecondsP99).toBeLessThan(0.01);
  });

  it("are probed where none was measured, so that an unknown neighbour is no absent one", () => {
    const probed = run(startAll, pods(8000), { replicas: 200 });
    expect(
      probed.neighbours.some(({ isProbe, waitSecondsP99 }) => isProbe && (waitSecondsP99 ?? 0) > 1),
    ).toBe(true);
    const measured = run(startAll, { ...pods(8000), background }, { replicas: 200 });
    expect(measured.neighbours.filter(({ isProbe, sharesLevel }) => isProbe && sharesLevel)).toEqual([]);
    const off = simulateStorm(makeStorm({ hasProbes: false, cluster: makeCluster(pods(100)) }));
    expect(off.neighbours).toEqual([]);
    expect(off.exempt).toBeNull();
  });

  it("a steady load of the agent's own flow is not counted among them", () => {
    const own = flow({ flowDistinguisher: "system:serviceaccount:observability:node-telemetry" });
    const result = run(startAll, { ...pods(8000), background: [own] }, { replicas: 200 });
    expect(result.neighbours.find(({ isOwnFlow }) => isOwnFlow)?.queuesShared).toBe(6);
    expect(result.totals.neighboursRejected).toBeLessThanOrEqual(
      result.neighbours
        .filter(({ isOwnFlow }) => !isOwnFlow)
        .reduce((sum, { rejectedAll }) => sum + rejectedAll, 0),
    );
  });

  it("a flow of a level that does not exist is left out, and that is said", () => {
    const result = run(startAll, { ...pods(100), background: [flow({ priorityLevelName: "gone" })] });
    expect(result.assumptions).toEqual([
      "The steady load of service-accounts is left out: there is no priority level gone.",
    ]);
  });

  it("their demand before the storm shapes the limits at its begin", () => {
    const busy = [flow({ requestsPerSecond: 100, serviceSeconds: 1 })];
    const limitAt0 = (cluster: Partial<StormCluster>) =>
      run(startAll, {
        ...pods(100),
        servers: [makeServer({ cores: 64 })],
        ...cluster,
      }).servers[0]?.levels.find(({ priorityLevelName }) => priorityLevelName === "workload-low")
        ?.limitSeats[0];
    expect(limitAt0({})).toBe(56);
    expect(limitAt0({ background: busy })).toBeGreaterThan(150);
  });
});

describe("a node agent rolled to every cluster at once, as on 11 December 2024", () => {
  /** Every node's agent lists nodes, pods and services of the whole cluster. */
  const informers = ["nodes", "pods", "services"].map((resource) =>
    makeInformer({ resource, representation: "json" }),
  );
  const clusterOf = (nodes: number) => ({
    servers: three(16),
    collections: [
      makeCollection({ resource: "nodes", objects: nodes, storedBytes: nodes * 6000 }),
      makeCollection({ objects: nodes * 20 }),
      makeCollection({ resource: "services", objects: 500, storedBytes: 1_000_000 }),
    ],
  });

  it("is invisible on the staging cluster and unsafe on the largest", () => {
    const staging = run({ kind: "first-rollout", ...pace }, clusterOf(20), { replicas: 20, informers });
    expect(staging.verdict.verdict).toBe("invisible");
    const largest = run(startAll, clusterOf(1200), { replicas: 1200, informers });
    expect(largest.verdict.verdict).toBe("unsafe");
    expect(largest.verdict.reasons.length).toBeGreaterThan(2);
  });
});
