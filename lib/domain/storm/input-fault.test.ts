import { describe, expect, it } from "vitest";
import { DEFAULT_STORM_MODEL } from "./default-model.ts";
import { findInputFault } from "./input-fault.ts";
import { simulateStorm } from "./simulate-storm.ts";
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

const server = (overrides: Parameters<typeof makeServer>[0]): Partial<StormInput> => ({
  cluster: makeCluster({ servers: [makeServer(overrides)] }),
});
const agent = (overrides: Parameters<typeof makeAgent>[0]): Partial<StormInput> => ({
  agents: [makeAgent(overrides)],
});
const scenario = (of: object): Partial<StormInput> => ({ scenario: of as StormScenario });

describe("inputs that cannot be simulated", () => {
  const CASES: readonly (readonly [Partial<StormInput>, RegExp])[] = [
    [{ seed: 1.5 }, /^seed /],
    [{ agents: [] }, /agents is empty/],
    [{ patienceSeconds: 0 }, /^patienceSeconds/],
    [{ stepSeconds: 0 }, /^stepSeconds/],
    [agent({ replicas: -1 }), /replicas/],
    [agent({ replicas: 2_000_000 }), /can be simulated/],
    [agent({ startJitterSeconds: Number.NaN }), /startJitterSeconds/],
    [agent({ client: makeClient({ qps: 0 }) }), /qps/],
    [agent({ client: makeClient({ maxRetries: -1 }) }), /maxRetries/],
    [agent({ informers: [makeInformer({ mode: "poll" })] }), /periodSeconds/],
    [agent({ informers: [makeInformer({ pageSize: -1 })] }), /pageSize/],
    [agent({ informers: [makeInformer({ matchingObjects: -1 })] }), /matchingObjects/],
    [{ cluster: makeCluster({ servers: [] }) }, /cluster\.servers is empty/],
    [server({ cores: 0 }), /^api-0: cores/],
    [server({ linkBytesPerSecond: 0 }), /linkBytesPerSecond/],
    [server({ memoryBytes: -1 }), /memoryBytes/],
    [server({ totalConcurrencySeats: 0 }), /totalConcurrencySeats/],
    [server({ clientWeight: 0 }), /connect nowhere/],
    [{ cluster: makeCluster({ collections: [makeCollection({ objects: 1.5 })] }) }, /^pods: objects/],
    [
      { cluster: makeCluster({ collections: [makeCollection({ storedBytes: -1 })] }) },
      /^pods: counts and sizes/,
    ],
    [{ cluster: makeCluster({ requestTimeoutSeconds: 0 }) }, /requestTimeoutSeconds/],
    [scenario({ kind: "start-all", windowSeconds: -1 }), /windowSeconds/],
    [scenario({ kind: "batches", batchSize: 0, intervalSeconds: 1 }), /batchSize/],
    [scenario({ kind: "node-scale-out", addedNodes: 10, nodesPerMinute: 0 }), /pace/],
    [scenario({ kind: "api-server-loss", server: 3, noticedWithinSeconds: 1, resumedRatio: 0 }), /index/],
    [scenario({ kind: "api-server-restart", servers: [7], downSeconds: 1, resumedRatio: 0 }), /indexes/],
    [scenario({ kind: "start-all", windowSeconds: 1e9 }), /windowSeconds/],
    [scenario({ kind: "batches", batchSize: 1, intervalSeconds: 1e5 }), /a week/],
    [
      scenario({ kind: "first-rollout", controller: { qps: 0, burst: 1 }, durations: {}, jitterRatio: 0 }),
      /controller/,
    ],
    [
      scenario({
        kind: "crash-recovery",
        initialSeconds: 0.001,
        capSeconds: 1,
        runSeconds: 0,
        crashedSeconds: 1,
        spreadSeconds: 0,
      }),
      /back-off of 1 s/,
    ],
    [{ cluster: makeCluster({ collections: [makeCollection(), makeCollection()] }) }, /^pods is there twice/],
    [{ model: { ...DEFAULT_STORM_MODEL, service: [] } }, /no coefficients/],
    [{ model: { ...DEFAULT_STORM_MODEL, watchSeconds: Number.NaN } }, /no number/],
    [scenario({ kind: "weather" }), /scenario\.kind must be one of start-all/],
  ];
  it.each(CASES)("%#: says which field and why", (overrides, fault) => {
    const input = makeStorm(overrides);
    expect(findInputFault(input)).toMatch(fault);
    expect(() => simulateStorm(input)).toThrow(RangeError);
  });

  it("none is found in a good one", () => {
    expect(findInputFault(makeStorm())).toBeNull();
  });
});
