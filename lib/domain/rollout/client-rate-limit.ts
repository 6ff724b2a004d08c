import { TICKS_PER_SECOND, type Tick } from "./ticks.ts";

/** A client's own limit: one bucket of tokens, full at the start. */
export interface ClientRate {
  /** Tokens that come back per second, above 0. */
  readonly qps: number;
  /** Tokens in the full bucket, at least 1. */
  readonly burst: number;
}

/**
 * What each controller of kube-controller-manager has: one bucket per controller, shared by all its objects.
 * Source: kubernetes pkg/controller/apis/config/v1alpha1/defaults.go, v1.26 to v1.37 (--kube-api-qps, --kube-api-burst).
 */
export const CONTROLLER_RATE: ClientRate = { qps: 20, burst: 30 };

/**
 * Seconds from the first call to the last one being let through, where all are wanted at once: 0 up to `burst`, then one
 * call in 1/`qps` seconds. The time that a call itself takes is not in it.
 */
export function callsSeconds(calls: number, { qps, burst }: ClientRate): number {
  return Math.max(0, (calls - burst) / qps);
}

/**
 * The bucket on the clock of a simulation. Kept as the tick at which it will be full again, in units of 1/`qps` tick, so
 * that nothing is rounded where `qps` is a whole number.
 */
export class ClientRateLimit {
  readonly rate: ClientRate;
  #fullAt = 0;
  #calls = 0;

  constructor(rate: ClientRate) {
    this.rate = rate;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Takes one token, waiting for it where there is none. Returns the tick at which the call goes out, `now` at least. */
  take(now: Tick): Tick {
    const { qps, burst } = this.rate;
    const allowedAt = Math.max(now * qps, this.#fullAt - (burst - 1) * TICKS_PER_SECOND);
    this.#fullAt = Math.max(this.#fullAt, allowedAt) + TICKS_PER_SECOND;
    this.#calls++;
    return Math.ceil(allowedAt / qps);
  }

  /** Takes one token if there is one now. */
  tryTake(now: Tick): boolean {
    if (this.tokens(now) < 1) return false;
    this.take(now);
    return true;
  }

  /** Tokens in the bucket at a tick; below 0 where calls wait for theirs. */
  tokens(now: Tick): number {
    const { qps, burst } = this.rate;
    return burst - Math.max(0, this.#fullAt - now * qps) / TICKS_PER_SECOND;
  }
}
