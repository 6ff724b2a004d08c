/** Lets one through at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is this caller's turn, with the function that ends the turn. Calling it twice changes nothing. */
  async enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Runs `work` in a turn of its own, which ends whether it succeeds or not. */
  async pass<T>(work: () => T | Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
