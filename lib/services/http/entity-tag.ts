import { createHash } from "node:crypto";

type Members = Readonly<Record<string, unknown>>;

/**
 * Weak tag of a JSON body: equal for two bodies that differ in nothing but the time at which they were made. The
 * version is part of it, since a new release may write the same figures otherwise.
 */
export function weakEntityTag(body: unknown, version: string): string {
  const text = JSON.stringify(withoutClock(body));
  const hash = createHash("sha256").update(version).update("\n").update(text).digest("base64url");
  return `W/"${hash.slice(0, 22)}"`;
}

/**
 * The body without the members that move with the clock although nothing changed: when it was made, the ends of a range
 * up to now, the heartbeat of the collector. They stand at the top and in the frame only; what rests on them in the
 * page comes with the next real change.
 */
function withoutClock(body: unknown): unknown {
  if (!isMembers(body)) return body;
  const { now: _now, fromAt: _fromAt, toAt: _toAt, collector, frame, ...rest } = body;
  return {
    ...rest,
    ...(frame === undefined ? {} : { frame: withoutClock(frame) }),
    ...(isMembers(collector) ? { collector: { ...collector, heartbeatAt: null } } : {}),
  };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an If-None-Match header names this tag, by weak comparison. Source: RFC 9110, 13.1.2. */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (each: string) => each.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((each) => opaque(each) === opaque(tag));
}
