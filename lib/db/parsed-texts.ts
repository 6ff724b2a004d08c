interface Parsed<T> {
  readonly text: string;
  readonly value: T;
}

/**
 * Values of texts that are read again and again and change rarely: the fleet page reads thousands of JSON columns with
 * every request, few of which have changed since the one before. One value is kept per key, the one of its latest
 * text; a text that differs is parsed anew. Whoever gets a value must not change it.
 */
export class ParsedTexts<T> {
  readonly #parse: (text: string) => T;
  readonly #maxKeys: number;
  readonly #byKey = new Map<string, Parsed<T>>();

  /** `parse` depends on the text alone. Beyond `maxKeys` keys everything is forgotten, and parsed again when asked for. */
  constructor(parse: (text: string) => T, maxKeys = 50_000) {
    this.#parse = parse;
    this.#maxKeys = maxKeys;
  }

  get(key: string, text: string): T {
    const known = this.#byKey.get(key);
    if (known !== undefined && known.text === text) return known.value;
    const value = this.#parse(text);
    if (this.#byKey.size >= this.#maxKeys && known === undefined) this.#byKey.clear();
    this.#byKey.set(key, { text, value });
    return value;
  }
}
