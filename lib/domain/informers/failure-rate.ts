import { toSeconds, toTicks } from "../rollout/ticks.ts";
import type { ClientGoRules } from "./client-go.ts";
import { ReflectorBackOff } from "./reflector-back-off.ts";
import { MAX_RETRIES } from "./rest-retry.ts";

/** How everything fails: each answer with this status or failure, for ever. */
export interface PersistentFailure {
  /** Seconds of Retry-After; `null`: none, or no answer at all. */
  readonly retryAfterSeconds: number | null;
  /** WatchList mode on an error other than 429 and refused connections: a LIST follows each WATCH at once. */
  readonly isFollowedByList?: boolean | undefined;
}

/** Calls over which the mean is taken: many rounds of any back-off. */
const CALLS = 2_000;

/**
 * Requests per second of one informer once a failure has lasted long, with mean jitter. Up to client-go 0.35 back-off
 * stays at 30 s: 1/45, and 11/(10 R + 45) with Retry-After R. From 0.36 it begins anew every two minutes, which is two
 * to three times as many.
 */
export function persistentFailureRate(rules: ClientGoRules, failure: PersistentFailure): number {
  const { retryAfterSeconds, isFollowedByList = false } = failure;
  const attempts = retryAfterSeconds === null ? 1 : 1 + MAX_RETRIES;
  const attemptTicks = toTicks((attempts - 1) * (retryAfterSeconds ?? 0));
  const backOff = new ReflectorBackOff(rules.backOffResetsSince, 0);
  let now = 0;
  let settledAt = 0;
  for (let call = 0; call < 2 * CALLS; call++) {
    // The first half lets the start die away.
    if (call === CALLS) settledAt = now;
    now += attemptTicks;
    now += backOff.next(now, () => 0.5);
  }
  return (CALLS * attempts * (isFollowedByList ? 2 : 1)) / toSeconds(now - settledAt);
}
