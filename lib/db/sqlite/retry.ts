import { setTimeout as delay } from "node:timers/promises";
import { isBusy } from "./errors.ts";

export interface RetryOptions {
  /** Uniform in [0, 1): the jitter. */
  readonly random: () => number;
  /** Attempts in all; the default waits about ten seconds at most. */
  readonly attempts?: number;
}

/**
 * Runs `attempt` until another connection no longer holds the lock. Waits 2, 4, 8 … 100 ms between attempts, each
 * times 0.5 to 1.5, so that two writers do not meet again in step. The last failure is thrown as it is.
 */
export async function retryWhileBusy<T>(
  attempt: () => T | Promise<T>,
  { random, attempts = 110 }: RetryOptions,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || made >= attempts) throw error;
      await delay(Math.min(100, 2 ** made) * (0.5 + random()));
    }
  }
}
