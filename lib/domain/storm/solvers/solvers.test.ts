import { describe, expect, it } from "vitest";
import { CONTROLLER_RATE } from "../../rollout/client-rate-limit.ts";
import { ASSUMED_DURATIONS } from "../../rollout/pod-durations.ts";
import { stormBands } from "../bands.ts";
import { simulateStorm } from "../simulate-storm.ts";
import type { StormAgent, StormInput } from "../storm-input.ts";
import {
  makeAgent,
  makeCluster,
  makeCollection,
  makeInformer,
  makeServer,
  makeStorm,
} from "../testing/make-storm.ts";
import { crossingOf, type NodeCount, nodeGrowth } from "./forecast-nodes.ts";
import { largestInvisible } from "./largest-invisible.ts";
import { rollNormally } from "./roll-normally.ts";
import { safePace } from "./safe-pace.ts";
import { inputAtNodes, inputAtShare } from "./scale-input.ts";
import { verdictChanges, verdictForecast } from "./verdict-forecast.ts";

/** 300 nodes with 10,000 pods: 300 copies are unsafe. */
const storm = (agent: Partial<StormAgent> = {}, over: Partial<StormInput> = {}): StormInput =>
  makeStorm({
    cluster: makeCluster({
      nodes: 300,
      servers: [makeServer({ cores: 12 })],
      collections: [makeCollection({ objects: 10_000 })],
    }),
    agents: [makeAgent({ replicas: 300, ...agent })],
    scenario: { kind: "start-all", windowSeconds: 2 },
    ...over,
  });

const verdictAt = (input: StormInput) => simulateStorm(input).verdict.verdict;

describe("the largest number that stays invisible", () => {
  it("by share: it is invisible there, and not at the next number", () => {
    const input = storm();
    const answer = largestInvisible(input, "share");
    expect(verdictAt(input)).toBe("unsafe");
    expect(answer.largest).toBeGreaterThan(1);
    expect(answer.largest).toBeLessThan(300);
    expect(verdictAt(inputAtShare(input, (answer.largest ?? 0) / 300))).toBe("invisible");
    expect(verdictAt(inputAtShare(input, (answer.next ?? 0) / 300))).not.toBe("invisible");
    expect([answer.isExact, (answer.next ?? 0) - (answer.largest ?? 0)]).toEqual([true, 1]);
    expect(answer.simulations).toBeLessThanOrEqual(24);
  });

  it("by nodes: collections and copies grow with them", () => {
    const input = storm();
    const answer = largestInvisible(input, "nodes");
    expect(answer.largest).toBeLessThan(300);
    expect(verdictAt(inputAtNodes(input, answer.largest ?? 0))).toBe("invisible");
    expect(verdictAt(inputAtNodes(input, answer.next ?? 0))).not.toBe("invisible");
  });

  it("is all of them where nothing is seen, and says so", () => {
    const answer = largestInvisible(storm({ replicas: 3 }), "share");
    expect(answer).toMatchObject({ largest: 3, share: 1, next: null, nextVerdict: null, isExact: true });
  });

  it("looks at no more nodes than it was told to", () => {
    const informers = [
      makeInformer({ scope: "own-node", fieldSelector: "spec.nodeName=$(NODE_NAME)", matchingObjects: 30 }),
    ];
    const answer = largestInvisible(storm({ informers }), "nodes", { mostNodes: 400 });
    expect([answer.largest, answer.next]).toEqual([400, null]);
  });

  it("is none where one copy is seen", () => {
    const heavy = storm(
      {},
      {
        cluster: makeCluster({
          nodes: 300,
          servers: [makeServer({ cores: 1, memoryBytes: 1e9 })],
          collections: [makeCollection({ objects: 200_000 })],
        }),
      },
    );
    expect(largestInvisible(heavy, "share")).toMatchObject({ largest: null, share: null, next: 1 });
  });

  it("keeps to its budget and says that the boundary lies between", () => {
    const answer = largestInvisible(storm(), "share", { budget: 4 });
    expect(answer.simulations).toBeLessThanOrEqual(4);
    expect(answer.isExact).toBe(false);
  });

  it("is the same twice, whatever the evidence", () => {
    expect(largestInvisible({ ...storm(), doubts: ["Old."] }, "share")).toEqual(
      largestInvisible(storm(), "share"),
    );
  });

  it("needs nodes to grow from", () => {
    const none = storm();
    expect(() => largestInvisible({ ...none, cluster: { ...none.cluster, nodes: 0 } }, "nodes")).toThrow(
      RangeError,
    );
  });
});

describe("growth with the nodes", () => {
  it("grows pods and copies in step, keeps what is not known to, and takes what was measured", () => {
    const input = storm(
      {},
      {
        cluster: makeCluster({
          nodes: 300,
          collections: [
            makeCollection({ objects: 10_000 }),
            makeCollection({ resource: "secrets", objects: 50 }),
          ],
        }),
      },
    );
    const grown = inputAtNodes(input, 600);
    expect(grown.cluster.collections.map(({ objects }) => objects)).toEqual([20_000, 50]);
    expect(grown.cluster.collections[0]?.storedBytes).toBe(100_000_000);
    expect(grown.agents[0]?.replicas).toBe(600);
    expect(inputAtNodes(input, 600, { secrets: 1 }).cluster.collections[1]?.objects).toBe(100);
    expect(inputAtNodes(storm({ kind: "Deployment", replicas: 3 }), 600).agents[0]?.replicas).toBe(3);
  });
});

