import { describe, expect, it } from "vitest";
import { seededRandom } from "../rollout/seeded-random.ts";
import { StormRequest } from "./engine/storm-request.ts";
import { StormSimulation, simulateStorm } from "./simulate-storm.ts";
import type { StormInput } from "./storm-input.ts";
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

const SEEDS = 40;

/** A storm of any kind: versions, servers, links, limits, agents, informers, background and scenarios by chance. */
function randomStorm(seed: number): StormInput {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const servers = Array.from({ length: pick([1, 1, 2, 3]) }, (_, index) =>
    makeServer({
      name: `api-${index}`,
      cores: pick([1, 2, 8]),
      linkBytesPerSecond: pick([null, 20_000_000, 1_000_000_000]),
      totalConcurrencySeats: pick([60, 200, 600]),
      clientWeight: pick([1, 1, 3]),
    }),
  );
  const scenarios: readonly StormScenario[] = [
    { kind: "start-all", windowSeconds: pick([0, 2, 20]) },
    { kind: "batches", batchSize: 10, intervalSeconds: 3 },
    { kind: "node-scale-out", addedNodes: 30, nodesPerMinute: 60 },
    {
      kind: "crash-recovery",
      initialSeconds: 10,
      capSeconds: 40,
      runSeconds: 2,
      crashedSeconds: 100,
      spreadSeconds: 20,
    },
    { kind: "api-server-restart", servers: [], downSeconds: 4, resumedRatio: pick([0, 0.5, 1]) },
    { kind: "api-server-loss", server: 0, noticedWithinSeconds: 10, resumedRatio: pick([0, 1]) },
  ];
  const informer = () =>
    makeInformer({
      resource: pick(["pods", "pods", "services", "missing"]),
      representation: pick(["protobuf", "json", "metadata-protobuf"]),
      watchList: random() < 0.3,
      mode: pick(["informer", "informer", "informer", "list", "watch"]),
      resourceVersion: pick(["0", "0", ""]),
      pageSize: pick([500, 500, 0, 200]),
    });
  const agents = Array.from({ length: pick([1, 1, 2]) }, (_, index) =>
    makeAgent({
      id: `agent-${index}`,
      name: `agent-${index}`,
      replicas: pick([1, 20, 60]),
      userName: pick([
        "system:serviceaccount:a:agent",
        "system:node:*",
        "system:serviceaccount:kube-system:agent",
      ]),
      userGroups: pick([
        ["system:serviceaccounts", "system:authenticated"],
        ["system:nodes", "system:authenticated"],
      ]),
      client: makeClient({
        clientGoVersion: pick(["0.30", "0.34", "0.36"]),
        qps: pick([null, 5, 0.5]),
        acceptsGzip: random() < 0.5,
        maxRetries: pick([10, 0]),
        cacheSyncTimeoutSeconds: pick([null, null, 20]),
      }),
      informers: Array.from({ length: pick([1, 2, 3]) }, informer),
      startJitterSeconds: pick([0, 5]),
    }),
  );
  const background = [
    {
      priorityLevelName: "workload-low",
      flowSchemaName: "service-accounts",
      flowDistinguisher: "system:serviceaccount:b:other",
      requestsPerSecond: 4,
      seats: 1,
      serviceSeconds: 0.02,
      cpuSeconds: null,
    },
    {
      priorityLevelName: "global-default",
      flowSchemaName: "global-default",
      flowDistinguisher: "somebody",
      requestsPerSecond: 0.5,
      seats: 10,
      serviceSeconds: 0.3,
      cpuSeconds: null,
    },
  ];
  return makeStorm({
    seed,
    cluster: makeCluster({
      kubernetesVersion: pick(["1.26.3", "1.28.4", "1.30.4", "1.33.6", "1.34.4", "1.36.3"]),
      servers,
      collections: [
        makeCollection({ objects: pick([0, 50, 3000, 12_000, 30_000]) }),
        makeCollection({
          resource: "services",
          objects: 1000,
          storedBytes: 2_000_000,
          isSizeKnownAfterRestart: false,
        }),
      ],
      background: random() < 0.5 ? background : [],
    }),
    agents,
    scenario: pick(scenarios),
    patienceSeconds: 60,
    hasProbes: random() < 0.5,
  });
}

