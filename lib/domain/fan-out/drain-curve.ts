import type { Agent } from "../agents/agent.ts";
import { costOfAgent } from "../agents/cost/agent-cost.ts";
import { agentAtNodes, factsAtNodes } from "../agents/cost/at-nodes.ts";
import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import { type Band, bandOf } from "../storm/bands.ts";
import { prepareAgent, projectSeed } from "./agent-projection.ts";

export interface CurveQuestion {
  readonly agent: Agent;
  readonly facts: ClusterFacts;
  readonly nodes: number;
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One storm at one number of nodes. */
export interface CurveStorm {
  readonly nodes: number;
  readonly seed: number;
  /** `null`: it does not drain. */
  readonly drainSeconds: number | null;
}

/**
 * A start of all copies on the cluster as it would be with so many nodes: collections and copies grow as stated in
 * `STATED_ELASTICITIES` or as measured; API servers, seats and the steady load stay. `null`: there is nothing to simulate,
 * or the cluster's nodes are not known.
 *
 * @throws {RangeError} where the storm cannot be simulated.
 */
export function simulateAtNodes({ agent, facts, nodes, seed, now }: CurveQuestion): CurveStorm | null {
  const grown = factsAtNodes(facts, nodes);
  if (grown === null) return null;
  const whole: ClusterFacts = {
    ...grown,
    collections: grown.collections.map((each) => ({
      ...each,
      objects: each.objects === null ? null : Math.round(each.objects),
    })),
  };
  const there = agentAtNodes(agent, facts, nodes);
  const prepared = prepareAgent({
    agent: there,
    cost: costOfAgent(there, whole),
    facts: whole,
    clusterDoubts: [],
    now,
    isSimulatedAlways: true,
  });
  if (prepared.kind === "settled") return null;
  return { nodes, seed, drainSeconds: projectSeed(prepared.input, seed).drainSeconds };
}

/** Shares of the present number of nodes that the curve is simulated at. */
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.2, 1.4];
/** A small cluster is looked at up to so many nodes, or ten times its own. */
const FAR_NODES = 1000;

/** Where the curve is simulated: whole numbers, sorted, the present number among them. Empty where that is not known. */
export function curveNodes(nodes: number | null): readonly number[] {
  if (nodes === null || nodes <= 0) return [];
  const last = Math.max(1.4 * nodes, Math.min(FAR_NODES, 10 * nodes));
  const spread = SHARES.map((share) => roundNodes((share / 1.4) * last));
  return [...new Set([...spread, nodes])].filter((each) => each > 0).sort((a, b) => a - b);
}

/** Two significant digits. */
function roundNodes(value: number): number {
  return Math.max(1, Math.round(Number(value.toPrecision(2))));
}

export interface CurvePoint {
  readonly nodes: number;
  /** `null`: it drains in no seed. */
  readonly drainSeconds: Band | null;
  /** Seeds in which it does not drain. */
  readonly undrained: number;
  readonly seeds: number;
}

/** The curve so far, sorted by nodes; points without a storm are absent. */
export function joinCurve(storms: readonly CurveStorm[]): readonly CurvePoint[] {
  const byNodes = Map.groupBy(storms, ({ nodes }) => nodes);
  return [...byNodes]
    .sort(([a], [b]) => a - b)
    .map(([nodes, alike]) => ({
      nodes,
      drainSeconds: bandOf(alike.flatMap(({ drainSeconds }) => drainSeconds ?? [])),
      undrained: alike.filter(({ drainSeconds }) => drainSeconds === null).length,
      seeds: alike.length,
    }));
}

/** Where a curve first passes a limit. */
export type Crossing =
  /** Between two points by interpolation on logarithms. */
  | { readonly kind: "at"; readonly nodes: number }
  /** From `nodes` on it does not drain; at `drainsAt` it still does. */
  | { readonly kind: "stops-draining"; readonly nodes: number; readonly drainsAt: number | null }
  /** It is above the limit at its first point. */
  | { readonly kind: "always" }
  | { readonly kind: "never" };

export function findCrossing(points: readonly CurvePoint[], limitSeconds: number): Crossing {
  let before: { readonly nodes: number; readonly seconds: number } | null = null;
  for (const { nodes, drainSeconds, undrained, seeds } of points) {
    const seconds = 2 * undrained > seeds ? null : (drainSeconds?.p50 ?? null);
    if (seconds === null) return { kind: "stops-draining", nodes, drainsAt: before?.nodes ?? null };
    if (seconds > limitSeconds) {
      if (before === null) return { kind: "always" };
      const share = Math.log(limitSeconds / before.seconds) / Math.log(seconds / before.seconds);
      return { kind: "at", nodes: Math.exp(Math.log(before.nodes) + share * Math.log(nodes / before.nodes)) };
    }
    before = { nodes, seconds };
  }
  return { kind: "never" };
}
