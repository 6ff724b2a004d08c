import type { AgentsResponse, FleetAgentRow } from "../../contracts/agent-pages.ts";
import { compareAgents } from "../../domain/fan-out/fan-out-summary.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";
import { type AgentOnClusterRow, countVerdicts, kindOfId, loadFleetAgents, rankOf } from "./agent-rows.ts";

/** Agents of the fleet, worst verdict first, from what is stored of each cluster. */
export async function getAgents(context: ServiceContext): Promise<AgentsResponse> {
  const [{ frame }, { rowsById, clusters, clustersSimulated }] = await Promise.all([
    loadFleet(context),
    loadFleetAgents(context),
  ]);
  const agents = [...rowsById].flatMap(([agentId, members]) => {
    const [first] = members;
    return first === undefined ? [] : [{ first, agent: toFleetAgent(agentId, first, members) }];
  });
  return {
    frame,
    agents: agents
      .sort((a, b) => compareAgents(rankOf(a.first, a.agent.title), rankOf(b.first, b.agent.title)))
      .map(({ agent }) => agent),
    clusters,
    clustersSimulated,
  };
}

function toFleetAgent(
  agentId: string,
  first: AgentOnClusterRow,
  members: readonly AgentOnClusterRow[],
): FleetAgentRow {
  const rows = members.map(({ row }) => row);
  const versions = [...Map.groupBy(rows, ({ version }) => version)].map(([version, same]) => ({
    version,
    clusters: same.length,
    copies: same.reduce((sum, { copies }) => sum + (copies ?? 0), 0),
  }));
  return {
    agentId,
    title: first.title,
    kind: kindOfId(agentId),
    versions: versions.sort(
      (a, b) => b.copies - a.copies || ((a.version ?? "") < (b.version ?? "") ? -1 : 1),
    ),
    copies: rows.reduce((sum, { copies }) => sum + (copies ?? 0), 0),
    clustersWithoutCopies: rows.filter(({ copies }) => copies === null).length,
    verdicts: countVerdicts(rows),
    worst: first.row,
  };
}
