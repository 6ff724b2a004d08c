/** Result of matching the beginning of a line: where the name ends, or -1 for a line nobody wants. */
const NO_MATCH = -1;

const BLANK = 0x20;
const TAB = 0x09;
const OPEN_BRACE = 0x7b;
const COLUMNS = 128;

/**
 * The wanted metric names as a table of bytes, so that most lines are turned away after a few of them and before
 * anything is decoded. It takes half a kilobyte for each character that names do not share: make it once, not for each
 * page. Names are ASCII and stand as in the text (`x_bucket`, `x_sum`); one that ends in `*` is a prefix.
 */
export class MetricNames {
  #next: Int32Array = new Int32Array(COLUMNS);
  #isName: Uint8Array = new Uint8Array(1);
  #isPrefix: Uint8Array = new Uint8Array(1);
  #nodes = 1;

  /** @throws RangeError for a name that no metric can have */
  constructor(names: Iterable<string>) {
    for (const name of names) this.#add(name);
  }

  /** Offset just after the name that begins at `start`, or -1 where it is not wanted. The line ends before `end`. */
  match(bytes: Uint8Array, start: number, end: number): number {
    let node = 0;
    let isPrefix = false;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === OPEN_BRACE || byte === BLANK || byte === TAB) break;
      if (isPrefix) continue;
      node = byte < COLUMNS ? (this.#next[node * COLUMNS + byte] ?? 0) : 0;
      if (node === 0) return NO_MATCH;
      isPrefix = this.#isPrefix[node] === 1;
    }
    return isPrefix || this.#isName[node] === 1 ? at : NO_MATCH;
  }

  #add(pattern: string): void {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*\*?$/.test(pattern)) {
      throw new RangeError(`${JSON.stringify(pattern)} is no metric name`);
    }
    const isPrefix = pattern.endsWith("*");
    const name = isPrefix ? pattern.slice(0, -1) : pattern;
    let node = 0;
    for (const byte of Buffer.from(name, "latin1")) {
      const cell = node * COLUMNS + byte;
      let next = this.#next[cell] ?? 0;
      if (next === 0) {
        next = this.#grow();
        this.#next[cell] = next;
      }
      node = next;
    }
    (isPrefix ? this.#isPrefix : this.#isName)[node] = 1;
  }

  #grow(): number {
    const node = this.#nodes++;
    if (node * COLUMNS >= this.#next.length) {
      const capacity = Math.max(64, node * 2);
      this.#next = enlarge(this.#next, new Int32Array(capacity * COLUMNS));
      this.#isName = enlarge(this.#isName, new Uint8Array(capacity));
      this.#isPrefix = enlarge(this.#isPrefix, new Uint8Array(capacity));
    }
    return node;
  }
}

function enlarge<T extends Int32Array | Uint8Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
