import { keptText } from "./kept-text.ts";

/**
 * Values by the text they are written in: users, addresses and verbs come again and again in a log, and are made once.
 * At most so many are known; then it begins anew.
 */
export class KnownTexts<Value> {
  readonly #make: (text: string) => Value;
  readonly #most: number;
  readonly #values = new Map<string, Value>();

  /** What `make` throws is passed on, and nothing is kept. */
  constructor(most: number, make: (text: string) => Value) {
    this.#make = make;
    this.#most = most;
  }

  get(text: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    // A copy: the text is a part of a line, which it would keep alive.
    const own = keptText(text, Number.POSITIVE_INFINITY);
    const value = this.#make(own);
    if (this.#values.size >= this.#most) this.#values.clear();
    this.#values.set(own, value);
    return value;
  }
}
