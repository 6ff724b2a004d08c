/** Longest Retry-After, in seconds. */
const MAX_RETRY_AFTER = 32;
/** The window must hold this many rejections per second of Retry-After for it to double. */
const DROPS_TO_DOUBLE = 3;

/**
 * Rejections of one priority level on one API server and the Retry-After that follows, since 1.28.
 *
 * It is looked at on the first rejection in a new second t, over the rejections in [t − Retry-After, t): at least three
 * for each of its seconds, and so long since the last rise, double it, up to 32 s; fewer than one for each of its
 * seconds take one second off. Without rejections it stays. Time is in whole Unix seconds.
 * Source: apiserver pkg/util/flowcontrol/dropped_requests_tracker.go, v1.28 to v1.37.
 */
export class DroppedRequests {
  #retryAfterSeconds = 1;
  #raisedAt = 0;
  #currentSecond: number | null = null;
  #currentDrops = 0;
  /** Seconds with rejections before the current one, oldest first. */
  #history: { readonly second: number; readonly drops: number }[] = [];

  get retryAfterSeconds(): number {
    return this.#retryAfterSeconds;
  }

  /** A request is rejected in this second; seconds do not go back. What it is told is `retryAfterSeconds` after it. */
  record(second: number): void {
    if (this.#currentSecond === second) {
      this.#currentDrops++;
      return;
    }
    if (this.#currentSecond !== null) this.#remember(this.#currentSecond, this.#currentDrops);
    this.#currentSecond = second;
    this.#currentDrops = 1;
    this.#adjust(second);
  }

  #remember(second: number, drops: number): void {
    this.#history.push({ second, drops });
    const reach = Math.min(2 * this.#retryAfterSeconds, MAX_RETRY_AFTER);
    const kept = this.#history.findIndex((past) => second - past.second <= reach);
    this.#history.splice(0, kept);
  }

  #adjust(second: number): void {
    const retryAfter = this.#retryAfterSeconds;
    const drops = this.#history
      .filter((past) => second - past.second <= retryAfter)
      .reduce((sum, past) => sum + past.drops, 0);
    if (second - this.#raisedAt >= retryAfter && drops >= DROPS_TO_DOUBLE * retryAfter) {
      this.#retryAfterSeconds = Math.min(2 * retryAfter, MAX_RETRY_AFTER);
      this.#raisedAt = second;
    } else if (drops < retryAfter && retryAfter > 1) {
      this.#retryAfterSeconds--;
    }
  }
}
