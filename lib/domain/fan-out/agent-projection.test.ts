import { describe, expect, test } from "vitest";
import { AGENT_CATALOGUE } from "../agents/catalogue/catalogue.ts";
import { joinSeeds, type ProjectedStorm, prepareAgent, projectSeed } from "./agent-projection.ts";
import { curveNodes, findCrossing, joinCurve, simulateAtNodes } from "./drain-curve.ts";
import { assessFanOut, summariseFanOut } from "./fan-out-summary.ts";
import { type FanOut, openFanOut } from "./open-fan-out.ts";
import { projectAgents } from "./project-cluster.ts";
import { inventoryOf, NOW, type PartsOptions, partsOf, workloadOf } from "./testing/parts.ts";

function open(annotation: string, copies: number, options: PartsOptions = {}): FanOut {
  const workload = workloadOf({ name: "agent", desiredReplicas: copies, informersAnnotation: annotation });
  const parts = partsOf({ inventory: inventoryOf([workload]), ...options });
  const fanOut = openFanOut({ clusterName: "c", labels: {}, parts, catalogue: AGENT_CATALOGUE, now: NOW });
  if (fanOut === null) throw new Error("no fan-out");
  return fanOut;
}

const ID = "daemonset/observability/agent";

function prepare(fanOut: FanOut) {
  const agent = fanOut.agents.find(({ id }) => id === ID);
  const cost = fanOut.costs.get(ID);
  if (agent === undefined || cost === undefined) throw new Error("no agent");
  return prepareAgent({ agent, cost, facts: fanOut.facts, clusterDoubts: fanOut.doubts, now: NOW });
}

const settledOf = (fanOut: FanOut) => {
  const prepared = prepare(fanOut);
  return prepared.kind === "settled" ? prepared.projection : null;
};

describe("what needs no simulation", () => {
  test("an agent whose seats all fit the idle limit of one server is invisible", () => {
    const projection = settledOf(open("services protobuf; client client-go/0.34.1", 5));
    expect(projection?.verdict).toBe("invisible");
    expect(projection?.skipped).toMatch(
      /^Not simulated: all its 5 seats fit the \d+ idle seats of workload-low/,
    );
  });

  test("one that reads nothing is invisible", () => {
    expect(settledOf(open("none", 2000))).toMatchObject({
      verdict: "invisible",
      seeds: 0,
      drainSeconds: null,
    });
  });

  test("one of which nothing is known is inconclusive", () => {
    const workload = workloadOf({ name: "agent", informersAnnotation: null });
    const parts = partsOf({ inventory: inventoryOf([workload], null) });
    const fanOut = openFanOut({ clusterName: "c", labels: {}, parts, catalogue: [], now: NOW });
    if (fanOut === null) throw new Error("no fan-out");
    expect(settledOf(fanOut)).toMatchObject({ verdict: "inconclusive", simulated: null });
  });

  test("with doubts about the cluster even a small one is simulated, and inconclusive", () => {
    const fanOut = open("services protobuf; client client-go/0.34.1", 5, { sizesAt: NOW - 9_000_000 });
    const prepared = prepare(fanOut);
    if (prepared.kind !== "storm") throw new Error("settled");
    expect(joinSeeds(ID, [projectSeed(prepared.input, 1)])).toMatchObject({
      verdict: "inconclusive",
      simulated: "invisible",
    });
  });
});

describe("over seeds", () => {
  const storm = (
    verdict: ProjectedStorm["verdict"]["verdict"],
    drainSeconds: number | null,
  ): ProjectedStorm => ({
    verdict: {
      verdict,
      simulated: verdict === "inconclusive" ? "unsafe" : verdict,
      reasons: verdict === "invisible" ? [] : [{ reason: "drain", verdict, text: `${drainSeconds}` }],
    },
    outcome: drainSeconds === null ? "collapse" : "drained",
    drainSeconds,
    rejected: 3,
    neighbourWaitSeconds: null,
    ownWaitSeconds: 1,
    linkRatio: null,
    assumptions: [],
  });

  test("the worst seed decides the verdict and gives the reasons; bands are of those that drain", () => {
    const joined = joinSeeds("a", [storm("visible", 10), storm("unsafe", null), storm("visible", 20)]);
    expect(joined).toMatchObject({
      verdict: "unsafe",
      undrained: 1,
      collapsed: 1,
      seeds: 3,
      neighbourWaitSeconds: null,
    });
    expect(joined.drainSeconds).toMatchObject({ p50: 15, seeds: 2 });
    expect(joined.reasons.map(({ verdict }) => verdict)).toEqual(["unsafe"]);
  });

  test("every agent has a seed where there is no time, and all where there is", () => {
    const fanOut = open("pods@node protobuf; client client-go/0.34.1", 20);
    const short = projectAgents({ fanOut, seeds: [1, 2, 3], now: NOW, hasTime: () => false });
    const long = projectAgents({ fanOut, seeds: [1, 2], now: NOW, hasTime: () => true });
    expect(short.find(({ agentId }) => agentId === ID)?.seeds).toBe(1);
    expect(long.find(({ agentId }) => agentId === ID)?.seeds).toBe(2);
    expect(short.map(({ agentId }) => agentId)).toEqual(fanOut.agents.map(({ id }) => id));
  });
});

