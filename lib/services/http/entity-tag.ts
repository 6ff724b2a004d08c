import { createHash } from "node:crypto";

/** Members that move with the clock although nothing changed; what rests on them comes with the next real change. */
const VOLATILE = new Set(["now", "heartbeatAt", "fromAt", "toAt"]);

/**
 * Weak tag of a JSON body: equal for two bodies that differ in nothing but the time at which they were made. The
 * version is part of it, since a new release may write the same figures otherwise.
 */
export function weakEntityTag(body: unknown, version: string): string {
  const text = JSON.stringify(body, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value));
  const hash = createHash("sha256").update(version).update("\n").update(text).digest("base64url");
  return `W/"${hash.slice(0, 22)}"`;
}

/** Whether an If-None-Match header names this tag, by weak comparison. Source: RFC 9110, 13.1.2. */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (each: string) => each.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((each) => opaque(each) === opaque(tag));
}
