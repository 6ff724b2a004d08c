/**
 * A budget that refills steadily up to a capacity and may be overdrawn by what is charged after the fact. Time is
 * passed in; nothing here waits.
 */
export class TokenBucket {
  #capacity: number;
  #perSecond: number;
  #tokens: number;
  #updatedAt: number;

  /** Starts full. @param now milliseconds since the epoch */
  constructor(capacity: number, perSecond: number, now: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#updatedAt = now;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** What is left; negative while overdrawn. */
  available(now: number): number {
    this.#refill(now);
    return this.#tokens;
  }

  /** Takes without asking: what is left may become negative. */
  take(amount: number, now: number): void {
    this.#refill(now);
    this.#tokens -= amount;
  }

  /** Milliseconds until `amount` is left; 0 when it is, Infinity when it never will be. */
  waitMs(amount: number, now: number): number {
    this.#refill(now);
    if (this.#tokens >= amount) return 0;
    if (amount > this.#capacity || this.#perSecond <= 0) return Number.POSITIVE_INFINITY;
    return Math.ceil(((amount - this.#tokens) / this.#perSecond) * 1000);
  }

  /** Another rate from now on; what is left stays. */
  setRate(perSecond: number, now: number): void {
    this.#refill(now);
    this.#perSecond = perSecond;
  }

  #refill(now: number): void {
    // A clock that was set back gives nothing, and takes nothing.
    const seconds = Math.max(0, now - this.#updatedAt) / 1000;
    this.#tokens = Math.min(this.#capacity, this.#tokens + seconds * this.#perSecond);
    this.#updatedAt = now;
  }
}