describe("what a cluster comes to", () => {
  const summary = (verdict: "unsafe" | "visible" | "inconclusive" | "invisible", simulated = verdict) => ({
    at: NOW,
    nodes: 10,
    agents: [
      {
        id: "a",
        title: "a",
        version: null,
        verdict,
        simulated,
        copies: 1,
        drainSeconds: 1,
        undrained: 0,
        bytes: 1,
        seats: 1,
      },
    ],
  });

  test.each([
    [null, "unknown", 0],
    [summary("unsafe"), "error", 1],
    [summary("visible"), "warning", 1],
    [summary("inconclusive", "unsafe"), "unknown", 1],
    [summary("inconclusive", "invisible"), "ok", 0],
    [summary("invisible"), "ok", 0],
  ] as const)("%j is %s", (input, severity, findings) => {
    expect(assessFanOut(input)).toMatchObject({ severity, findings });
  });

  test("the worst stands first: what never drains before what drains, then bytes", () => {
    const fanOut = open("pods protobuf; client client-go/0.34.1", 3);
    const projections = projectAgents({ fanOut, seeds: [1], now: NOW, hasTime: () => true });
    const made = summariseFanOut({
      at: NOW,
      nodes: fanOut.facts.nodes,
      agents: fanOut.agents,
      costs: fanOut.costs,
      projections: new Map(projections.map((each) => [each.agentId, each])),
    });
    expect(made.agents).toHaveLength(fanOut.agents.length);
    expect(made.agents.find(({ id }) => id === ID)?.seats).toBe(30);
  });
});

describe("drain time by nodes", () => {
  test("the present number of nodes is a point; small clusters are looked at further out", () => {
    expect(curveNodes(2000)).toContain(2000);
    expect(Math.max(...curveNodes(2000))).toBe(2800);
    expect(Math.max(...curveNodes(44))).toBe(440);
    expect(curveNodes(null)).toEqual([]);
    expect(curveNodes(0)).toEqual([]);
  });

  test("more nodes take longer, seed for seed the same each time", () => {
    const { agents, facts } = open("pods protobuf; client client-go/0.34.1", 2000);
    const agent = agents.find(({ id }) => id === ID);
    if (agent === undefined) throw new Error("no agent");
    const at = (nodes: number) =>
      simulateAtNodes({ agent, facts, nodes, seed: 1, now: NOW })?.drainSeconds ?? 0;
    expect(at(50)).toBeLessThan(at(300));
    expect(at(50)).toBe(at(50));
  });

  const curve = (values: readonly (readonly [number, number | null])[]) =>
    joinCurve(values.map(([nodes, drainSeconds]) => ({ nodes, drainSeconds, seed: 1 })));

  test.each([
    [
      "between two points",
      [
        [100, 5],
        [1000, 45],
      ],
      { kind: "at" },
    ],
    [
      "nowhere",
      [
        [100, 5],
        [1000, 9],
      ],
      { kind: "never" },
    ],
    [
      "before the first",
      [
        [100, 20],
        [1000, 45],
      ],
      { kind: "always" },
    ],
    [
      "by not draining",
      [
        [100, 5],
        [1000, null],
      ],
      { kind: "stops-draining", nodes: 1000, drainsAt: 100 },
    ],
  ] as const)("a limit is passed %s", (_title, values, expected) => {
    expect(findCrossing(curve(values), 15)).toMatchObject(expected);
  });

  test("the crossing lies on the line between logarithms", () => {
    const crossing = findCrossing(
      curve([
        [100, 5],
        [900, 45],
      ]),
      15,
    );
    expect(crossing.kind === "at" ? crossing.nodes : 0).toBeCloseTo(300, 6);
  });
});
