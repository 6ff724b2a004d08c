import { describe, expect, it } from "vitest";
import { StormSimulation, simulateStorm } from "./simulate-storm.ts";
import type { StormAgent, StormCluster } from "./storm-input.ts";
import type { StormScenario } from "./storm-scenario.ts";
import {
  makeAgent,
  makeClient,
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
const startAll: StormScenario = { kind: "start-all", windowSeconds: 2 };

describe("flows and levels", () => {
  it("all copies of one ServiceAccount are one flow; each kubelet is one of its own", () => {
    const queues = (agent: Partial<StormAgent>) => {
      const storm = new StormSimulation(
        makeStorm({
          cluster: makeCluster(pods(10_000)),
          agents: [makeAgent({ replicas: 200, ...agent })],
          hasProbes: false,
        }),
      );
      storm.runUntil(3);
      const [level] = storm.servers[0]?.levels.values() ?? [];
      return {
        name: level?.name,
        used: level?.queueSet.queues.filter(({ waiting }) => waiting.length > 0).length ?? 0,
      };
    };
    const account = queues({});
    expect(account).toEqual({ name: "workload-low", used: 6 });
    const kubelets = queues({
      userName: "system:node:*",
      userGroups: ["system:nodes", "system:authenticated"],
    });
    expect(kubelets.name).toBe("system");
    expect(kubelets.used).toBeGreaterThan(40);
  });

  it("missing mandatory levels are supplied, broken ones passed over, as the API server does", () => {
    const priorityLevels = makeCluster().priorityLevels.flatMap((level) => {
      if (level.name === "exempt" || level.name === "catch-all") return [];
      return [level.name === "workload-low" ? { ...level, handSize: 500 } : level];
    });
    const result = run(startAll, { ...pods(10), priorityLevels }, { replicas: 5 });
    const names = result.servers[0]?.levels.map(({ priorityLevelName }) => priorityLevelName);
    expect(names).toEqual(["exempt", "global-default"]);
    expect(result.drain.outcome).toBe("drained");
  });

  it("system:masters pass all queues and still share the cores", () => {
    const agent = { userName: "admin", userGroups: ["system:masters", "system:authenticated"], replicas: 50 };
    const result = run(startAll, pods(4000), agent);
    expect(result.totals.rejectedAll).toBe(0);
    expect(result.agents[0]?.syncSeconds?.max).toBeGreaterThan(10);
  });
});

describe("clients", () => {
  it("share one bucket over all informers of a copy", () => {
    const informers = Array.from({ length: 6 }, () => makeInformer());
    const slow = run(
      startAll,
      { ...pods(10), servers: three() },
      { informers, client: makeClient({ qps: 1, burst: 1 }), replicas: 5 },
    );
    const free = run(
      startAll,
      { ...pods(10), servers: three() },
      { informers, client: makeClient({ qps: null }), replicas: 5 },
    );
    expect(slow.agents[0]?.syncSeconds?.max).toBeGreaterThan(5);
    expect(free.agents[0]?.syncSeconds?.max).toBeLessThan(0.5);
  });

  it("whose caches are not filled in time end and start again: more LISTs, and it may never drain", () => {
    const client = makeClient({ cacheSyncTimeoutSeconds: 30 });
    const patient = run(startAll, pods(8000), { replicas: 200 });
    const impatient = run(startAll, pods(8000), { replicas: 200, client });
    expect(impatient.agents[0]?.restarts).toBeGreaterThan(50);
    // Each start connects anew; some wait for theirs at the end.
    expect(impatient.totals.handshakes).toBeGreaterThan(700);
    expect(impatient.totals.handshakes).toBeLessThanOrEqual(200 + (impatient.agents[0]?.restarts ?? 0));
    expect(impatient.totals.wastedCpuSeconds).toBeGreaterThan(patient.totals.wastedCpuSeconds);
  });

  it("ask in vain for watch-lists that the API server does not have, and LIST", () => {
    const agent = {
      informers: [makeInformer({ watchList: true })],
      client: makeClient({ clientGoVersion: "0.35" }),
      replicas: 10,
    };
    const result = run(startAll, { kubernetesVersion: "1.33.6", ...pods(100) }, agent);
    expect(result.totals).toMatchObject({ watchLists: 10, lists: 10, watches: 10 });
  });

  it("that ask for pages send one request for each", () => {
    const agent = { informers: [makeInformer({ resourceVersion: "", pageSize: 500 })], replicas: 2 };
    const result = run(startAll, { ...pods(2600), servers: three() }, agent);
    expect(result.totals.lists).toBe(2 * 6);
    expect(result.totals.receivedBytes).toBe(2 * 6 * 500 * 5000);
  });

  it("poll again and again, and are done with the first answer", () => {
    const agent = {
      informers: [makeInformer({ mode: "poll", periodSeconds: 5 }), makeInformer()],
      replicas: 3,
    };
    const result = run(
      { kind: "batches", batchSize: 1, intervalSeconds: 20 },
      { ...pods(100), servers: three() },
      agent,
    );
    expect(result.drain.outcome).toBe("drained");
    expect(result.totals.lists).toBeGreaterThan(10);
  });

  it("that read nothing are done at once", () => {
    const result = run(startAll, pods(100), { informers: [] });
    expect(result.drain).toMatchObject({ outcome: "drained", copiesDone: 100 });
    expect(result.totals.requests).toBe(0);
  });
});

describe("the link", () => {
  it("that is too slow decides the drain time, and its use is said", () => {
    const servers = [makeServer({ cores: 32, linkBytesPerSecond: 100_000_000 })];
    const result = run(startAll, { ...pods(4000), servers }, { replicas: 100 });
    // 100 times 20 MB at 100 MB/s.
    expect(result.drain.seconds).toBeGreaterThan(20);
    expect(result.peaks.linkRatio).toBeGreaterThan(0.9);
    expect(result.peaks.linkRatio).toBeLessThanOrEqual(1);
    expect(result.verdict.reasons.map(({ reason }) => reason)).toContain("link");
  });

  it("gzip takes bytes off it and adds CPU", () => {
    const servers = [makeServer({ cores: 32 })];
    const plain = run(startAll, { ...pods(4000), servers }, { replicas: 20 });
    const gzip = run(
      startAll,
      { ...pods(4000), servers },
      { replicas: 20, client: makeClient({ acceptsGzip: true }) },
    );
    expect(gzip.totals.receivedBytes).toBeCloseTo(0.3 * plain.totals.receivedBytes, -3);
    expect(gzip.totals.usefulCpuSeconds).toBeGreaterThan(1.2 * plain.totals.usefulCpuSeconds);
  });
});
