import type { RuleVersion } from "../../kubernetes/version.ts";
import { isAtLeast } from "../../kubernetes/version.ts";
import type { IntegratorResults } from "./demand-integrator.ts";

/** Share of the old smoothed demand that stays after each period of 10 s: a half-life of about 5 minutes. */
const SMOOTHING = 0.977;

/** Seat demand of a priority level as of its last adjustment period. All in seats. */
export interface DemandStatistics {
  /** Highest demand of the last period, its start included. An integer. */
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  /** Rises with the demand at once, falls slowly. NaN once poisoned, see `updateDemandStatistics`. */
  readonly smoothed: number;
}

export const NO_DEMAND: DemandStatistics = { highWatermark: 0, average: 0, deviation: 0, smoothed: 0 };

/**
 * The statistics after a period. Demand envelope = average + deviation; smoothed = max(envelope, 0.977 × old + 0.023 ×
 * envelope). A period of no length renews the high watermark alone.
 *
 * Before 1.26.13, 1.27.10, 1.28.6 and 1.29.0 nothing guards against a deviation that is not a number (rounding can do
 * that to a constant demand) or a period of no length: the smoothed demand becomes NaN and stays so.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26.3 to v1.37.2; patches of the guard read at each tag.
 */
export function updateDemandStatistics(
  previous: DemandStatistics,
  period: IntegratorResults,
  version: RuleVersion,
): DemandStatistics {
  const isGuarded = guardsDeviation(version);
  const highWatermark = Math.round(period.max);
  if (isGuarded && period.durationSeconds <= 0) return { ...previous, highWatermark };
  const deviation = isGuarded && Number.isNaN(period.deviation) ? 0 : period.deviation;
  const envelope = period.average + deviation;
  return {
    highWatermark,
    average: period.average,
    deviation,
    smoothed: Math.max(envelope, SMOOTHING * previous.smoothed + (1 - SMOOTHING) * envelope),
  };
}

/** The first patches with the guard; later minors have it from their start. */
const GUARDED_SINCE_PATCH: Readonly<Record<number, number>> = { 26: 13, 27: 10, 28: 6 };

function guardsDeviation(version: RuleVersion): boolean {
  return isAtLeast(version, version.minor, GUARDED_SINCE_PATCH[version.minor] ?? 0);
}
