import type { ApiServerErrorReason } from "./api-server-error.ts";

/** What the decision rests on. */
export interface RetryInput {
  readonly reason: ApiServerErrorReason;
  readonly status: number | null;
  /** Seconds from Retry-After, or null. */
  readonly retryAfterSeconds: number | null;
  /** The connection was closed before an answer came. */
  readonly wasReset: boolean;
  /** Parts of the body have been handed over already: a second attempt would hand them over twice. */
  readonly hasDelivered: boolean;
  /** Attempts made, this one included; 1 after the first. */
  readonly attempts: number;
  /** A number in [0, 1). */
  readonly random: number;
}

/** Whether to try again, and after how long. `because` says why not. */
export type RetryDecision =
  | { readonly retry: true; readonly delaySeconds: number }
  | { readonly retry: false; readonly because: "final" | "exhausted" | "too-long" };

/** Longest Retry-After that is waited for inside a request; API servers ask for at most 32 s. */
export const MAX_RETRY_AFTER_SECONDS = 32;
/** Attempts at a request that was throttled: the first, and two more. */
export const MAX_THROTTLED_ATTEMPTS = 3;
/** Attempts at a request that met a server error or a closed connection: the first, and one more. */
export const MAX_FAILED_ATTEMPTS = 2;

/**
 * What is worth a second attempt. Never 401 or 403, nor anything else that would come out the same. 429 is tried again
 * after exactly Retry-After (1 s where the header is missing). A 5xx with Retry-After likewise; a 5xx without, and a
 * connection that was closed before an answer, once, after 0.5 to 1.5 s.
 */
export function decideRetry(input: RetryInput): RetryDecision {
  const isThrottled = input.reason === "throttled";
  const isTransient = isThrottled || input.reason === "server-error" || input.wasReset;
  if (!isTransient || input.hasDelivered) return { retry: false, because: "final" };
  if (input.attempts >= (isThrottled ? MAX_THROTTLED_ATTEMPTS : MAX_FAILED_ATTEMPTS)) {
    return { retry: false, because: "exhausted" };
  }
  const delaySeconds = input.retryAfterSeconds ?? (isThrottled ? 1 : 0.5 + input.random);
  return delaySeconds > MAX_RETRY_AFTER_SECONDS
    ? { retry: false, because: "too-long" }
    : { retry: true, delaySeconds };
}

/**
 * Seconds of a Retry-After header, given as seconds or as a date; null where it is missing or neither.
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Only real HTTP dates: Date.parse takes "1" and "5 apples" for dates.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
