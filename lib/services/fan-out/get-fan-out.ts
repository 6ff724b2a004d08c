import type { Elsewhere, FanOutAgent, FanOutResponse, ListPriceRowValue } from "../../contracts/fan-out.ts";
import type { StoredFanOut } from "../../db/store.ts";
import type { Agent } from "../../domain/agents/agent.ts";
import type { AgentCost } from "../../domain/agents/cost/agent-cost.ts";
import { addAmounts } from "../../domain/agents/cost/amount.ts";
import { subjectOf } from "../../domain/agents/informer-text.ts";
import type { SizesPart } from "../../domain/clusters/version-part.ts";
import { type AgentProjection, START_ALL } from "../../domain/fan-out/agent-projection.ts";
import { type CapacityRow, capacityRows } from "../../domain/fan-out/capacity-rows.ts";
import { compareAgents, type FanOutSummary, titleOfAgent } from "../../domain/fan-out/fan-out-summary.ts";
import { listPriceRows } from "../../domain/fan-out/list-price-rows.ts";
import type { FanOut } from "../../domain/fan-out/open-fan-out.ts";
import { ASSUMED_CLUSTER } from "../../domain/storm/resolve-cluster.ts";
import { loadClusterPage } from "../clusters/load-cluster-page.ts";
import { toPartReport } from "../clusters/part-report.ts";
import type { ServiceContext } from "../context.ts";
import { describeNotice } from "./describe-notice.ts";
import { hashOfInputs } from "./inputs-hash.ts";
import { openStoredFanOut } from "./open-stored-fan-out.ts";

const LISTS_MAX = 12;
/** Agents that other clusters are looked through for: those that the chart can show. */
const ELSEWHERE_MAX = 400;
/** Source: apiserver pkg/server/options/server_run_options.go: a quarter of the request timeout. */
const QUEUE_WAIT_SECONDS = ASSUMED_CLUSTER.requestTimeoutSeconds / 4;

/** What every agent of a cluster would cost if all its copies LISTed at once. @throws AppError `not-found` */
export async function getFanOut(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
): Promise<FanOutResponse> {
  const page = await loadClusterPage(context, clusterId);
  const [stored, summaries] = await Promise.all([
    context.store.fanOut.get(clusterId),
    context.store.fanOut.listSummaries(),
  ]);
  const { frame, header, parts } = page;
  const fanOut = openStoredFanOut(page);
  const agents = fanOut === null ? [] : listAgents(fanOut, stored);
  const capacity = fanOut === null ? [] : capacityRows([...fanOut.costs.values()], fanOut.projection);
  const lists =
    fanOut === null ? { rows: [], total: 0 } : listPriceRows(fanOut.agents, fanOut.projection, LISTS_MAX);
  const names = new Map(page.fleet.map(({ cluster }) => [cluster.id, cluster.name]));
  const elsewhere = listElsewhere(clusterId, fanOut?.agents ?? [], summaries, names);
  return {
    frame,
    header,
    notice: describeNotice({
      agents,
      capacity,
      elsewhere,
      clusterName: header.name,
      hasFacts: fanOut !== null,
      stored,
    }),
    inventory: parts.inventory === undefined ? null : toPartReport(parts.inventory, frame.now),
    sizes: parts.sizes === undefined ? null : toPartReport(parts.sizes, frame.now),
    facts: fanOut === null ? null : toFactsValue(fanOut),
    agents,
    otherWorkloads: fanOut?.otherWorkloads ?? 0,
    absent: [...(fanOut?.absent ?? [])],
    doubts: [...(fanOut?.doubts ?? [])],
    projection: stored && {
      at: stored.at,
      model: stored.model,
      seedsWanted: stored.seedsWanted,
      windowSeconds: START_ALL.windowSeconds,
      isCurrent: fanOut !== null && stored.inputsHash === hashOfInputs(fanOut.key),
    },
    capacity: capacity.map((row) => ({ ...row, capacity: row.capacity && { ...row.capacity } })),
    capacityTotal: sumCapacity(capacity, fanOut),
    lists: lists.rows.map((row) => ({ ...row, source: sourceOf(row, parts.sizes?.value ?? null) })),
    listsTotal: lists.total,
    elsewhere,
    queueWaitLimitSeconds: QUEUE_WAIT_SECONDS,
  };
}

function listAgents({ agents, costs }: FanOut, stored: StoredFanOut | null): FanOutAgent[] {
  const projections = new Map(stored?.projections.map((each) => [each.agentId, each]));
  return agents
    .flatMap((agent) => {
      const cost = costs.get(agent.id);
      return cost === undefined ? [] : [toAgent(agent, cost, projections.get(agent.id) ?? null)];
    })
    .sort((a, b) => compareAgents(rankOf(a), rankOf(b)));
}

const rankOf = ({ title, total, projection }: FanOutAgent) => ({
  title,
  verdict: projection?.verdict ?? "inconclusive",
  undrained: projection?.undrained ?? 0,
  bytes: total?.bytes.value ?? null,
});

