/** A 32-bit hash of text, the same everywhere; not for what must not be guessed (FNV-1a over UTF-16 units, mixed). */
export function hashText(text: string, seed = 0): number {
  // Multiplied, so that no seed does what another first character would do.
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return hash ^ (hash >>> 16);
}

/** One of 2^30 keys, which engines keep without an object of their own. */
export const smallKey = (text: string, seed = 0): number => hashText(text, seed) & 0x3fffffff;
