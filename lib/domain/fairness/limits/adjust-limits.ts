import type { DemandStatistics } from "../demand/demand-statistics.ts";
import { allocateShares } from "./allocate-shares.ts";
import type { StaticLimits } from "./static-limits.ts";

/** A priority level at an adjustment. */
export interface LevelToAdjust {
  readonly name: string;
  readonly isExempt: boolean;
  readonly limits: StaticLimits;
  readonly demand: DemandStatistics;
  readonly currentCL: number;
}

/**
 * How the limits came about: `shared`: the fraction fits all; `squeezed`: the exempt level leaves too little, and the
 * others get part of what they used; `minimal`: it leaves no more than the minimal limits; `kept`: there is no
 * solution, and every level keeps what it had.
 */
export type AdjustmentCase = "shared" | "squeezed" | "minimal" | "kept";

export interface Adjustment {
  /** Current limits in whole seats by level name. */
  readonly currentCL: ReadonlyMap<string, number>;
  /** `seat_fair_frac`; 0 where there is none. */
  readonly fairFrac: number;
  readonly case: AdjustmentCase;
  /** Why there is no solution, as a clause; else `null`. */
  readonly fault: string | null;
}

/**
 * The exempt level at an adjustment: left out (to 1.27: it has no limits), one more taker (1.28 to 1.30), or served
 * first (since 1.31).
 */
export type ExemptRule = "none" | "taker" | "first";

export const exemptRuleOf = (minor: number): ExemptRule =>
  minor < 28 ? "none" : minor < 31 ? "taker" : "first";

/**
 * Current limits after an adjustment. A limited level gets at least what it used up to its nominal limit, never less
 * than its minimal one, and shares the rest by its smoothed demand.
 *
 * Since 1.31 the exempt level has what it used at most, and `remaining` is what the nominal limits leave beside it.
 * Where that is more than the others used, all of the nominal limits (not `remaining`) are shared among them: then the
 * current limits together exceed the server's.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, updateBorrowingLocked, v1.26 to v1.37.
 */
export function adjustLimits(levels: readonly LevelToAdjust[], exemptRule: ExemptRule): Adjustment {
  const nominalSum = sum(levels.map(({ limits }) => limits.nominalCL));
  const currentCL = new Map<string, number>();
  let remaining = nominalSum;
  const takers: (LevelToAdjust & { readonly low: number })[] = [];
  for (const level of levels) {
    const { nominalCL, minCL } = level.limits;
    const { highWatermark } = level.demand;
    if (level.isExempt && exemptRule === "first") {
      const used = Math.max(minCL, highWatermark);
      currentCL.set(level.name, used);
      remaining -= used;
    } else {
      takers.push({ ...level, low: Math.max(minCL, Math.min(nominalCL, highWatermark)) });
    }
  }
  const minSum = sum(takers.map(({ limits }) => limits.minCL));
  const lowSum = sum(takers.map(({ low }) => low));
  if (exemptRule === "first" && remaining <= lowSum) {
    const isMinimal = remaining <= minSum;
    const ratio = isMinimal ? 0 : (remaining - minSum) / (lowSum - minSum);
    for (const { name, low, limits } of takers) {
      currentCL.set(name, limits.minCL + Math.round((low - limits.minCL) * ratio));
    }
    return { currentCL, fairFrac: 0, case: isMinimal ? "minimal" : "squeezed", fault: null };
  }
  const allocation = allocateShares(
    nominalSum,
    takers.map(({ low, limits, demand }) => ({
      low,
      high: limits.maxCL,
      target: Math.max(low, demand.smoothed),
    })),
  );
  if ("fault" in allocation) {
    for (const level of takers) currentCL.set(level.name, level.currentCL);
    return { currentCL, fairFrac: 0, case: "kept", fault: allocation.fault };
  }
  for (const [i, { name }] of takers.entries()) {
    currentCL.set(name, Math.round(allocation.shares[i] ?? 0));
  }
  return { currentCL, fairFrac: allocation.fairFrac, case: "shared", fault: null };
}

const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0);
