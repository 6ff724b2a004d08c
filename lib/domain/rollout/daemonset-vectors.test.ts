import { describe, expect, test } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { findCoreLoopChanges, type StepChanges } from "./core-loop.ts";
import type { DaemonNode } from "./daemonset-node.ts";
import { daemonSetRules } from "./daemonset-rules.ts";
import { isZero } from "./int-or-percent.ts";
import type { PodChoice } from "./pod-choice.ts";
import { nodeFromCodes } from "./pod-code.ts";
import { findRollingUpdateChanges } from "./rolling-update.ts";

interface RecordedChoice {
  readonly count: number;
  readonly always: readonly string[] | number;
  readonly someOf: readonly string[] | number;
}
interface RecordedStep {
  readonly created: RecordedChoice;
  readonly deleted: RecordedChoice;
}
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

/** As the README of the vectors judges: what is wrong with an answer, or `[]`. */
function judge(where: string, answer: PodChoice, recorded: RecordedChoice): readonly string[] {
  const wrong: string[] = [];
  if (answer.count !== recorded.count) wrong.push(`${where}: count ${answer.count}, not ${recorded.count}`);
  const may = new Set([...answer.always, ...answer.someOf]);
  if (may.size !== answer.always.length + answer.someOf.length) wrong.push(`${where}: a name stands twice`);
  const seen = [recorded.always, recorded.someOf];
  for (const names of seen) {
    if (typeof names === "number") {
      if (names > may.size) wrong.push(`${where}: ${names} were seen, only ${may.size} may`);
    } else {
      for (const name of names) if (!may.has(name)) wrong.push(`${where}: ${name} went, and may not`);
    }
  }
  if (typeof recorded.always === "number") {
    if (answer.always.length > recorded.always) {
      wrong.push(`${where}: ${answer.always.length} must go, only ${recorded.always} always did`);
    }
  } else {
    for (const name of answer.always) {
      if (!recorded.always.includes(name)) wrong.push(`${where}: ${name} must go, and did not always`);
    }
  }
  // Where nothing is free the recorded list is the whole of it.
  if (answer.someOf.length === 0 && typeof recorded.always !== "number") {
    if (recorded.always.length !== answer.always.length) wrong.push(`${where}: not all of always`);
  }
  return wrong;
}

function judgeStep(where: string, answer: StepChanges, recorded: RecordedStep): readonly string[] {
  return [
    ...judge(`${where} created`, answer.created, recorded.created),
    ...judge(`${where} deleted`, answer.deleted, recorded.deleted),
  ];
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
