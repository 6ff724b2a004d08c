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
  #low = 0;
  #high = 0;

  /** `capacity`: a power of two. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#mask = capacity * 2 - 1;
    this.#young = new Uint32Array(capacity * 4);
    this.#old = new Uint32Array(capacity * 4);
  }

  has(key: string, kind = 0): boolean {
    this.#hash(key, kind);
    return this.#find(this.#young) < 0 || this.#find(this.#old) < 0;
  }

  /**
   * False where the key, of this kind, was there. `isSurelyNew`: it cannot be among the older half, which is then not
   * looked at.
   */
  add(key: string, kind = 0, isSurelyNew = false): boolean {
    this.#hash(key, kind);
    const slot = this.#find(this.#young);
    if (slot < 0 || (!isSurelyNew && this.#find(this.#old) < 0)) return false;
    this.#young[slot * 2] = this.#low;
    this.#young[slot * 2 + 1] = this.#high;
    if (++this.#count >= this.#capacity) {
      [this.#young, this.#old] = [this.#old, this.#young];
      this.#young.fill(0);
      this.#count = 0;
    }
    return true;
  }

  /** Both halves of the hash in one pass over the key. */
  #hash(key: string, kind: number): void {
    let low = 0x811c9dc5 ^ Math.imul(kind, 0x9e3779b1);
    let high = 0x3c6ef372 + Math.imul(kind, 0x85ebca6b);
    for (let i = 0; i < key.length; i++) {
      const code = key.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high + code, 0x5bd1e995) ^ (high >>> 15);
    }
    low = Math.imul(low ^ (low >>> 16), 0x7feb352d);
    this.#low = (low ^ (low >>> 15)) >>> 0;
    // Never 0, which marks an empty slot.
    this.#high = (high ^ (high >>> 13)) >>> 0 || 1;
  }

  /** The empty slot where the key belongs; −1 where it is there. Half of the slots at least are empty. */
  #find(table: Uint32Array): number {
    for (let slot = this.#low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const found = table[slot * 2 + 1];
      if (found === 0) return slot;
      if (found === this.#high && table[slot * 2] === this.#low) return -1;
    }
  }
}
