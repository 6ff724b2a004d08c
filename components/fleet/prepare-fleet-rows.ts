import type { ClusterState, FleetResponse, FleetRow } from "@/lib/contracts/fleet";

export const CLUSTER_STATES = [
  "error",
  "unreachable",
  "warning",
  "unknown",
  "ok",
] as const satisfies readonly ClusterState[];
export const RISK_AREAS = ["fairness", "collection"] as const;
export type RiskArea = FleetResponse["risks"][number]["area"];

/** What the reader narrowed the table to; empty strings and `null` narrow nothing. */
export interface FleetFilter {
  readonly text: string;
  readonly state: ClusterState | null;
  readonly role: string;
  /** Minor release: `1.34`. */
  readonly version: string;
  /** Only clusters in trouble in this area. */
  readonly risk: RiskArea | null;
}

export const NO_FILTER: FleetFilter = { text: "", state: null, role: "", version: "", risk: null };

/** Rows that fit the filter, in the order given. Words of the text must all occur in name, role, version or reason. */
export function filterRows(rows: readonly FleetRow[], filter: FleetFilter): readonly FleetRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (row) =>
      (filter.state === null || row.state === filter.state) &&
      (filter.role === "" || row.role === filter.role) &&
      (filter.version === "" || minorOf(row.version) === filter.version) &&
      (filter.risk === null || isInTrouble(row, filter.risk)) &&
      hasWords(row, words),
  );
}

/** How many clusters are in each state; a state nobody is in counts 0. */
export function countStates(rows: readonly FleetRow[]): Readonly<Record<ClusterState, number>> {
  const counts: Record<ClusterState, number> = { error: 0, unreachable: 0, warning: 0, unknown: 0, ok: 0 };
  for (const row of rows) counts[row.state] += 1;
  return counts;
}

/** Roles that occur, sorted. */
export function listRoles(rows: readonly FleetRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ role }) => (role === null ? [] : [role])))].sort();
}

/** Minor releases that occur, newest first. */
export function listVersions(rows: readonly FleetRow[]): readonly string[] {
  const minors = new Set(rows.flatMap(({ version }) => minorOf(version) ?? []));
  return [...minors].sort((a, b) => Number(b.split(".")[1]) - Number(a.split(".")[1]));
}

/** `v1.34.2` as the pages write it: `1.34.2`. */
export const displayVersion = (version: string): string => version.replace(/^v/, "");

/** Rank for sorting by state: unknown above ok, below what is wrong. */
export const STATE_RANK: Readonly<Record<ClusterState | "info", number>> = {
  error: 5,
  unreachable: 4,
  warning: 3,
  unknown: 2,
  info: 1,
  ok: 0,
};

function minorOf(version: string | null): string | null {
  return version === null ? null : (/^v?(\d+\.\d+)/.exec(version)?.[1] ?? null);
}

function isInTrouble(row: FleetRow, area: RiskArea): boolean {
  switch (area) {
    case "fairness":
      return row.fairness.severity !== "ok" && row.fairness.severity !== "info";
    case "collection":
      return row.unreachableSince !== null || row.isStale || row.dataAt === null;
    default:
      return area satisfies never;
  }
}

function hasWords(row: FleetRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [row.name, row.role, row.version, row.worstReason].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
