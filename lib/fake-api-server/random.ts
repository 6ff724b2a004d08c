import { createHash } from "node:crypto";

// Everything random in a scenario is a hash of a seed and a name: no state, so no order of calls matters.

/** 32 bits that depend on the whole text (FNV-1a with a final mix). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A UUID in form (version 4 bits set) that depends on the text alone. Cheap: made for one call per object. */
export function uuidOf(text: string): string {
  const hex = (salt: string) =>
    hashOf(salt + text)
      .toString(16)
      .padStart(8, "0");
  const a = hex("a");
  const b = hex("b");
  const c = hex("c");
  const d = hex("d");
  const variant = "89ab"[Number.parseInt(c.slice(0, 1), 16) & 3];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** Lower-case base32 of SHA-256, as the API server names its identity Lease. */
export function identityHashOf(text: string): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  let bits = 0;
  let value = 0;
  let out = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += alphabet[(value >>> bits) & 31];
      value &= (1 << bits) - 1;
    }
  }
  return bits > 0 ? out + alphabet[(value << (5 - bits)) & 31] : out;
}
