/** A priority level that takes part in the sharing of seats. */
export interface ShareTaker {
  /** What it would like, in seats; at least `low`. NaN where its demand statistics are poisoned. */
  readonly target: number;
  readonly low: number;
  readonly high: number;
}

export type Allocation =
  | { readonly shares: readonly number[]; readonly fairFrac: number }
  | { readonly fault: string };

/** A target below this counts as this, so that shares in proportion exist. */
const MIN_TARGET = 0.001;
/** Sums closer than this to the required one count as equal to it. */
const TOLERANCE = 1e-7;

/**
 * Shares `required` seats out in proportion to the targets, within the bounds: the one fraction f (the smallest, where
 * several will do) for which the sum over clamp(f × target, low, high) is `required`. Shares are not whole numbers.
 *
 * The sum never falls as f grows, and is straight between the points where a taker meets a bound. So the takers are
 * followed from point to point: below low/target a taker counts with `low`, from there to high/target with f × target,
 * above with `high`; the first stretch on which the sum reaches `required` gives f.
 *
 * A fault (and then the caller keeps the limits it had): a bound or target out of order, bounds that leave no solution,
 * or a target that is not a number.
 * Source of the problem and of its order of checks: apiserver pkg/util/flowcontrol/conc_alloc.go, v1.26 to v1.37.
 */
export function allocateShares(required: number, takers: readonly ShareTaker[]): Allocation {
  const fault = findBoundsFault(required, takers);
  if (fault !== null) return { fault };
  if (required === 0) return { shares: takers.map(() => 0), fairFrac: 0 };
  const weights = takers.map(({ target }) => Math.max(target, MIN_TARGET));
  const lowRatios = takers.map(({ low }, i) => low / (weights[i] ?? MIN_TARGET));
  const highRatios = takers.map(({ high }, i) => high / (weights[i] ?? MIN_TARGET));
  if (sumOf(takers, "low") - required > -TOLERANCE) {
    return { shares: takers.map(({ low }) => low), fairFrac: Math.min(...lowRatios) };
  }
  if (required - sumOf(takers, "high") > -TOLERANCE) {
    return { shares: takers.map(({ high }) => high), fairFrac: Math.max(...highRatios) };
  }
  if (weights.some(Number.isNaN)) return { fault: "a target is not a number" };
  const points = takers.flatMap((taker, i) => {
    const weight = weights[i] ?? MIN_TARGET;
    return [
      { ratio: taker.low / weight, fixed: -taker.low, weight, count: 1 },
      { ratio: taker.high / weight, fixed: taker.high, weight: -weight, count: -1 },
    ];
  });
  const fairFrac = findFairFrac(
    required,
    sumOf(takers, "low"),
    points.sort((a, b) => a.ratio - b.ratio),
  );
  const shares = takers.map(({ low, high }, i) =>
    Math.max(low, Math.min(high, fairFrac * (weights[i] ?? MIN_TARGET))),
  );
  return { shares, fairFrac };
}

/** What changes in the sum where a taker meets one of its bounds. */
interface BoundPoint {
  readonly ratio: number;
  readonly fixed: number;
  readonly weight: number;
  readonly count: number;
}

/** `fixedSum` is the sum of what does not grow with f before the first point. */
function findFairFrac(required: number, fixedSum: number, points: readonly BoundPoint[]): number {
  let fixed = fixedSum;
  let weight = 0;
  let growing = 0;
  for (const [i, point] of points.entries()) {
    fixed += point.fixed;
    weight += point.weight;
    growing += point.count;
    const until = points[i + 1]?.ratio ?? point.ratio;
    // What is left of the weights when nobody grows is rounding.
    if (growing === 0) weight = 0;
    if (growing === 0 || until === point.ratio) continue;
    const fairFrac = (required - fixed) / weight;
    if (fairFrac <= until) return Math.max(fairFrac, point.ratio);
  }
  return points.at(-1)?.ratio ?? 0;
}

function findBoundsFault(required: number, takers: readonly ShareTaker[]): string | null {
  if (required < 0) return "the required sum is negative";
  for (const { target, low, high } of takers) {
    if (low < 0) return `a lower bound is negative (${low})`;
    if (target < low) return `a target (${target}) is below its lower bound (${low})`;
    if (high < low) return `an upper bound (${high}) is below the lower bound (${low})`;
  }
  const lowSum = sumOf(takers, "low");
  if (lowSum - required > TOLERANCE) return `the lower bounds add up to ${lowSum}, more than ${required}`;
  const highSum = sumOf(takers, "high");
  if (required - highSum > TOLERANCE) return `the upper bounds add up to ${highSum}, less than ${required}`;
  return null;
}

const sumOf = (takers: readonly ShareTaker[], bound: "low" | "high") =>
  takers.reduce((sum, taker) => sum + taker[bound], 0);
