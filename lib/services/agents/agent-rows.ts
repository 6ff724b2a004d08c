import type { AgentClusterRow, VerdictCounts } from "../../contracts/agent-pages.ts";
import { AGENT_KINDS, type AgentKind } from "../../domain/agents/agent.ts";
import type { AgentProjection } from "../../domain/fan-out/agent-projection.ts";
import {
  type AgentSummary,
  compareAgents,
  type FanOutSummary,
} from "../../domain/fan-out/fan-out-summary.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/** Agents of all clusters by id, as last simulated; of each its rows, worst first. */
export interface FleetAgents {
  readonly rowsById: ReadonlyMap<string, readonly AgentOnClusterRow[]>;
  /** Clusters that are there, and those of them of which a simulation is stored. */
  readonly clusters: number;
  readonly clustersSimulated: number;
}

export interface AgentOnClusterRow {
  readonly title: string;
  readonly row: AgentClusterRow;
}

export async function loadFleetAgents(context: ServiceContext): Promise<FleetAgents> {
  const [{ clusters }, summaries] = await Promise.all([
    loadFleet(context),
    context.store.fanOut.listSummaries(),
  ]);
  const rows: { readonly id: string; readonly one: AgentOnClusterRow }[] = [];
  let clustersSimulated = 0;
  for (const { cluster } of clusters) {
    const summary = summaries.get(cluster.id)?.summary;
    if (summary === undefined) continue;
    clustersSimulated += 1;
    for (const agent of summary.agents) {
      const row = toRow(cluster, summary, agent);
      rows.push({ id: agent.id, one: { title: agent.title, row } });
    }
  }
  const rowsById = new Map(
    [...Map.groupBy(rows, ({ id }) => id)].map(([id, all]) => [
      id,
      all.map(({ one }) => one).sort((a, b) => compareAgents(rankOf(a), rankOf(b))),
    ]),
  );
  return { rowsById, clusters: clusters.length, clustersSimulated };
}

/** What orders agents and clusters: verdict, whether it drains, bytes; then the name. */
export const rankOf = ({ row }: AgentOnClusterRow, title = row.clusterName) => ({
  verdict: row.verdict,
  undrained: row.undrained,
  bytes: row.bytes,
  title,
});

function toRow(
  { id, name }: { readonly id: string; readonly name: string },
  { at, nodes }: FanOutSummary,
  agent: AgentSummary,
): AgentClusterRow {
  const { version, copies, bytes, seats, verdict, simulated, drainSeconds, undrained } = agent;
  const each = (total: number | null) =>
    total === null || copies === null || copies === 0 ? null : total / copies;
  return {
    clusterId: id,
    clusterName: name,
    nodes,
    version,
    copies,
    perStartBytes: each(bytes),
    perStartSeats: each(seats),
    bytes,
    verdict,
    simulated,
    drainSeconds: undrained > 0 ? null : drainSeconds,
    rejected: null,
    neighbourWaitSeconds: null,
    undrained,
    reason: null,
    at,
  };
}

/** The row with what only the whole projection holds. */
export function withProjection(row: AgentClusterRow, projection: AgentProjection | null): AgentClusterRow {
  if (projection === null) return row;
  return {
    ...row,
    rejected: projection.rejected?.p50 ?? null,
    neighbourWaitSeconds: projection.neighbourWaitSeconds?.p50 ?? null,
    reason: projection.reasons[0]?.text ?? projection.skipped,
  };
}

export function countVerdicts(rows: readonly AgentClusterRow[]): VerdictCounts {
  const counts = { unsafe: 0, visible: 0, inconclusive: 0, invisible: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}

const KIND_BY_PREFIX = new Map<string, AgentKind>(AGENT_KINDS.map((kind) => [kind.toLowerCase(), kind]));

/** The kind that an id begins with: `daemonset/…`; the kubelets are clients of nodes. */
export function kindOfId(agentId: string): AgentKind {
  if (agentId === "client/kubelet") return "node-client";
  return KIND_BY_PREFIX.get(agentId.slice(0, agentId.indexOf("/"))) ?? "client";
}