describe("properties of any storm", () => {
  it("no request is lost: each has its answer, waits, runs, or is given up, and no seat is counted twice", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const storm = new StormSimulation(randomStorm(seed));
      for (let step = 0; storm.step(); step++) {
        if (step % 97 !== 0) continue;
        for (const server of storm.servers) {
          let inside = 0;
          for (const { queueSet } of server.levels.values()) {
            let seats = 0;
            let waiting = 0;
            for (const request of queueSet.running) {
              seats += request.maxSeats;
              if (request instanceof StormRequest && request.reflector !== null) inside++;
            }
            for (const queue of queueSet.queues) {
              for (const request of queue.waiting) {
                waiting++;
                if (request instanceof StormRequest && request.reflector !== null) inside++;
              }
            }
            expect([seed, step, queueSet.seatsInUse, queueSet.waitingRequests]).toEqual([
              seed,
              step,
              seats,
              waiting,
            ]);
            expect(queueSet.crash).toBeNull();
          }
          // The others are still to be read.
          expect(inside).toBeLessThanOrEqual(server.stormRequests);
          expect(server.stormRequests - inside).toBeLessThanOrEqual(server.processor.smallJobs);
        }
      }
    }
  });

  it("seats in use pass the limit only where it was lowered, or by one wide request that runs alone", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const storm = new StormSimulation(randomStorm(seed));
      const before = new Map<object, number>();
      while (storm.step()) {
        for (const server of storm.servers) {
          for (const level of server.levels.values()) {
            if (level.isExempt) continue;
            const { seatsInUse, executingRequests } = level.queueSet;
            const isGrowing = seatsInUse > (before.get(level) ?? 0);
            before.set(level, seatsInUse);
            if (isGrowing && seatsInUse > level.limit) expect([seed, executingRequests]).toEqual([seed, 1]);
          }
        }
      }
    }
  });

  it("equal inputs give equal results, byte for byte, and equal states on the way", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const input = randomStorm(seed);
      const text = JSON.stringify(simulateStorm(input));
      expect(JSON.stringify(simulateStorm(structuredClone(input)))).toBe(text);
      const dump = () => {
        const storm = new StormSimulation(input);
        storm.runUntil(7);
        return JSON.stringify(storm.dump());
      };
      expect(dump()).toBe(dump());
    }
  });

  it("seeds differ", () => {
    const input = makeStorm({ cluster: makeCluster({ collections: [makeCollection({ objects: 2000 })] }) });
    const texts = [1, 2, 3].map((seed) => JSON.stringify(simulateStorm({ ...input, seed }).servers));
    expect(new Set(texts).size).toBe(3);
  });

  it("bytes are kept: what the links sent is what clients got and what was thrown away", () => {
    let wasted = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const storm = new StormSimulation(randomStorm(seed));
      const { servers, totals, agents } = storm.run();
      const sent = servers.reduce(
        (sum, { bytesPerSecond, stepSeconds }) =>
          sum + stepSeconds * bytesPerSecond.reduce((all, rate) => all + rate, 0),
        0,
      );
      // Rates are rounded to whole bytes a second.
      const rounding = servers.reduce(
        (sum, { bytesPerSecond, stepSeconds }) => sum + stepSeconds * bytesPerSecond.length,
        0,
      );
      expect(Math.abs(sent - totals.receivedBytes - totals.wastedBytes)).toBeLessThanOrEqual(rounding + 1);
      expect(agents.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(totals.receivedBytes);
      wasted += totals.wastedBytes;
    }
    expect(wasted).toBeGreaterThan(0);
  });

  it("cores do no more than they can, and no less than the LISTs that ended took", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { servers, totals } = simulateStorm(randomStorm(seed));
      let busy = 0;
      for (const { busyCores, stepSeconds, cores } of servers) {
        for (const used of busyCores) expect(used).toBeLessThanOrEqual(cores + 1e-3);
        busy += stepSeconds * busyCores.reduce((sum, used) => sum + used, 0);
      }
      expect(busy).toBeGreaterThanOrEqual(0.999 * totals.usefulCpuSeconds - 0.1);
    }
  });

  it("series are as long as each other and reach to the end; rejections in them add up to the totals", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const result = simulateStorm(randomStorm(seed));
      let rejected = 0;
      for (const { levels, retries, bytesPerSecond, memoryBytes, busyCores, stepSeconds } of result.servers) {
        const lengths = [retries, bytesPerSecond, memoryBytes, busyCores].map(({ length }) => length);
        for (const one of levels) {
          lengths.push(one.limitSeats.length, one.executingSeats.length, one.waitingRequests.length);
          for (const series of Object.values(one.rejected)) {
            lengths.push(series.length);
            rejected += series.reduce((sum, count) => sum + count, 0);
          }
        }
        expect(new Set(lengths).size).toBe(1);
        expect((lengths[0] ?? 0) * stepSeconds).toBeGreaterThanOrEqual(
          result.drain.simulatedSeconds - stepSeconds,
        );
      }
      const neighbours = result.neighbours.reduce((sum, { rejectedAll }) => sum + rejectedAll, 0);
      expect(rejected).toBe(result.totals.rejectedAll + neighbours);
    }
  });

  it("is plain data: JSON gives it back as it is", () => {
    const result = simulateStorm(randomStorm(4));
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });
});
