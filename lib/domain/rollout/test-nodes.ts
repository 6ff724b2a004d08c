import type { DaemonNode } from "./daemonset-node.ts";
import { nodeFromCodes } from "./pod-code.ts";

/** Nodes for tests: `[[60, "o"], [40, "o-"]]` is 60 nodes with an old pod that is Ready, and 40 where it is not. */
export function nodesFor(runs: readonly (readonly [number, ...string[]])[]): readonly DaemonNode[] {
  const nodes: DaemonNode[] = [];
  for (const [count, ...codes] of runs) {
    for (let index = 0; index < count; index++) {
      const node = nodeFromCodes(`n${nodes.length}`, codes, true);
      if ("wrongCode" in node) throw new Error(`${node.wrongCode} is no code of a pod`);
      nodes.push(node);
    }
  }
  return nodes;
}
