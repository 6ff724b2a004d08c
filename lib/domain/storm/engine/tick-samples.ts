import { type Tick, toSeconds } from "../../rollout/ticks.ts";
import type { StormSpread } from "../storm-result.ts";

/** Durations, all of them kept, so that percentiles are exact. */
export class TickSamples {
  #ticks = new Int32Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(ticks: Tick): void {
    if (this.#count === this.#ticks.length) {
      const grown = new Int32Array(2 * this.#count);
      grown.set(this.#ticks);
      this.#ticks = grown;
    }
    // Longer than 35 minutes is 35 minutes.
    this.#ticks[this.#count++] = Math.min(ticks, 2_147_483_647);
  }

  addAll(other: TickSamples): void {
    for (let index = 0; index < other.#count; index++) this.add(other.#ticks[index] ?? 0);
  }

  /** `null` where there is none. */
  spread(): StormSpread | null {
    if (this.#count === 0) return null;
    const sorted = this.#ticks.slice(0, this.#count).sort();
    const at = (ratio: number) =>
      toSeconds(sorted[Math.min(this.#count - 1, Math.ceil(ratio * this.#count) - 1)] ?? 0);
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  }
}
