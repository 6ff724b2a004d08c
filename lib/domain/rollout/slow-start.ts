import type { ClientRateLimit } from "./client-rate-limit.ts";
import type { Tick } from "./ticks.ts";

/**
 * Creations of one sync go out in batches of 1, 2, 4, … and the rest; a batch waits for the answers of the one before.
 * Returns the sizes of the batches, whose sum is `count`; `[]` for 0. `maxBatch` bounds a batch (StatefulSets: 500).
 * Source: kubernetes pkg/controller/controller_utils.go (SlowStartInitialBatchSize 1), v1.26 to v1.37.
 */
export function slowStartBatches(
  count: number,
  maxBatch: number = Number.POSITIVE_INFINITY,
): readonly number[] {
  const batches: number[] = [];
  let left = count;
  for (let size = Math.min(1, left); size > 0; size = Math.min(2 * size, left, maxBatch)) {
    batches.push(size);
    left -= size;
  }
  return batches;
}

/**
 * Sends `count` creations from tick `from` on, in batches of the slow start, each call with a token of `client` and
 * answered after `requestTicks`. Tells the tick of each answer; returns the last one, or `from` where there is none.
 */
export function sendSlowStart(
  calls: {
    readonly count: number;
    readonly from: Tick;
    readonly requestTicks: Tick;
    readonly maxBatch?: number;
  },
  client: ClientRateLimit,
  onAnswer: (tick: Tick, index: number) => void,
): Tick {
  let done = calls.from;
  let index = 0;
  for (const size of slowStartBatches(calls.count, calls.maxBatch)) {
    const startedAt = done;
    for (const end = index + size; index < end; index++) {
      done = client.take(startedAt) + calls.requestTicks;
      onAnswer(done, index);
    }
  }
  return done;
}

/** Number of batches, each at least one round trip: 1 + floor(log2 count). */
export const slowStartRounds = (count: number): number => slowStartBatches(count).length;
