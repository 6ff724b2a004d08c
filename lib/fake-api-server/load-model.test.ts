import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { constant } from "./curve.ts";
import { executingSeatsOf } from "./figures.ts";
import { type ClusterLoad, type FlowLoad, figuresOf, splitWhole } from "./load-model.ts";
import { shape } from "./shapes.ts";
import { NOW } from "./test-support.ts";

describe("splitWhole", () => {
  it("gives whole parts that add up, none of them negative", () => {
    fc.assert(
      fc.property(
        fc.nat(5000),
        fc.array(fc.double({ min: 0.01, max: 50, noNaN: true }), { minLength: 1 }),
        (total, weights) => {
          const parts = splitWhole(total, weights);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
          expect(parts.every((part) => Number.isInteger(part) && part >= 0)).toBe(true);
        },
      ),
    );
  });
});

function flow(requests: number, seatsEach: number, name: string): FlowLoad {
  return {
    flowSchemaName: "service-accounts",
    flowDistinguisher: name,
    userName: name,
    shape: shape("list", "pods"),
    seatsEach,
    executionSeconds: 1,
    requestsAt: () => requests,
    dispatchedAtOnce: () => constant(2),
    dispatchedLate: () => null,
    rejected: () => ({ "queue-full": constant(0.5) }),
  };
}

function load(
  level: { type: "Exempt" | "Limited"; queues: number },
  flows: readonly FlowLoad[],
): ClusterLoad {
  const levels = [
    {
      name: "busy",
      nominalConcurrencyShares: 10,
      lendablePercent: 0,
      borrowingLimitPercent: 0,
      handSize: 4,
      ...level,
    },
    {
      name: "idle",
      type: "Limited" as const,
      nominalConcurrencyShares: 50,
      lendablePercent: 0,
      borrowingLimitPercent: null,
      queues: 0,
      handSize: 0,
    },
  ];
  const seats = flows.reduce((sum, one) => sum + one.requestsAt(0, NOW) * one.seatsEach, 0);
  return {
    minor: 34,
    serverConcurrencyLimit: 60,
    levels,
    loads: { busy: { flows, seatsAskedAt: () => seats } },
    startedAt: () => NOW - 100_000,
    cpuCores: () => constant(1),
    residentMemoryBytes: () => 1e9,
    storageBytes: () => 1e8,
    watchesAt: () => [],
  };
}

const busy = (cluster: ClusterLoad) => {
  const found = figuresOf(cluster, 0, NOW).levels.find(({ name }) => name === "busy");
  if (!found) throw new Error("no level");
  return found;
};

describe("who executes in a level of 10 seats", () => {
  const queued = { type: "Limited", queues: 16 } as const;
  it.each([
    ["all, where they fit", [flow(4, 1, "a"), flow(3, 2, "b")], [4, 3], [0, 0]],
    ["as many narrow ones as fit", [flow(30, 1, "a")], [10], [20]],
    [
      "wide ones up to the last seat but one, and one narrow",
      [flow(9, 1, "a"), flow(5, 4, "b")],
      [1, 2],
      [8, 3],
    ],
  ] satisfies [string, FlowLoad[], number[], number[]][])("%s", (_title, flows, executing, waiting) => {
    const level = busy(load(queued, flows));
    expect(level.flows.map((one) => one.executingRequests)).toEqual(executing);
    expect(level.flows.map((one) => one.waitingRequests)).toEqual(waiting);
    expect(executingSeatsOf(level)).toBeLessThanOrEqual(level.currentLimitSeats);
  });

  it("nothing waits where a level rejects, and everything executes where it is exempt", () => {
    const rejecting = busy(load({ type: "Limited", queues: 0 }, [flow(30, 1, "a")]));
    expect(rejecting.flows[0]).toMatchObject({ executingRequests: 10, waitingRequests: 0 });
    const exempt = busy(load({ type: "Exempt", queues: 0 }, [flow(30, 1, "a")]));
    expect(exempt.flows[0]).toMatchObject({ executingRequests: 30, waitingRequests: 0 });
  });

  it("counts from the start of the process", () => {
    const [only] = busy(load(queued, [flow(1, 1, "a")])).flows;
    expect(only).toMatchObject({ dispatchedTotal: 200, rejectedTotals: { "queue-full": 50 } });
  });
});
