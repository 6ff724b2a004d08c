import type { PriorityLevelObject } from "../fairness-part.ts";

/** Limits of a priority level that follow from the configuration alone, in whole seats. */
export interface StaticLimits {
  /** Its share of the server's limit, rounded up. */
  readonly nominalCL: number;
  /** What it keeps when others borrow all it lends. */
  readonly minCL: number;
  /** What it may reach by borrowing. A bound of the configuration, not capacity. */
  readonly maxCL: number;
}

/**
 * @param shareSum Shares of all levels together. Nobody has a limit where it is 0.
 *
 * The nominal limits of all levels add up to the server's limit or a little more, by less than one seat a level.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26 to v1.37.
 */
export function staticLimits(
  level: PriorityLevelObject,
  shareSum: number,
  serverConcurrencyLimit: number,
): StaticLimits {
  const nominalCL =
    shareSum === 0
      ? 0
      : Math.ceil((serverConcurrencyLimit * (level.nominalConcurrencyShares ?? 0)) / shareSum);
  const lendable = percentOf(nominalCL, level.lendablePercent ?? 0);
  const borrowable =
    level.borrowingLimitPercent === null
      ? serverConcurrencyLimit
      : percentOf(nominalCL, level.borrowingLimitPercent);
  return { nominalCL, minCL: nominalCL - lendable, maxCL: nominalCL + borrowable };
}

/** Half a seat counts as one; neither figure is negative. */
const percentOf = (seats: number, percent: number) => Math.round((seats * percent) / 100);
