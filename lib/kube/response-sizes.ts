/** Answers smaller than this are not worth remembering. */
const WORTH_BYTES = 64 * 1024;
const MAX_ENTRIES = 500;
/** A size this old says nothing any more: what never fitted is tried again. */
const MAX_AGE_MS = 600_000;

/**
 * How large answers were the last time, by server and path without query, so that the budget can wait for room before
 * a large one is asked for rather than stop it half way.
 */
export class ResponseSizes {
  readonly #sizes = new Map<string, { readonly bytes: number; readonly at: number }>();

  /** Bytes on the wire to expect, or null where nothing is known. */
  expect(server: string, path: string, now: number): number | null {
    const known = this.#sizes.get(keyOf(server, path));
    return known === undefined || now - known.at > MAX_AGE_MS ? null : known.bytes;
  }

  remember(server: string, path: string, bytes: number, now: number): void {
    const key = keyOf(server, path);
    this.#sizes.delete(key);
    if (bytes < WORTH_BYTES) return;
    this.#sizes.set(key, { bytes, at: now });
    for (const oldest of this.#sizes.keys()) {
      if (this.#sizes.size <= MAX_ENTRIES) break;
      this.#sizes.delete(oldest);
    }
  }
}

function keyOf(server: string, path: string): string {
  return `${server} ${path.split("?", 1)[0]}`;
}
