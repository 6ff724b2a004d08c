import type {
  AgentClusterRow,
  AgentQuery,
  AgentResponse,
  AgentSubject,
} from "../../contracts/agent-pages.ts";
import type { ChartSeries } from "../../contracts/common.ts";
import { isStale } from "../../domain/clusters/part.ts";
import { titleOfAgent } from "../../domain/fan-out/fan-out-summary.ts";
import type { FanOut } from "../../domain/fan-out/open-fan-out.ts";
import { AppError } from "../../errors.ts";
import { type ClusterPage, loadClusterPage } from "../clusters/load-cluster-page.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";
import { toAgentValue, toFactsValue } from "../fan-out/get-fan-out.ts";
import { openStoredFanOut } from "../fan-out/open-stored-fan-out.ts";
import { toChartSeries } from "../history/chart-series.ts";
import { countVerdicts, kindOfId, loadFleetAgents, withProjection } from "./agent-rows.ts";

/** Clusters of which the whole projection is read for the table, worst first: each is a value to unpack. */
const PROJECTIONS_MAX = 60;
const HISTORY_SECONDS = 30 * 86_400;
const HISTORY_POINTS = 120;

/**
 * One agent over the fleet, with all that simulating it on one cluster takes.
 * @throws AppError `not-found` for an agent that no cluster is known to have, and for a cluster that there is not
 */
export async function getAgent(
  context: ServiceContext,
  { agentId, query }: { readonly agentId: string; readonly query: AgentQuery },
): Promise<AgentResponse> {
  const [{ frame }, { rowsById }] = await Promise.all([loadFleet(context), loadFleetAgents(context)]);
  const members = rowsById.get(agentId) ?? [];
  const clusterId = query.cluster ?? members[0]?.row.clusterId ?? null;
  const subject = clusterId === null ? null : await loadSubject(context, clusterId, agentId);
  if (members.length === 0 && subject === null) throw agentNotFound();
  const rows = await Promise.all(
    members.map(async ({ row }, index) => (index < PROJECTIONS_MAX ? readRow(context, row, agentId) : row)),
  );
  return {
    frame,
    agentId,
    title: subject === null ? (members[0]?.title ?? agentId) : titleOfAgent(subject.agent),
    kind: subject?.agent.kind ?? kindOfId(agentId),
    clusters: rows,
    verdicts: countVerdicts(rows),
    subject,
    clusterId,
  };
}

async function readRow(
  context: ServiceContext,
  row: AgentClusterRow,
  agentId: string,
): Promise<AgentClusterRow> {
  const stored = await context.store.fanOut.get(row.clusterId);
  return withProjection(row, stored?.projections.find((each) => each.agentId === agentId) ?? null);
}

async function loadSubject(
  context: ServiceContext,
  clusterId: string,
  agentId: string,
): Promise<AgentSubject | null> {
  const page = await loadClusterPage(context, clusterId);
  const fanOut = openStoredFanOut(page);
  return fanOut === null ? null : makeSubject(context, page, fanOut, agentId);
}

async function makeSubject(
  context: ServiceContext,
  page: ClusterPage,
  fanOut: FanOut,
  agentId: string,
): Promise<AgentSubject | null> {
  const agent = fanOut.agents.find(({ id }) => id === agentId);
  const cost = fanOut.costs.get(agentId);
  if (agent === undefined || cost === undefined) return null;
  const { header, parts, frame } = page;
  const start = ({ seats, receivedBytes }: typeof cost.perStart) => ({ seats, bytes: receivedBytes });
  return {
    clusterId: header.clusterId,
    clusterName: header.name,
    agent: toAgentValue(agent, cost),
    facts: toFactsValue(fanOut),
    copies: cost.copies,
    perStart: start(cost.perStart),
    total: cost.total && start(cost.total),
    levels: cost.levels.map(({ priorityLevelName, flowSchemaName, isOneFlow }) => ({
      priorityLevelName,
      flowSchemaName,
      isOneFlow,
    })),
    grade: cost.grade,
    unknown: [...cost.unknown],
    doubts: [...fanOut.doubts],
    observedAt: fanOut.facts.observedAt,
    isStale: [parts.sizes, parts.inventory].some((part) => part !== undefined && isStale(part, frame.now)),
    nodeHistory: await readNodes(context, header.clusterId, frame.now),
  };
}

async function readNodes(
  { store }: ServiceContext,
  clusterId: string,
  now: number,
): Promise<ChartSeries | null> {
  const toSeconds = Math.floor(now / 1000);
  const [series] = await store.samples.query(
    clusterId,
    { metric: "nodes", serverId: null },
    { fromSeconds: toSeconds - HISTORY_SECONDS, toSeconds, maxPoints: HISTORY_POINTS },
  );
  return series === undefined || series.points.length === 0 ? null : toChartSeries(series, new Map());
}

/** Does not repeat the id: it came from the address and may be anything. */
const agentNotFound = (): AppError =>
  new AppError("not-found", "No cluster is known to run an agent of this id.");
