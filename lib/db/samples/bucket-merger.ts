import type { SeriesPoint } from "../../domain/clusters/series.ts";
import { floorTo } from "./resolutions.ts";

/**
 * Merges points of one series into buckets of `stepSeconds`: the least, the mean of the means, the greatest. Points
 * are added in order of time; a bucket without any is absent.
 */
export class BucketMerger {
  readonly #points: SeriesPoint[] = [];
  readonly #stepSeconds: number;
  #atSeconds = Number.NaN;
  #min = 0;
  #avg = 0;
  #max = 0;
  #members = 0;

  constructor(stepSeconds: number) {
    this.#stepSeconds = stepSeconds;
  }

  add(pointAtSeconds: number, min: number, avg: number, max: number): void {
    const atSeconds = floorTo(pointAtSeconds, this.#stepSeconds);
    if (atSeconds !== this.#atSeconds) {
      this.#close();
      this.#atSeconds = atSeconds;
      this.#min = min;
      this.#avg = avg;
      this.#max = max;
      this.#members = 1;
      return;
    }
    this.#members += 1;
    this.#min = Math.min(this.#min, min);
    // The mean so far moves towards the new member: no sum that could grow beyond exactness.
    this.#avg += (avg - this.#avg) / this.#members;
    this.#max = Math.max(this.#max, max);
  }

  /** The buckets, sorted. Nothing may be added afterwards. */
  finish(): SeriesPoint[] {
    this.#close();
    return this.#points;
  }

  #close(): void {
    if (this.#members === 0) return;
    this.#points.push({ atSeconds: this.#atSeconds, min: this.#min, avg: this.#avg, max: this.#max });
    this.#members = 0;
  }
}

/** The same for points at hand, which are sorted. */
export function mergePoints(points: readonly SeriesPoint[], stepSeconds: number): SeriesPoint[] {
  const merger = new BucketMerger(stepSeconds);
  for (const { atSeconds, min, avg, max } of points) merger.add(atSeconds, min, avg, max);
  return merger.finish();
}
