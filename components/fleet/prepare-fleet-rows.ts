import type { RowFilter } from "@/components/tables/column";
import type { ClusterState, FleetResponse, FleetRow } from "@/lib/contracts/fleet";

export const CLUSTER_STATES = [
  "error",
  "unreachable",
  "warning",
  "unknown",
  "ok",
] as const satisfies readonly ClusterState[];
export const RISK_AREAS = ["fan-out", "fairness", "collection"] as const;
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

/** What each part of the filter keeps. Words of the text must all occur in name, role, version or reason. */
export const FLEET_FILTERS: readonly RowFilter<FleetRow>[] = [
  { id: "text", fits: hasWords },
  { id: "state", fits: (row, state) => row.state === state },
  { id: "role", fits: (row, role) => row.role === role },
  { id: "version", fits: (row, version) => minorOf(row.version) === version },
  { id: "risk", fits: isInTrouble },
];

export const fleetRowKey = ({ clusterId }: FleetRow): string => clusterId;

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

/** In a risk area that this page does not know, nobody is. */
function isInTrouble(row: FleetRow, area: string): boolean {
  if (area === "fan-out") return row.fanOut.severity !== "ok";
  if (area === "fairness") return row.fairness.severity !== "ok" && row.fairness.severity !== "info";
  return area === "collection" && (row.unreachableSince !== null || row.isStale || row.dataAt === null);
}

function hasWords(row: FleetRow, wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [row.name, row.role, row.version, row.worstReason].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