function toAgent(agent: Agent, cost: AgentCost, projection: AgentProjection | null): FanOutAgent {
  const { copies, perStart, total, levels, linkSeconds, grade, unknown, assumptions } = cost;
  const start = ({ requests, seats, receivedBytes }: AgentCost["perStart"]) => ({
    requests,
    seats,
    bytes: receivedBytes,
  });
  return {
    agent: toAgentValue(agent, cost),
    title: titleOfAgent(agent),
    copies,
    perStart: start(perStart),
    total: total && start(total),
    levels: levels.map(({ priorityLevelName, flowSchemaName, isOneFlow, seatsAsked, ofCeilingRatio }) => ({
      priorityLevelName,
      flowSchemaName,
      isOneFlow,
      seatsAsked,
      ofCeilingRatio,
    })),
    linkSeconds,
    grade,
    unknown: [...unknown],
    assumptions: [...assumptions],
    projection: projection && {
      ...projection,
      reasons: projection.reasons.map((each) => ({ ...each })),
      assumptions: [...projection.assumptions],
    },
  };
}

/** The same, in arrays that may be written to, as the contract has them; what weighs most is read first. */
export function toAgentValue(agent: Agent, cost: AgentCost): FanOutAgent["agent"] {
  const { userGroups, informers, conflicts, catalogueIds, assumptions, labels } = agent;
  return {
    ...agent,
    userGroups: [...userGroups],
    informers: informers.map((each) => ({ ...each })).sort((a, b) => weightOf(b, cost) - weightOf(a, cost)),
    conflicts: conflicts.map(({ subject, claims }) => ({
      subject,
      claims: claims.map((each) => ({ ...each })),
    })),
    labels: { ...labels },
    catalogueIds: [...(catalogueIds ?? [])],
    assumptions: [...(assumptions ?? [])],
  };
}

/** Bytes of one informer at a start of one copy; those of a wildcard together. */
function weightOf(
  { apiGroup, resource, scope }: Agent["informers"][number],
  { informers }: AgentCost,
): number {
  return informers
    .filter(
      ({ informer }) =>
        (apiGroup === "*" || informer.apiGroup === apiGroup) &&
        (resource === "*" || informer.resource === resource) &&
        informer.scope === scope,
    )
    .reduce((sum, { start }) => sum + start.receivedBytes.value, 0);
}

export function toFactsValue({ facts }: FanOut): NonNullable<FanOutResponse["facts"]> {
  return {
    ...facts,
    featureGates: { ...facts.featureGates },
    collections: facts.collections.map((each) => ({ ...each })),
    flowSchemas: facts.flowSchemas?.map((each) => ({ ...each, rules: [...each.rules] })) ?? null,
    priorityLevels: facts.priorityLevels?.map((each) => ({ ...each })) ?? null,
    server: { ...facts.server },
    background: facts.background.map((each) => ({ ...each })),
  };
}

function sumCapacity(rows: readonly CapacityRow[], fanOut: FanOut | null): FanOutResponse["capacityTotal"] {
  const isLinkKnown = rows.length > 0 && rows.every(({ linkSeconds }) => linkSeconds !== null);
  const seats = fanOut?.facts.totalConcurrencySeats ?? null;
  return {
    seatsAsked: addAmounts(rows.map(({ seatsAsked }) => seatsAsked)),
    bytes: addAmounts(rows.map(({ bytes }) => bytes)),
    linkSeconds: isLinkKnown ? rows.reduce((sum, { linkSeconds }) => sum + (linkSeconds ?? 0), 0) : null,
    nominalSeats: seats === null || fanOut === null ? null : seats * fanOut.projection.apiServers,
  };
}

/** Which read gave count and size. */
function sourceOf(
  { apiGroup, resource }: { readonly apiGroup: string; readonly resource: string },
  sizes: SizesPart | null,
): ListPriceRowValue["source"] {
  const rows = (sizes?.resources ?? []).filter(
    (each) =>
      subjectOf({ apiGroup: each.group, resource: each.resource }) === subjectOf({ apiGroup, resource }),
  );
  const count = rows.find(({ objectsSource }) => objectsSource !== null)?.objectsSource ?? null;
  if (count === null) return "no count is published: not installed";
  const isSized = rows.some(({ storedBytes }) => storedBytes.state === "known");
  const isSampled = (sizes?.samples ?? []).some(
    (each) => each.group === apiGroup && each.resource === resource,
  );
  const size = isSized
    ? "apiserver_resource_size_estimate_bytes"
    : isSampled
      ? "a sample page"
      : "size not known";
  return `${count}, ${size}`;
}

/** The same agents on other clusters, where they were simulated. */
function listElsewhere(
  clusterId: string,
  agents: readonly Agent[],
  summaries: ReadonlyMap<string, { readonly summary: FanOutSummary }>,
  names: ReadonlyMap<string, string>,
): Elsewhere[] {
  const ids = new Set(agents.map(({ id }) => id));
  const found = [...summaries].flatMap(([otherId, { summary }]) => {
    const clusterName = names.get(otherId);
    const { nodes } = summary;
    if (otherId === clusterId || nodes === null || clusterName === undefined) return [];
    return summary.agents
      .filter(({ id, drainSeconds, undrained }) => ids.has(id) && (drainSeconds !== null || undrained > 0))
      .map(({ id, version, drainSeconds, undrained }) => ({
        agentId: id,
        clusterId: otherId,
        clusterName,
        nodes,
        version,
        drainSeconds: undrained > 0 ? null : drainSeconds,
      }));
  });
  return found
    .sort((a, b) => a.nodes - b.nodes || (a.clusterName < b.clusterName ? -1 : 1))
    .slice(0, ELSEWHERE_MAX);
}
