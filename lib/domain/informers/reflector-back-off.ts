import { type Tick, toSeconds, toTicks } from "../rollout/ticks.ts";

const INITIAL = toTicks(0.8);
const LONGEST = toTicks(30);
const RESET_AFTER = toTicks(120);

/** The state of a back-off, for drawing and debugging. */
export interface BackOffState {
  /** Base of the next wait, before jitter. */
  readonly nextBaseSeconds: number;
  /** The instant that the two minutes until it begins anew count from. */
  readonly countsFromSeconds: number;
}

/**
 * The back-off of a reflector: bases of 0.8, 1.6, 3.2, 6.4, 12.8, 25.6 and then always 30 s, each wait the base times a
 * factor in [1, 2). It begins anew when more than two minutes have passed since the last call, or since the last time
 * it began anew, by version (see `ClientGoRules.backOffResetsSince`).
 * Source: apimachinery pkg/util/wait/backoff.go: NewExponentialBackoffManager up to v0.35, DelayWithReset from v0.36.
 */
export class ReflectorBackOff {
  readonly #resetsSince: "last-call" | "last-reset";
  #base = INITIAL;
  #countsFrom: Tick;

  constructor(resetsSince: "last-call" | "last-reset", now: Tick) {
    this.#resetsSince = resetsSince;
    this.#countsFrom = now;
  }

  /** Ticks to wait now. `random` gives a number in [0, 1), once a call. */
  next(now: Tick, random: () => number): Tick {
    const isOver = now - this.#countsFrom > RESET_AFTER;
    if (isOver) this.#base = INITIAL;
    if (isOver || this.#resetsSince === "last-call") this.#countsFrom = now;
    const base = this.#base;
    this.#base = Math.min(base * 2, LONGEST);
    return base + Math.floor(random() * base);
  }

  get state(): BackOffState {
    return { nextBaseSeconds: toSeconds(this.#base), countsFromSeconds: toSeconds(this.#countsFrom) };
  }
}
