import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCoreLoopChanges } from "./core-loop.ts";
import type { DaemonNode } from "./daemonset-node.ts";
import { daemonSetRules } from "./daemonset-rules.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import { nodeFromCodes } from "./pod-code.ts";
import { findRollingUpdateChanges } from "./rolling-update.ts";
import { nodesFor } from "./test-nodes.ts";

const NEW = daemonSetRules("1.36.3");
const REGRESSED = daemonSetRules("1.30.4");

function step(
  nodes: readonly DaemonNode[],
  { m = 0, s = 0, rules = NEW }: { m?: IntOrPercent; s?: IntOrPercent; rules?: typeof NEW },
) {
  return findRollingUpdateChanges({ nodes, maxUnavailable: m, maxSurge: s, minReadySeconds: 0, rules });
}

describe("the first sync of a replacement without surge: the worked examples", () => {
  test.each([
    { row: 1, a: 100, k: 0, x: 0, m: 1, deleted: 1, regressed: 1 },
    { row: 2, a: 60, k: 40, x: 0, m: 1, deleted: 40, regressed: 41 },
    { row: 3, a: 95, k: 5, x: 0, m: 10, deleted: 10, regressed: 15 },
    { row: 4, a: 90, k: 4, x: 3, m: 10, deleted: 7, regressed: 11 },
    { row: 5, a: 0, k: 10, x: 0, m: 1, deleted: 10, regressed: 10 },
    { row: 6, a: 500, k: 0, x: 0, m: "10%", deleted: 50, regressed: 50 },
    { row: 7, a: 7, k: 0, x: 0, m: "25%", deleted: 2, regressed: 2 },
    { row: 8, a: 0, k: 600, x: 0, m: 1, deleted: 250, regressed: 250 },
    { row: 9, a: 5, k: 0, x: 1, m: 1, deleted: 0, regressed: 0 },
    { row: 10, a: 4000, k: 0, x: 0, m: "10%", deleted: 250, regressed: 250 },
  ])("row $row: a=$a k=$k x=$x m=$m deletes $deleted", ({ a, k, x, m, deleted, regressed }) => {
    const nodes = nodesFor([
      [a, "o"],
      [k, "o-"],
      [x, "n-"],
    ]);
    expect(step(nodes, { m }).changes.deleted.count).toBe(deleted);
    expect(step(nodes, { m, rules: REGRESSED }).changes.deleted.count).toBe(regressed);
  });

  test("row 10, next sync: seeing 250 empty nodes it takes 150", () => {
    const { changes } = step(nodesFor([[3750, "o"], [250]]), { m: "10%" });
    expect(changes.deleted.count).toBe(150);
  });

  test("row 8, later syncs: 250, then 100", () => {
    const firstSyncWhen = (gone: number) =>
      step(nodesFor([[600 - gone, "o-"], [gone]]), { m: 1 }).changes.deleted.count;
    expect([0, 250, 500].map(firstSyncWhen)).toEqual([250, 250, 100]);
  });

  test("row 2: the 40 must go, and none of the available may", () => {
    const { deleted } = step(
      nodesFor([
        [60, "o"],
        [40, "o-"],
      ]),
      { m: 1 },
    ).changes;
    expect(deleted.always).toHaveLength(40);
    expect(deleted.someOf).toEqual([]);
  });
});

describe("with surge", () => {
  test("a=10, k=0, s=3 creates 3 beside old pods", () => {
    expect(step(nodesFor([[10, "o"]]), { s: 3 }).changes.created).toMatchObject({ count: 3, always: [] });
  });

  test("a=6, k=4, s=3 creates 7: the four unavailable are not counted", () => {
    const { created } = step(
      nodesFor([
        [6, "o"],
        [4, "o-"],
      ]),
      { s: 3 },
    ).changes;
    expect(created).toMatchObject({ count: 7, always: ["n6", "n7", "n8", "n9"] });
    expect(created.someOf).toHaveLength(6);
  });

  test("an available pod that does not belong where it is stays until enough others are available", () => {
    const misplaced = { ...nodeOf("m", ["o"]), shouldRun: false };
    const { changes } = step([misplaced, ...nodesFor([[2, "n-"]])], { s: 1 });
    expect(changes.deleted.count).toBe(0);
    expect(step([misplaced, ...nodesFor([[2, "n"]])], { s: 1 }).changes.deleted.always).toEqual(["m-o-n0"]);
  });
});

