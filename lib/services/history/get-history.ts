import type { EventItem } from "../../contracts/common.ts";
import type { HistoryQuery, HistoryRange, HistoryResponse } from "../../contracts/history.ts";
import { compareText } from "../../domain/clusters/finding.ts";
import type { SeriesKey } from "../../domain/clusters/series.ts";
import { type ClusterPage, loadClusterPage } from "../clusters/load-cluster-page.ts";
import type { ServiceContext } from "../context.ts";
import { toEventItem } from "../events/event-item.ts";
import { toChartSeries } from "./chart-series.ts";

const RANGE_SECONDS: Readonly<Record<HistoryRange, number>> = {
  "2h": 7_200,
  "24h": 86_400,
  "7d": 7 * 86_400,
  "30d": 30 * 86_400,
  "400d": 400 * 86_400,
};

/** Points per series: two per pixel of a chart would be more than a reader can tell apart. */
const MAX_POINTS = 600;
const MAX_SERIES = 8;
const MAX_EVENTS = 100;
/** Pages of newer events skipped to reach a range that ends in the past. */
const MAX_SKIPPED_PAGES = 20;

interface ChartDefinition {
  readonly id: HistoryResponse["charts"][number]["id"];
  readonly title: string;
  readonly metrics: readonly SeriesKey["metric"][];
  /** Whose series: the chosen level on the chosen server, each server by itself, or the cluster. */
  readonly scope: "level" | "servers" | "cluster";
}

const CHARTS: readonly ChartDefinition[] = [
  {
    id: "seats",
    title: "Seats in use and current limit",
    metrics: ["executing-seats", "current-limit-seats"],
    scope: "level",
  },
  { id: "waiting", title: "Waiting requests", metrics: ["waiting-requests"], scope: "level" },
  { id: "rejected", title: "Rejected requests", metrics: ["rejected-per-second"], scope: "level" },
  { id: "requests", title: "Requests per API server", metrics: ["requests-per-second"], scope: "servers" },
  {
    id: "memory",
    title: "Resident memory per API server",
    metrics: ["resident-memory-bytes"],
    scope: "servers",
  },
  { id: "storage", title: "Database size", metrics: ["storage-bytes"], scope: "servers" },
  { id: "nodes", title: "Nodes", metrics: ["nodes"], scope: "cluster" },
  {
    id: "own-cost",
    title: "Headroom’s own cost",
    metrics: ["own-requests-per-minute", "own-wire-bytes-per-minute"],
    scope: "cluster",
  },
];

/** Charts and events of a cluster over a range. @throws AppError `not-found` */
export async function getHistory(
  context: ServiceContext,
  { clusterId, query }: { readonly clusterId: string; readonly query: HistoryQuery },
): Promise<HistoryResponse> {
  const [page, keys] = await Promise.all([
    loadClusterPage(context, clusterId),
    context.store.samples.listKeys(clusterId),
  ]);
  const toAt = Math.min(query.at ?? page.frame.now, page.frame.now);
  const fromAt = Math.max(0, toAt - RANGE_SECONDS[query.range] * 1000);
  const servers = listServers(page, keys);
  const chosen = choose(page, servers, keys, query);
  const [charts, events] = await Promise.all([
    Promise.all(
      CHARTS.filter(({ id }) => query.chart === undefined || id === query.chart).map((chart) =>
        loadChart(context, { clusterId, chart, chosen, servers, fromAt, toAt }),
      ),
    ),
    loadEvents(context, clusterId, fromAt, toAt),
  ]);
  return {
    frame: page.frame,
    header: page.header,
    fromAt,
    toAt,
    range: query.range,
    serverId: chosen.serverId,
    priorityLevelName: chosen.priorityLevelName,
    servers,
    priorityLevelNames: chosen.priorityLevelNames,
    charts,
    ...events,
  };
}

