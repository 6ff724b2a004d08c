import type { Tick } from "../../rollout/ticks.ts";
import type { MemoryFactor } from "../storm-model.ts";
import type { StormServerResult } from "../storm-result.ts";
import type { ServerLevel } from "./server-level.ts";
import { StepClock, type StepSeries } from "./step-series.ts";

/** Series and memory of one API server. */
export class ServerRecorder {
  readonly clock: StepClock;
  readonly #idleBytes: MemoryFactor;
  readonly #bytes: StepSeries;
  readonly #retries: StepSeries;
  readonly #memory: StepSeries;
  readonly #busy: StepSeries;
  #busyBefore = 0;
  #retriesNow = 0;
  readonly #held = { low: 0, likely: 0, high: 0 };
  readonly memoryPeak = { low: 0, likely: 0, high: 0 };

  /** `idleBytes`: the process before the storm. */
  constructor(stepSeconds: number | null, idleBytes: MemoryFactor) {
    this.clock = new StepClock(stepSeconds);
    this.#idleBytes = idleBytes;
    Object.assign(this.memoryPeak, idleBytes);
    this.#bytes = this.clock.make("sum");
    this.#retries = this.clock.make("sum");
    this.#memory = this.clock.make("max");
    this.#busy = this.clock.make("mean");
  }

  /** Ends all steps up to `now`. `busyCoreSecondsAt`: core-seconds used up to a tick. */
  rollTo(
    now: Tick,
    levels: ReadonlyMap<string, ServerLevel>,
    busyCoreSecondsAt: (tick: Tick) => number,
  ): void {
    while (this.clock.endTick <= now) {
      this.clock.roll((endTick) => {
        for (const level of levels.values()) level.closeStep();
        this.#bytes.push(0);
        this.#retries.push(this.#retriesNow);
        this.#retriesNow = 0;
        this.#memory.push(this.memoryPeak.likely);
        const busy = busyCoreSecondsAt(endTick);
        this.#busy.push((busy - this.#busyBefore) / this.clock.stepSeconds);
        this.#busyBefore = busy;
      });
    }
  }

  noteRetry(): void {
    this.#retriesNow++;
  }

  /** Bytes that were sent evenly over a time that has passed. */
  noteBytes(from: Tick, to: Tick, bytes: number): void {
    this.#bytes.spread(from, to, bytes);
  }

  hold({ low, likely, high }: MemoryFactor): void {
    if (high === 0) return;
    const held = this.#held;
    held.low += low;
    held.likely += likely;
    held.high += high;
    const peak = this.memoryPeak;
    peak.low = Math.max(peak.low, this.#idleBytes.low + held.low);
    peak.likely = Math.max(peak.likely, this.#idleBytes.likely + held.likely);
    peak.high = Math.max(peak.high, this.#idleBytes.high + held.high);
  }

  release({ low, likely, high }: MemoryFactor): void {
    const held = this.#held;
    held.low -= low;
    held.likely -= likely;
    held.high -= high;
  }

  /** The process is gone, and what it held. */
  drop(): void {
    Object.assign(this.#held, { low: 0, likely: 0, high: 0 });
  }

  series(
    levels: Iterable<ServerLevel>,
  ): Pick<
    StormServerResult,
    "stepSeconds" | "levels" | "retries" | "bytesPerSecond" | "memoryBytes" | "busyCores"
  > {
    const { stepSeconds } = this.clock;
    return {
      stepSeconds,
      levels: [...levels].sort((a, b) => (a.name < b.name ? -1 : 1)).map((level) => level.series()),
      retries: this.#retries.values(),
      bytesPerSecond: this.#bytes.values().map((bytes) => Math.round(bytes / stepSeconds)),
      memoryBytes: this.#memory.values().map(Math.round),
      busyCores: this.#busy.values().map((cores) => Math.round(cores * 1e6) / 1e6),
    };
  }
}
