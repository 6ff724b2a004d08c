import { seededRandom } from "../../rollout/seeded-random.ts";

/** A source of numbers for tests and benches: equal seeds give equal numbers, everywhere. */
export class SeededRandom {
  /** In [0, 1), 32 bits of it. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** Exponentially distributed with this mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }
}
