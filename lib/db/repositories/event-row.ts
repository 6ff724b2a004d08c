import { EVENT_KINDS, SEVERITIES } from "../../domain/clusters/event.ts";
import type { StoredEvent } from "../store.ts";

/** An event as SQL gives it, with the name of its cluster. */
export interface EventRow {
  readonly id: number;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly kind: string;
  readonly severity: string;
  readonly at: number;
  readonly subject: string;
  readonly lead: string;
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly isGenerated: number;
}

export const SELECT_EVENTS = `SELECT e.id, e.cluster_id AS clusterId, c.name AS clusterName, e.kind, e.severity, e.at,
  e.subject, e.lead, e.text, e.before, e.after, e.is_generated AS isGenerated`;

/** The event; `null` for a kind that this release does not know. An unknown severity is said to be unknown. */
export function toStoredEvent(row: EventRow): StoredEvent | null {
  const kind = EVENT_KINDS.find((name) => name === row.kind);
  if (kind === undefined) return null;
  return {
    ...row,
    id: String(row.id),
    kind,
    severity: SEVERITIES.find((name) => name === row.severity) ?? "unknown",
    isGenerated: row.isGenerated === 1,
  };
}

/** Keys of the events that `ids` name; an id that is no number names none. */
export function toEventKeys(ids: readonly string[]): readonly number[] {
  return [...new Set(ids)].filter((id) => /^\d{1,15}$/.test(id)).map(Number);
}
