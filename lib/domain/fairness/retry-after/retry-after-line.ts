import { ruleVersion } from "../../kubernetes/version.ts";
import { RetryAfterTracker } from "./retry-after-tracker.ts";

/** Rejections over time, in the fields of the vector set `retry-after`. */
export interface RetryAfterInput {
  readonly v: string;
  /** In order of time: [milliseconds since the epoch, level, how many rejections]; 0 only asks. */
  readonly drops: readonly (readonly [number, string, number])[];
}

export interface RetryAfterAnswer {
  /** Per entry the distinct values that its rejections were told, in order; in seconds. */
  readonly retryAfter: readonly (readonly number[])[];
}

/** @throws {RangeError} where `v` is no version. */
export function replayRetryAfter({ v, drops }: RetryAfterInput): RetryAfterAnswer {
  const tracker = new RetryAfterTracker(ruleVersion(v));
  const retryAfter = drops.map(([timeMs, level, count]) => {
    if (count === 0) return [tracker.retryAfterSeconds(level)];
    const second = Math.floor(timeMs / 1000);
    const told = Array.from({ length: count }, () => tracker.reject(level, second));
    return [...new Set(told)];
  });
  return { retryAfter };
}
