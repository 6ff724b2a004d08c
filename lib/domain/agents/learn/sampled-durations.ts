const MAX_KEPT = 512;

/** Seconds of a lot of durations, of which evenly spread ones are kept: at most 512, at any length. */
export class SampledDurations {
  #kept: number[] = [];
  #stride = 1;
  #seen = 0;

  get count(): number {
    return this.#seen;
  }

  add(seconds: number): void {
    if (this.#seen++ % this.#stride !== 0) return;
    this.#kept.push(seconds);
    if (this.#kept.length < MAX_KEPT) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  /** Of the kept ones, at each share; `null` where there is none. */
  quantiles<const Shares extends readonly number[]>(shares: Shares): { [K in keyof Shares]: number } | null {
    const sorted = this.#kept.toSorted((a, b) => a - b);
    if (sorted.length === 0) return null;
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
    return shares.map(at) as { [K in keyof Shares]: number };
  }
}