describe("the core loop", () => {
  const changes = (nodes: readonly DaemonNode[], isSurging = false, nodesInBackOff = new Set<string>()) => {
    const { created, deleted } = findCoreLoopChanges({
      nodes,
      isSurging,
      availability: { ...NEW, minReadySeconds: 0 },
      nodesInBackOff,
    });
    return [created.always, deleted.always];
  };

  test("a node whose only pod is terminating is filled when the object is gone; at once with surge", () => {
    expect(changes(nodesFor([[1, "ot"]]))).toEqual([[], []]);
    expect(changes(nodesFor([[1, "ot"]]), true)).toEqual([["n0"], []]);
    expect(changes(nodesFor([[1, "oft"]]))).toEqual([["n0"], []]);
  });

  test("a failed pod stays while its node is in back-off", () => {
    expect(changes(nodesFor([[1, "nf"]]))).toEqual([[], ["n0-nf-n0"]]);
    expect(changes(nodesFor([[1, "nf"]]), false, new Set(["n0"]))).toEqual([[], []]);
  });

  test("under a NoSchedule taint a pod may stay, and none starts", () => {
    const tainted = { ...nodeOf("t", ["o"]), shouldRun: false, shouldContinueRunning: true };
    expect(changes([tainted, { ...tainted, pods: [] }])).toEqual([[], []]);
    expect(changes([{ ...tainted, shouldContinueRunning: false }])).toEqual([[], ["t-o-n0"]]);
  });
});

const codes = fc.array(
  fc.constantFrom("o", "o-", "oy", "ot", "of", "os", "op", "n", "n-", "ny", "nt", "nf"),
  {
    maxLength: 3,
  },
);
const cluster = fc.array(fc.tuple(codes, fc.boolean()), { maxLength: 40 });
const limit = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 100 }).map((p) => `${p}%`),
);

describe("properties over seeded states", () => {
  const build = (pairs: readonly (readonly [string[], boolean])[]) =>
    pairs.map(([list, isMatching], index) => ({ ...nodeOf(`n${index}`, list), shouldRun: isMatching }));
  const check = (property: (nodes: readonly DaemonNode[], m: IntOrPercent, isOld: boolean) => void) =>
    fc.assert(
      fc.property(cluster, limit, fc.boolean(), (pairs, m, isOld) => property(build(pairs), m, isOld)),
      { seed: 4, numRuns: 500 },
    );

  test("available pods go within the budget only, unavailable ones always, and never more than 250", () => {
    check((nodes, m, isOld) => {
      const { changes, tally } = step(nodes, { m, rules: isOld ? REGRESSED : NEW });
      const taken = changes.deleted.count - tally.oldUnavailable;
      expect(taken).toBe(Math.min(tally.oldAvailable, tally.budget));
      expect(changes.created.count).toBe(0);
      expect(changes.deleted.count).toBeLessThanOrEqual(250);
    });
  });

  test("the regression never deletes fewer, and the same where every old pod is available", () => {
    check((nodes, m) => {
      const now = step(nodes, { m });
      const before = step(nodes, { m, rules: REGRESSED });
      expect(before.changes.deleted.count).toBeGreaterThanOrEqual(now.changes.deleted.count);
      if (now.tally.oldUnavailable === 0) expect(before).toEqual(now);
    });
  });

  test("with surge no node gets a second new pod, and at most maxSurge start beside available pods", () => {
    check((nodes, s) => {
      const { changes, tally } = step(nodes, { s });
      expect(
        changes.created.count - tally.oldUnavailable + Math.min(tally.surging, tally.maxSurge),
      ).toBeLessThanOrEqual(tally.maxSurge);
      const withNew = new Set(
        nodes
          .filter(({ pods }) => pods.some((pod) => pod.isUpdated && !pod.isTerminating))
          .map(({ name }) => name),
      );
      for (const name of [...changes.created.always, ...changes.created.someOf]) {
        expect(withNew.has(name)).toBe(false);
      }
    });
  });

  test("the order of nodes plays no role for how many go", () => {
    check((nodes, m) => {
      const reversed = step(nodes.toReversed(), { m });
      expect(reversed.tally).toEqual(step(nodes, { m }).tally);
    });
  });
});

function nodeOf(name: string, list: readonly string[]): DaemonNode {
  const node = nodeFromCodes(name, list, true);
  if ("wrongCode" in node) throw new Error(`${node.wrongCode} is no code of a pod`);
  return node;
}
