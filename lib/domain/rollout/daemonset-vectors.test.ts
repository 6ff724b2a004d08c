import { describe, expect, test } from "vitest";
import { judgeStep, type RecordedStep } from "../../vectors/judge-daemonset.ts";
import { readVectors } from "../../vectors/read-vectors.ts";
import { findCoreLoopChanges } from "./core-loop.ts";
import type { DaemonNode } from "./daemonset-node.ts";
import { daemonSetRules } from "./daemonset-rules.ts";
import { isZero } from "./int-or-percent.ts";
import { nodeFromCodes } from "./pod-code.ts";
import { findRollingUpdateChanges } from "./rolling-update.ts";

type NodeCodes = readonly [readonly string[], boolean];
interface Vector {
  readonly id: string;
  readonly versions: readonly string[];
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly minReadySeconds: number;
  readonly nodes: readonly NodeCodes[] | { readonly runs: readonly (readonly [number, ...NodeCodes])[] };
  readonly manage: RecordedStep;
  readonly rollingUpdate: RecordedStep;
}

const { vectors } = readVectors<Vector>("daemonset-rolling-update.json");

function nodesOf({ nodes }: Vector): readonly DaemonNode[] {
  const each =
    "runs" in nodes
      ? nodes.runs.flatMap(([count, codes, isMatching]) =>
          Array.from({ length: count }, (): NodeCodes => [codes, isMatching]),
        )
      : nodes;
  return each.map(([codes, isMatching], index) => {
    const node = nodeFromCodes(`n${index}`, codes, isMatching);
    if ("wrongCode" in node) throw new Error(`${node.wrongCode} is no code`);
    return node;
  });
}

describe("what the real controller did on recorded states", () => {
  test("all 292 states, in each version that they hold for", () => {
    const wrong: string[] = [];
    let answered = 0;
    for (const vector of vectors) {
      const nodes = nodesOf(vector);
      for (const version of vector.versions) {
        const rules = daemonSetRules(version);
        const availability = { ...rules, minReadySeconds: vector.minReadySeconds };
        const manage = findCoreLoopChanges({ nodes, isSurging: !isZero(vector.maxSurge), availability });
        const { changes } = findRollingUpdateChanges({ ...vector, nodes, rules });
        wrong.push(
          ...judgeStep(`${vector.id} ${version} manage`, manage, vector.manage),
          ...judgeStep(`${vector.id} ${version} rollingUpdate`, changes, vector.rollingUpdate),
        );
        answered++;
      }
    }
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(292);
    expect(answered).toBe(vectors.reduce((sum, { versions }) => sum + versions.length, 0));
  });
});
