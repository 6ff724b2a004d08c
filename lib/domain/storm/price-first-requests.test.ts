import { describe, expect, it } from "vitest";
import { applyCollapseRule } from "./collapse-rule.ts";
import { priceFirstRequests } from "./price-first-requests.ts";
import { simulateStorm } from "./simulate-storm.ts";
import { makeAgent, makeClient, makeCluster, makeInformer, makeStorm } from "./testing/make-storm.ts";

describe("what copies ask for first", () => {
  it("is a LIST of ten seats in workload-low, which has 56 seats idle and 368 when it alone asks", () => {
    expect(priceFirstRequests(makeStorm())).toEqual([
      {
        agentId: "daemonset/observability/node-telemetry",
        apiGroup: "",
        resource: "pods",
        verb: "list",
        priorityLevelName: "workload-low",
        flowSchemaName: "service-accounts",
        flowDistinguisher: "system:serviceaccount:observability:node-telemetry",
        seats: 10,
        cpuSeconds: expect.closeTo(1.7803, 4),
        wireBytes: 100_000_000,
        pages: 1,
        nominalSeats: 245,
        idleSeats: 56,
        borrowedSeats: 368,
      },
    ]);
  });

  it("foresees the collapse that the simulation then shows", () => {
    const input = makeStorm({ patienceSeconds: 90 });
    const [first] = priceFirstRequests(input);
    const rule = applyCollapseRule({
      limitSeats: first?.borrowedSeats ?? 0,
      seatsPerList: first?.seats ?? 1,
      cpuSecondsPerList: first?.cpuSeconds ?? 0,
      cores: 1,
      deadlineSeconds: 60,
    });
    const { collapse, drain } = simulateStorm(input);
    expect(rule.isPredicted).toBe(true);
    expect(collapse[0]).toMatchObject({ limitSeats: 368, isPredicted: true });
    expect(drain.outcome).toBe("collapse");
  });

  it("is what the client sends: a watch-list, pages, a flow for each node", () => {
    const informers = [
      makeInformer({ watchList: true }),
      makeInformer({ resourceVersion: "", pageSize: 1000 }),
      makeInformer({ mode: "watch" }),
    ];
    const prices = priceFirstRequests(
      makeStorm({
        agents: [
          makeAgent({
            informers,
            userName: "system:node:*",
            userGroups: ["system:nodes", "system:authenticated"],
            client: makeClient({ clientGoVersion: "0.35" }),
          }),
        ],
      }),
    );
    expect(prices.map(({ verb, pages, seats }) => [verb, pages, seats])).toEqual([
      ["watch-list", 1, 10],
      ["list", 20, 10],
      ["watch", 1, 1],
    ]);
    expect(prices[0]).toMatchObject({ priorityLevelName: "system", flowDistinguisher: null });
  });

  it("is nothing for an agent that reads nothing, and refused for a storm that is none", () => {
    expect(priceFirstRequests(makeStorm({ agents: [makeAgent({ informers: [] })] }))).toEqual([]);
    const cluster = makeCluster({ servers: [] });
    expect(() => priceFirstRequests(makeStorm({ cluster }))).toThrow(RangeError);
  });
});

describe("the service times that a result rests on", () => {
  it("are named with their error, where they are from, and when they were measured", () => {
    const { coefficients } = simulateStorm(makeStorm({ agents: [makeAgent({ replicas: 1 })] }));
    expect(coefficients).toEqual([
      {
        resource: "pods",
        representation: "protobuf",
        secondsPerList: expect.closeTo(1.7803, 4),
        errorRatio: 0.22,
        provenance: "default: measured on kube-apiserver 1.34.4 with pods",
        calibratedAt: null,
      },
    ]);
  });
});
