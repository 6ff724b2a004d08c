import { ruleVersion } from "../../kubernetes/version.ts";
import { DemandIntegrator } from "./demand-integrator.ts";
import { NO_DEMAND, updateDemandStatistics } from "./demand-statistics.ts";

/** A demand curve, in the fields of the vector set `demand-stats`. */
export interface DemandSeriesInput {
  /** Kubernetes version, e.g. "1.34.13". */
  readonly v: string;
  /** In order of time: [microseconds, seats from then on] or [microseconds, "reset"]. The curve starts at 0 seats. */
  readonly series: readonly (readonly [number, number | "reset"])[];
}

/**
 * Per reset, in order: duration in seconds, average, deviation, min, max of the period; then the running statistics:
 * high watermark, average, deviation, smoothed. `null` stands for "not a number".
 */
export interface DemandSeriesAnswer {
  readonly results: readonly (readonly (number | null)[])[];
}

/**
 * Demand statistics along a curve.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function replayDemand({ v, series }: DemandSeriesInput): DemandSeriesAnswer {
  const version = ruleVersion(v);
  const integrator = new DemandIntegrator(0);
  const results: (number | null)[][] = [];
  let statistics = NO_DEMAND;
  for (const [timeUs, value] of series) {
    if (value !== "reset") {
      integrator.set(timeUs * 1000, value);
      continue;
    }
    const period = integrator.reset(timeUs * 1000);
    statistics = updateDemandStatistics(statistics, period, version);
    results.push(
      [
        period.durationSeconds,
        period.average,
        period.deviation,
        period.min,
        period.max,
        statistics.highWatermark,
        statistics.average,
        statistics.deviation,
        statistics.smoothed,
      ].map((figure) => (Number.isNaN(figure) ? null : figure)),
    );
  }
  return { results };
}