describe("the safe pace", () => {
  const pace = { controller: CONTROLLER_RATE, durations: ASSUMED_DURATIONS, jitterRatio: 0.2 };
  const update = {
    kind: "rolling-update",
    ...pace,
    maxUnavailable: "100%",
    maxSurge: 0,
    minReadySeconds: 0,
    unavailable: 0,
  } as const;

  it("is what the API servers get through, and the next pace is seen", () => {
    const input = storm({ replicas: 3000 }, { scenario: update });
    const answer = safePace(input);
    // About one core-second each on twelve cores: some 700 a minute.
    expect(answer.podsPerMinute).toBeGreaterThan(200);
    expect(answer.podsPerMinute).toBeLessThan(1200);
    expect(answer.nextVerdict).not.toBe("invisible");
    expect(answer.secondsPerPod).toBe(34);
    expect(answer.maxUnavailable).toBe(Math.floor(((answer.podsPerMinute ?? 0) * 34) / 60));
  });

  it("says how fast the scenario is by itself, and whether that is within", () => {
    const paced = safePace(storm({}, { scenario: { ...update, maxUnavailable: 1 } }));
    expect(paced.scenarioPodsPerMinute).toBeLessThanOrEqual(3);
    expect(paced.isWithin).toBe(true);
    const all = safePace(storm());
    expect([all.scenarioPodsPerMinute, all.maxUnavailable]).toEqual([300, null]);
  });

  it("has no scenario pace where nobody starts", () => {
    const scenario = {
      kind: "api-server-loss",
      server: 0,
      noticedWithinSeconds: 1,
      resumedRatio: 0,
    } as const;
    const servers = [makeServer({ name: "api-0" }), makeServer({ name: "api-1" })];
    const input = storm({ replicas: 5 }, { scenario, cluster: makeCluster({ servers, nodes: 300 }) });
    expect(safePace(input, { budget: 6 })).toMatchObject({ scenarioPodsPerMinute: null, isWithin: null });
  });
});

const DAY = 86_400_000;
const daily = (counts: readonly number[]): NodeCount[] =>
  counts.map((nodes, day) => ({ at: day * DAY, nodes }));

describe("the forecast", () => {
  it("finds the slope through an outlier and dates the crossing", () => {
    const counts = Array.from({ length: 28 }, (_, day) => 427 + 3.4 * day + (day % 3));
    counts[10] = 5000;
    const growth = nodeGrowth(daily(counts));
    expect(growth?.nodesPerDay).toBeCloseTo(3.4, 1);
    if (growth === null) throw new Error("There is a slope.");
    const { at, earliestAt, latestAt } = crossingOf(growth, 598);
    expect(at).toBeGreaterThan(27 * DAY + 18 * DAY);
    expect(at).toBeLessThan(27 * DAY + 28 * DAY);
    expect(earliestAt).toBeLessThanOrEqual(at ?? 0);
    expect(latestAt).toBeGreaterThanOrEqual(at ?? 0);
  });

  it("never comes where nodes do not grow, and may not come where the band holds none", () => {
    const flat = nodeGrowth(daily(new Array<number>(20).fill(100)));
    expect(flat === null ? null : crossingOf(flat, 200)).toEqual({
      nodes: 200,
      at: null,
      earliestAt: null,
      latestAt: null,
      isPassed: false,
    });
    const noisy = nodeGrowth(daily([100, 140, 90, 150, 95, 145, 99, 152, 93, 149]));
    expect(noisy === null ? "none" : crossingOf(noisy, 400).latestAt).toBeNull();
    expect(flat !== null && crossingOf(flat, 50).isPassed).toBe(true);
  });

  it("is none of too few points, of too short a time, or of the same instant", () => {
    expect(nodeGrowth(daily([1, 2, 3, 4]))).toBeNull();
    expect(nodeGrowth([0, 1, 2, 3, 4, 5].map((hour) => ({ at: hour * 3_600_000, nodes: hour })))).toBeNull();
    expect(nodeGrowth(new Array<NodeCount>(9).fill({ at: 5, nodes: 3 }))).toBeNull();
    expect(nodeGrowth(daily([1, Number.NaN, 3, 4, 5]))).toBeNull();
  });

  it("dates a change of the verdict, with a band over seeds and slopes", () => {
    const small = storm(
      { replicas: 20 },
      {
        cluster: makeCluster({
          nodes: 20,
          servers: [makeServer({ cores: 12 })],
          collections: [makeCollection({ objects: 700 })],
        }),
      },
    );
    const options = { seeds: [1, 2], budget: 12 };
    const { changes, verdict } = verdictChanges(small, options);
    expect(verdict).toBe("invisible");
    expect(changes[0]?.from).toBe("invisible");
    const nodes = changes[0]?.nodes;
    expect(nodes?.seeds).toBeGreaterThan(0);
    expect(nodes?.p50).toBeGreaterThan(20);
    const forecast = verdictForecast(small, daily([10, 12, 14, 16, 18, 20]), options);
    expect(forecast.growth?.nodesPerDay).toBe(2);
    expect(forecast.changes[0]?.crossing?.at).toBeCloseTo((5 + ((nodes?.p50 ?? 0) - 20) / 2) * DAY, -3);
    expect(verdictForecast(small, [], options).changes[0]?.crossing).toBeNull();
  });
});

describe("the one line for small clusters", () => {
  it("says to roll normally with the thresholds, and nothing where anything is seen", () => {
    expect(rollNormally(stormBands(storm({ replicas: 2 }), [1, 2]))).toMatch(
      /^Roll normally: nobody is rejected, neighbours wait .* \(limit 1 s\), its own requests .* \(limit 3 s\)\.$/,
    );
    expect(rollNormally(stormBands(storm(), [1]))).toBeNull();
    expect(rollNormally(stormBands({ ...storm({ replicas: 2 }), doubts: ["Old."] }, [1]))).toBeNull();
    expect(rollNormally(stormBands(storm(), []))).toBeNull();
  });
});
