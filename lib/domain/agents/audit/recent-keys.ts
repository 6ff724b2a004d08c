import { hashText } from "./hash-text.ts";

/**
 * Remembers the last keys it was given, at least `capacity` and at most twice as many, in fixed memory: 32 bytes for
 * each of `capacity`. It keeps 64 bits of hash in place of the key, so that of 10^7 keys asked for one in a million
 * logs is taken for another.
 */
export class RecentKeys {
  readonly #capacity: number;
  readonly #mask: number;
  #young: Uint32Array;
  #old: Uint32Array;
  #count = 0;

  /** `capacity`: a power of two. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#mask = capacity * 2 - 1;
    this.#young = new Uint32Array(capacity * 4);
    this.#old = new Uint32Array(capacity * 4);
  }

  has(key: string, kind = 0): boolean {
    const low = hashText(key, kind * 2);
    const high = hashText(key, kind * 2 + 1) || 1;
    return find(this.#young, this.#mask, low, high) < 0 || find(this.#old, this.#mask, low, high) < 0;
  }

  /** False where the key, of this kind, was there. */
  add(key: string, kind = 0): boolean {
    const low = hashText(key, kind * 2);
    const high = hashText(key, kind * 2 + 1) || 1;
    const slot = find(this.#young, this.#mask, low, high);
    if (slot < 0 || find(this.#old, this.#mask, low, high) < 0) return false;
    this.#young[slot * 2] = low;
    this.#young[slot * 2 + 1] = high;
    if (++this.#count >= this.#capacity) {
      [this.#young, this.#old] = [this.#old, this.#young];
      this.#young.fill(0);
      this.#count = 0;
    }
    return true;
  }
}

/** The empty slot where a key belongs; −1 where the key is there. Half of the slots at least are empty. */
function find(table: Uint32Array, mask: number, low: number, high: number): number {
  const wantedLow = low >>> 0;
  const wantedHigh = high >>> 0;
  for (let slot = wantedLow & mask; ; slot = (slot + 1) & mask) {
    const foundHigh = table[slot * 2 + 1];
    if (foundHigh === 0) return slot;
    if (foundHigh === wantedHigh && table[slot * 2] === wantedLow) return -1;
  }
}
