import { describe, expect, test } from "vitest";
import { daemonSetRules } from "./daemonset-rules.ts";
import { formatNumber } from "./figure.ts";
import { boundDaemonSet, type DaemonSetState, decideDaemonSet, paceDaemonSet } from "./plan-daemonset.ts";
import { ASSUMED_DURATIONS } from "./pod-durations.ts";
import { startsInWindow } from "./starts-in-window.ts";
import { nodesFor } from "./test-nodes.ts";

function stateOf(runs: Parameters<typeof nodesFor>[0], fields: Partial<DaemonSetState> = {}): DaemonSetState {
  return {
    nodes: nodesFor(runs),
    strategy: "RollingUpdate",
    maxUnavailable: 1,
    maxSurge: 0,
    minReadySeconds: 0,
    rules: daemonSetRules("1.36.3"),
    ...fields,
  };
}

describe("what goes now, and why", () => {
  test("40 of 100 not available, maxUnavailable 1: the 40, and none of the others", () => {
    const now = decideDaemonSet(
      stateOf([
        [60, "o"],
        [40, "o-"],
      ]),
    );
    expect(now.rollingUpdate.deleted.count).toBe(40);
    expect(now.reasons).toEqual([
      "maxUnavailable 1.",
      "40 old pods are not available: all go now, outside maxUnavailable.",
      "Budget for available pods: 1 − 40 (old, not available), which leaves nothing; none of 60 available old pods goes.",
    ]);
  });

  test("row 4 with each term of the budget, and the regression without one of them", () => {
    const runs: Parameters<typeof nodesFor>[0] = [
      [90, "o"],
      [4, "o-"],
      [3, "n-"],
    ];
    expect(decideDaemonSet(stateOf(runs, { maxUnavailable: 10 })).reasons.at(-1)).toBe(
      "Budget for available pods: 10 − 3 (nodes that are empty, in excess, or whose new pod is not available) − 4 (old, not available) = 3; 3 of 90 available old pods go, which ones is chance.",
    );
    const regressed = decideDaemonSet(stateOf(runs, { maxUnavailable: 10, rules: daemonSetRules("1.30.4") }));
    expect(regressed.rollingUpdate.deleted.count).toBe(11);
    expect(regressed.reasons[0]).toContain("regression");
  });

  test("a percentage is resolved, and the cap of one sync is said", () => {
    expect(decideDaemonSet(stateOf([[4000, "o"]], { maxUnavailable: "10%" })).reasons).toEqual([
      "maxUnavailable 10% of 4,000 nodes, rounded up: 400.",
      "Budget for available pods: 400; 400 of 4,000 available old pods go, which ones is chance.",
      "One sync deletes at most 250: 250 go now, the others in the next ones.",
    ]);
  });

  test("OnDelete replaces nothing", () => {
    const now = decideDaemonSet(stateOf([[10, "o-"]], { strategy: "OnDelete" }));
    expect(now.rollingUpdate).toEqual({
      created: { count: 0, always: [], someOf: [] },
      deleted: { count: 0, always: [], someOf: [] },
    });
    expect(now.reasons).toEqual([expect.stringContaining("OnDelete")]);
  });

  test("what the core loop does comes first", () => {
    const now = decideDaemonSet(stateOf([[3, "o"], [2]], { maxUnavailable: 4 }));
    expect(now.isRollingUpdateLater).toBe(true);
    expect(now.reasons.slice(0, 2)).toEqual([
      "The core loop creates 2 pods on nodes that have none.",
      "The rolling update follows in the next sync, when these have been observed.",
    ]);
  });

  test("with surge new pods start beside old ones", () => {
    const reasons = decideDaemonSet(
      stateOf(
        [
          [6, "o"],
          [4, "o-"],
        ],
        { maxUnavailable: 0, maxSurge: 3 },
      ),
    ).reasons;
    expect(reasons).toEqual([
      "maxSurge 3.",
      "4 old pods are not available: a new one starts beside each now, outside maxSurge.",
      "Room for surge: 3; 3 of 6 available old pods get a new pod beside them, which ones is chance.",
    ]);
  });
});

describe("the pace", () => {
  const pace = { durations: ASSUMED_DURATIONS, newPods: { kind: "healthy" }, requestSeconds: 0.01 } as const;

  test("bounds: waves of one pod's way, and the controller's client", () => {
    expect(boundDaemonSet(stateOf([[100, "o"]], { maxUnavailable: 10 }), ASSUMED_DURATIONS)).toMatchObject({
      perPodSeconds: 34,
      inFlight: 10,
      wavesSeconds: 340,
      clientSeconds: 8.5,
    });
    const surge = stateOf([[100, "o"]], { maxUnavailable: 0, maxSurge: "5%", minReadySeconds: 30 });
    expect(boundDaemonSet(surge, ASSUMED_DURATIONS)).toMatchObject({
      perPodSeconds: 59,
      inFlight: 5,
      wavesSeconds: 1180,
    });
  });

  test("every figure has its reason, and the simulation lies above the bounds", () => {
    const state = stateOf([[100, "o"]], { maxUnavailable: 10 });
    const { outcome, figures } = paceDaemonSet(state, pace);
    expect(outcome.kind).toBe("complete");
    expect(outcome.seconds).toBeGreaterThan(340);
    for (const figure of figures) {
      expect(figure.reason).not.toBe("");
      expect(Number.isFinite(figure.value)).toBe(true);
    }
    expect(figures.map(({ name }) => name)).toContain("mean pace");
  });

  test("a broken new version: stands still, with what is left", () => {
    const { outcome, figures } = paceDaemonSet(stateOf([[10, "o"]]), {
      ...pace,
      newPods: { kind: "never-ready" },
    });
    expect(outcome).toMatchObject({ kind: "stalled", oldLeft: 9 });
    expect(figures.find(({ name }) => name === "stands still after")?.reason).toContain(
      "9 old pods are left",
    );
  });

  test("nodes that should run none are not counted, half-done ones go on from where they are", () => {
    const nodes = nodesFor([[2, "o", "n"], [1, "o-", "n-"], [1, "nf"], [1, "ot"], [1], [1, "o"]]);
    const misplaced = { ...(nodes[0] ?? nodesFor([[1]])[0]), shouldRun: false } as (typeof nodes)[number];
    const state = stateOf([], { nodes: [...nodes, misplaced], maxUnavailable: 0, maxSurge: 1 });
    expect(paceDaemonSet(state, pace).outcome).toMatchObject({ kind: "complete", oldLeft: 0 });
  });
});

test.each([
  [[], 10, 0],
  [[0, 5, 9, 10, 11], 10, 4],
  [[0, 10, 20], 10, 1],
  [[3, 3, 3], 1, 3],
])("of %j at most in any %i: %i", (ticks, window, most) => {
  expect(startsInWindow(ticks, window)).toBe(most);
});

test.each([
  [0, "0"],
  [1234567.89, "1,234,567.9"],
  [-12, "−12"],
  [498.5, "498.5"],
])("%d reads %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
