import type { Agent } from "@/lib/domain/agents/agent";
import type { ClusterFacts } from "@/lib/domain/clusters/cluster-facts";
import { type CurveStorm, simulateAtNodes } from "@/lib/domain/fan-out/drain-curve";

/** A curve to simulate: every number of nodes with the first seed, then with the next. */
export interface CurveTask {
  readonly agent: Agent;
  readonly facts: ClusterFacts;
  /** In the order in which they are wanted. */
  readonly nodes: readonly number[];
  readonly seeds: readonly number[];
  readonly now: number;
}

/** One storm as it is done, or the end. */
export type CurveMessage =
  | { readonly kind: "storm"; readonly storm: CurveStorm }
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "done" };

const say = (message: CurveMessage) => globalThis.postMessage(message);

globalThis.onmessage = ({ data }: MessageEvent<CurveTask>) => {
  const { agent, facts, nodes, seeds, now } = data;
  try {
    for (const seed of seeds) {
      for (const count of nodes) {
        const storm = simulateAtNodes({ agent, facts, nodes: count, seed, now });
        if (storm === null) return say({ kind: "nothing" });
        say({ kind: "storm", storm });
      }
    }
    say({ kind: "done" });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
};
