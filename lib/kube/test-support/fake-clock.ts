import { setImmediate as nextTurn } from "node:timers/promises";
import type { KubeClock } from "../clock.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. Pauses end in order of time, each seen before the next. */
export class FakeClock implements KubeClock {
  #now: number;
  #sleepers: Sleeper[] = [];
  /** Length of every pause that was asked for, in milliseconds, in order. */
  readonly pausesMs: number[] = [];

  constructor(startAt: number = Date.parse("2026-01-01T00:00:00Z")) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    this.pausesMs.push(durationMs);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper: Sleeper = { at: this.#now + Math.max(0, durationMs), wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Moves on, ending the pauses that are due. Pauses that begin meanwhile end too, when they are due. */
  async advance(durationMs: number): Promise<void> {
    const until = this.#now + durationMs;
    for (;;) {
      await nextTurn();
      const due = this.#sleepers.filter((sleeper) => sleeper.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.wake();
    }
    this.#now = until;
    await nextTurn();
  }
}
