import { type Band, bandOf } from "../bands.ts";
import type { StormInput } from "../storm-input.ts";
import type { VerdictName } from "../verdict.ts";
import {
  crossingOf,
  type ForecastCrossing,
  type NodeCount,
  type NodeGrowth,
  nodeGrowth,
} from "./forecast-nodes.ts";
import { largestWith, SOLVER_BUDGET, type SolverOptions, verdictOf } from "./largest-invisible.ts";
import { inputAtNodes } from "./scale-input.ts";

/** A number of nodes from which on the verdict is worse. */
export interface VerdictChange {
  readonly from: VerdictName;
  readonly to: VerdictName;
  /** Smallest number of nodes found with the worse verdict, over the seeds one by one. */
  readonly nodes: Band;
}

export interface VerdictForecast {
  /** As simulated today. */
  readonly verdict: VerdictName;
  /** `null`: the nodes are too few or too short observed for a slope. */
  readonly growth: NodeGrowth | null;
  readonly changes: readonly (VerdictChange & {
    /** `null` without growth. The earliest is that of the fewest nodes and the steepest slope, the latest the contrary. */
    readonly crossing: ForecastCrossing | null;
  })[];
  readonly simulations: number;
}

const RANK: Readonly<Record<VerdictName, number>> = { invisible: 0, visible: 1, inconclusive: 1, unsafe: 2 };

/**
 * At how many nodes the verdict changes for the worse, for each seed by itself so that it has a band. A step that is passed
 * at once (invisible to unsafe) is one change. Looks up to `mostNodes`.
 *
 * @throws {RangeError} as `simulateStorm`, and where the nodes are not known.
 */
export function verdictChanges(
  input: StormInput,
  options: SolverOptions = {},
): {
  readonly verdict: VerdictName;
  readonly changes: readonly VerdictChange[];
  readonly simulations: number;
} {
  const { seeds = [input.seed], budget = SOLVER_BUDGET, elasticities = {} } = options;
  const plain = { ...input, doubts: [] };
  const now = input.cluster.nodes;
  let simulations = 0;
  const verdict = verdictOf(inputAtNodes(plain, now, elasticities), seeds);
  simulations += seeds.length;
  const found = new Map<string, { from: VerdictName; to: VerdictName; nodes: number[] }>();
  for (const from of ["invisible", "visible"] as const) {
    if (RANK[from] < RANK[verdict]) continue;
    for (const seed of seeds) {
      const answer = largestWith(plain, "nodes", (each) => RANK[each] <= RANK[from], {
        ...options,
        seeds: [seed],
        budget,
      });
      simulations += answer.simulations;
      const { next, nextVerdict } = answer;
      if (next === null || nextVerdict === null || next <= now) continue;
      const key = `${from} ${nextVerdict}`;
      const known = found.get(key) ?? { from, to: nextVerdict, nodes: [] };
      known.nodes.push(next);
      found.set(key, known);
    }
  }
  const changes = [...found.values()].flatMap(({ from, to, nodes }) => {
    const band = bandOf(nodes);
    return band === null ? [] : [{ from, to, nodes: band }];
  });
  return { verdict, changes: changes.sort((a, b) => a.nodes.p50 - b.nodes.p50), simulations };
}

/** The same with dates, from node counts as measured over time. */
export function verdictForecast(
  input: StormInput,
  points: readonly NodeCount[],
  options: SolverOptions = {},
): VerdictForecast {
  const { verdict, changes, simulations } = verdictChanges(input, options);
  const growth = nodeGrowth(points);
  return {
    verdict,
    growth,
    changes: changes.map((change) => ({
      ...change,
      crossing: growth === null ? null : crossOver(growth, change.nodes),
    })),
    simulations,
  };
}

function crossOver(growth: NodeGrowth, { p5, p50, p95 }: Band): ForecastCrossing {
  const middle = crossingOf(growth, p50);
  return {
    ...middle,
    earliestAt: crossingOf(growth, p5).earliestAt,
    latestAt: crossingOf(growth, p95).latestAt,
  };
}
