import type { SeriesPoint } from "./series.ts";

export interface RateWindow {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** Length of a bucket, or the usual distance of as-scraped samples. */
  readonly stepSeconds: number;
  /** True for as-scraped samples, whose rate holds for the time since the sample before; false for buckets. */
  readonly isAsScraped: boolean;
}

/**
 * How often something happened in a window, from its rate per second: the sum of rate × seconds, not rounded, ≥ 0.
 * An as-scraped rate covers the time since the sample before it, at most three steps (a longer gap was not observed);
 * a bucket covers its step. Time outside the window does not count. Points are sorted by time.
 */
export function sumRate(points: readonly SeriesPoint[], window: RateWindow): number {
  let total = 0;
  let previous: number | null = null;
  for (const { atSeconds, avg } of points) {
    const from = window.isAsScraped
      ? atSeconds - coveredSeconds(atSeconds, previous, window.stepSeconds)
      : atSeconds;
    const to = window.isAsScraped ? atSeconds : atSeconds + window.stepSeconds;
    previous = atSeconds;
    total +=
      Math.max(0, avg) * Math.max(0, Math.min(to, window.toSeconds) - Math.max(from, window.fromSeconds));
  }
  return total;
}

function coveredSeconds(atSeconds: number, previous: number | null, stepSeconds: number): number {
  if (previous === null) return stepSeconds;
  const gap = atSeconds - previous;
  return gap <= 3 * stepSeconds ? gap : stepSeconds;
}
