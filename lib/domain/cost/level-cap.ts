import { isAtLeast, type RuleVersion } from "../kubernetes/version.ts";

/** Share of its nominal limit that one request may take of a level. */
const SEATS_RATIO_PER_REQUEST = 0.15;

/**
 * The cap in seats that a priority level sets for one request (`plMax`): at least 1, at most 15 % of its nominal limit
 * rounded up, at most the limit divided by the hand. `handSize` `null`: a level that does not queue (Reject, exempt)
 * sets none, which is 0.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v0.28 to v0.37.
 */
export function levelMaxSeats(nominalSeats: number, handSize: number | null): number {
  if (handSize === null) return 0;
  const share = Math.ceil(nominalSeats * SEATS_RATIO_PER_REQUEST);
  return Math.max(1, Math.min(share, Math.trunc(nominalSeats / handSize)));
}

/**
 * The cap after a new configuration. A level that queued before and rejects now keeps the cap it had, until it is
 * removed; `previous` is the cap before, 0 for a new level.
 */
export function nextLevelMaxSeats(previous: number, nominalSeats: number, handSize: number | null): number {
  return handSize === null ? previous : levelMaxSeats(nominalSeats, handSize);
}

/** Whether a version caps requests by level: 1.28.0 and what it was brought back to, 1.27.5 and 1.26.8. */
export function hasLevelCap(version: Pick<RuleVersion, "minor" | "patch">): boolean {
  if (version.minor === 27) return isAtLeast(version, 27, 5);
  return version.minor === 26 ? isAtLeast(version, 26, 8) : version.minor > 26;
}
