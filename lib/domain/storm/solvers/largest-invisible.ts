import { simulateSeed } from "../bands.ts";
import { priceFirstRequests } from "../price-first-requests.ts";
import { worstVerdict } from "../remedies/compare-remedies.ts";
import type { StormInput } from "../storm-input.ts";
import { VERDICT_THRESHOLDS, type VerdictName } from "../verdict.ts";
import { inputAtNodes, inputAtShare, type NodeElasticities } from "./scale-input.ts";
import { searchBoundary } from "./search-boundary.ts";

export interface SolverOptions {
  /** Integers, at least one; a number counts where it holds for each of them. Absent: the seed of the input. */
  readonly seeds?: readonly number[] | undefined;
  /** Most numbers that are simulated, each with all seeds. Absent: `SOLVER_BUDGET`. */
  readonly budget?: number | undefined;
  readonly elasticities?: NodeElasticities | undefined;
  /** Most nodes that are looked at; absent: twenty times those there are, at most 20,000. */
  readonly mostNodes?: number | undefined;
}

export const SOLVER_BUDGET = 24;

export interface LargestInvisible {
  readonly by: "share" | "nodes";
  /** Copies, or nodes, that stay invisible; `null`: not even the smallest number does. */
  readonly largest: number | null;
  /** Of `by: "share"`: that ÷ all copies, 0 to 1. */
  readonly share: number | null;
  /** Next number tried above, and its verdict; `null`: all that was asked for is invisible. */
  readonly next: number | null;
  readonly nextVerdict: VerdictName | null;
  /** Whether nothing lies between `largest` and `next`; else the boundary does. */
  readonly isExact: boolean;
  /** Storms that were simulated. */
  readonly simulations: number;
}

/**
 * The largest part of the fleet, or number of nodes, for which the storm stays invisible. More need not be worse, so what
 * is found is tried again below; see `searchBoundary`. Verdicts are those of the figures, whatever the evidence.
 *
 * @throws {RangeError} as `simulateStorm`, and by nodes where they are not known.
 */
export function largestInvisible(
  input: StormInput,
  by: "share" | "nodes",
  options: SolverOptions = {},
): LargestInvisible {
  return largestWith(input, by, (verdict) => verdict === "invisible", options);
}

/** As `largestInvisible`, for other verdicts. */
export function largestWith(
  input: StormInput,
  by: "share" | "nodes",
  isWanted: (verdict: VerdictName) => boolean,
  options: SolverOptions = {},
): LargestInvisible {
  const { seeds = [input.seed], budget = SOLVER_BUDGET, elasticities = {} } = options;
  const plain = { ...input, doubts: [] };
  const nodes = input.cluster.nodes;
  const most = mostOf(input, by, options);
  const at = (value: number) =>
    by === "share"
      ? inputAtShare(plain, most === 0 ? 0 : value / most)
      : inputAtNodes(plain, value, elasticities);
  const verdicts = new Map<number, VerdictName>();
  const verdictAt = (value: number): VerdictName => {
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = verdictOf(at(value), seeds);
    verdicts.set(value, verdict);
    return verdict;
  };
  if (most === 0)
    return { by, largest: 0, share: null, next: null, nextVerdict: null, isExact: true, simulations: 0 };
  const copies = guessCopies(plain);
  const guess = by === "share" ? copies : guessNodes(plain, nodes, elasticities);
  const { holdsAt, failsAt, isExact } = searchBoundary({
    low: 1,
    high: most,
    guess,
    holds: (value) => isWanted(verdictAt(value)),
    budget,
  });
  return {
    by,
    largest: holdsAt,
    share: by === "share" && holdsAt !== null ? holdsAt / most : null,
    next: failsAt,
    nextVerdict: failsAt === null ? null : (verdicts.get(failsAt) ?? null),
    isExact,
    simulations: verdicts.size * seeds.length,
  };
}

/** Worst verdict over the seeds. */
export const verdictOf = (input: StormInput, seeds: readonly number[]): VerdictName => {
  const verdicts: Partial<Record<VerdictName, number>> = {};
  for (const seed of seeds) {
    verdicts[simulateSeed(input, seed).verdict] = 1;
    // Nothing is worse.
    if (verdicts.unsafe === 1) break;
  }
  return worstVerdict({ verdicts });
};

const NODES_MAX = 20_000;
/** More copies than these are refused by the simulation. */
const COPIES_MAX = 500_000;

function mostOf(input: StormInput, by: "share" | "nodes", { mostNodes }: SolverOptions): number {
  const copies = input.agents.reduce((sum, { replicas }) => sum + replicas, 0);
  if (by === "share") {
    const { scenario } = input;
    return scenario.kind === "node-scale-out"
      ? scenario.addedNodes
      : Math.max(0, ...input.agents.map(({ replicas }) => replicas));
  }
  const { nodes } = input.cluster;
  if (!(nodes > 0)) throw new RangeError("How many nodes the cluster has is not known.");
  const most = mostNodes ?? Math.min(NODES_MAX, 20 * nodes);
  return Math.max(1, copies === 0 ? most : Math.min(most, Math.floor((COPIES_MAX / copies) * nodes)));
}

/** Seconds over which the link is looked at. */
const LINK_SECONDS = 5;

/**
 * Copies that the cores get through, and the link carries, before anybody has waited too long: from the prices of the
 * first requests alone, so it costs no simulation.
 */
export function guessCopies(input: StormInput): number {
  const { servers } = input.cluster;
  const weight = servers.reduce((sum, { clientWeight }) => sum + clientWeight, 0);
  const heaviest = Math.max(...servers.map(({ clientWeight }) => clientWeight)) / weight;
  const [server] = servers;
  let [cpuSeconds, wireBytes] = [0, 0];
  for (const { cpuSeconds: cpu, wireBytes: bytes, pages } of priceFirstRequests(input)) {
    cpuSeconds += cpu * pages;
    wireBytes += bytes * pages;
  }
  const window = input.scenario.kind === "start-all" ? input.scenario.windowSeconds : 0;
  const seconds = VERDICT_THRESHOLDS.invisibleOwnWaitSeconds + window;
  const byCores = cpuSeconds > 0 ? (seconds * (server?.cores ?? 1)) / cpuSeconds : Number.POSITIVE_INFINITY;
  const link = server?.linkBytesPerSecond ?? null;
  const byLink =
    link === null || wireBytes === 0
      ? Number.POSITIVE_INFINITY
      : (VERDICT_THRESHOLDS.invisibleLinkRatio * link * LINK_SECONDS) / wireBytes;
  const copies = Math.min(byCores, byLink) / heaviest;
  return Number.isFinite(copies) ? Math.max(1, Math.floor(copies)) : COPIES_MAX;
}

/** Where copies × price of each passes what the servers get through: both grow with the nodes. */
function guessNodes(input: StormInput, nodes: number, elasticities: NodeElasticities): number {
  const isEnough = (value: number) => {
    const grown = inputAtNodes(input, value, elasticities);
    return Math.max(0, ...grown.agents.map(({ replicas }) => replicas)) <= guessCopies(grown);
  };
  let [low, high] = [1, Math.min(NODES_MAX, 20 * nodes)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) low = middle;
    else high = middle;
  }
  return low;
}