/** Servers known now, then those of which only history is left, each by name. */
function listServers(page: ClusterPage, keys: readonly SeriesKey[]): { id: string; name: string }[] {
  const now = page.servers.map(({ id, name }) => ({ id, name }));
  const known = new Set(now.map((each) => each.id));
  const past = [...new Set(keys.flatMap(({ serverId }) => serverId ?? []))]
    .filter((id) => !known.has(id))
    .sort(compareText)
    .map((id) => ({ id, name: id }));
  return [...now, ...past];
}

interface Choice {
  readonly serverId: string | null;
  readonly priorityLevelName: string | null;
  readonly priorityLevelNames: string[];
}

/** The server and level asked for where they exist (a server by id or by name), else the busiest, else the first. */
function choose(
  page: ClusterPage,
  servers: readonly { readonly id: string; readonly name: string }[],
  keys: readonly SeriesKey[],
  query: HistoryQuery,
): Choice {
  const busiest = page.one.summary?.busiest ?? null;
  const asked = servers.find(({ id, name }) => id === query.server || name === query.server)?.id;
  const serverId = asked ?? busiest?.serverId ?? servers[0]?.id ?? null;
  const priorityLevelNames = [
    ...new Set(
      keys.filter((each) => each.serverId === serverId).flatMap((each) => each.priorityLevelName ?? []),
    ),
  ].sort(compareText);
  const wanted = [query.level, busiest?.priorityLevelName, priorityLevelNames[0]];
  const priorityLevelName =
    wanted.find((name) => name !== undefined && priorityLevelNames.includes(name)) ?? null;
  return { serverId, priorityLevelName, priorityLevelNames };
}

interface ChartRequest {
  readonly clusterId: string;
  readonly chart: ChartDefinition;
  readonly chosen: Choice;
  readonly servers: readonly { readonly id: string; readonly name: string }[];
  readonly fromAt: number;
  readonly toAt: number;
}

async function loadChart(
  context: ServiceContext,
  { clusterId, chart, chosen, servers, fromAt, toAt }: ChartRequest,
): Promise<HistoryResponse["charts"][number]> {
  const range = {
    fromSeconds: Math.floor(fromAt / 1000),
    toSeconds: Math.ceil(toAt / 1000),
    maxPoints: MAX_POINTS,
  };
  const match = {
    level: { serverId: chosen.serverId, priorityLevelName: chosen.priorityLevelName },
    servers: { priorityLevelName: null },
    cluster: { serverId: null },
  }[chart.scope];
  const isAbsent = chart.scope === "level" && chosen.serverId === null;
  const found = isAbsent
    ? []
    : await Promise.all(
        chart.metrics.map((metric) => context.store.samples.query(clusterId, { ...match, metric }, range)),
      );
  const order = new Map(servers.map(({ id }, index) => [id, index]));
  const names = new Map(servers.map(({ id, name }) => [id, name]));
  const series = found.flatMap((ofMetric) =>
    ofMetric
      // A server's own series only: those of the cluster have no server.
      .filter((each) => chart.scope !== "servers" || each.key.serverId !== null)
      .map((each) => toChartSeries(each, names))
      .sort(
        (a, b) =>
          (order.get(a.serverId ?? "") ?? -1) - (order.get(b.serverId ?? "") ?? -1) ||
          compareText(a.rejectReason ?? "", b.rejectReason ?? ""),
      ),
  );
  return {
    id: chart.id,
    title: chart.title,
    series: series.slice(0, MAX_SERIES),
    seriesTotal: series.length,
  };
}

/** Events within the range, newest first. */
async function loadEvents(
  context: ServiceContext,
  clusterId: string,
  fromAt: number,
  toAt: number,
): Promise<{ events: EventItem[]; nextCursor: string | null }> {
  let cursor: string | undefined;
  for (let pages = 0; pages <= MAX_SKIPPED_PAGES; pages++) {
    const { events, nextCursor } = await context.store.events.list({
      clusterId,
      from: fromAt,
      limit: MAX_EVENTS,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const within = events.filter((each) => each.at <= toAt);
    if (within.length > 0 || nextCursor === null) return { events: within.map(toEventItem), nextCursor };
    cursor = nextCursor;
  }
  return { events: [], nextCursor: cursor ?? null };
}
