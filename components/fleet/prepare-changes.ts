import type { SeverityValue } from "@/lib/contracts/common";
import type { ChangesResponse } from "@/lib/contracts/fleet";
import { dayKey, type TimeZone } from "@/lib/format/instant";

export type Change = ChangesResponse["changes"][number];

/** For how long an acknowledgement can be undone where it was made. */
export const UNDO_MS = 10_000;
/** More changes than this are acknowledged together only after one question. */
export const ASK_ABOVE = 20;

const RANK: Readonly<Record<SeverityValue, number>> = { error: 0, unknown: 1, warning: 2, info: 3, ok: 4 };

/** By day, newest first; inside a day the worst first, then the newest; ties by id, so that no row moves when one is marked. */
export function compareChanges(a: Change, b: Change, zone: TimeZone): number {
  return (
    dayKey(b.at, zone).localeCompare(dayKey(a.at, zone)) ||
    RANK[a.severity] - RANK[b.severity] ||
    b.at - a.at ||
    a.id.localeCompare(b.id)
  );
}

/**
 * What is drawn: changes that wait, and those just acknowledged, which stay in their places for as long as that can be
 * undone.
 */
export function mergeChanges(
  waiting: readonly Change[],
  acknowledged: ReadonlyMap<string, Change>,
  zone: TimeZone,
): readonly { readonly change: Change; readonly isAcknowledged: boolean }[] {
  const rows = waiting
    .filter(({ id }) => !acknowledged.has(id))
    .map((change) => ({ change, isAcknowledged: false }));
  const kept = [...acknowledged.values()].map((change) => ({ change, isAcknowledged: true }));
  return [...rows, ...kept].sort((a, b) => compareChanges(a.change, b.change, zone));
}
