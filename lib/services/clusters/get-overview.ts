import type { Finding, OverviewResponse } from "../../contracts/cluster.ts";
import { describePart } from "../../domain/clusters/find-collection-findings.ts";
import { PART_NAMES } from "../../domain/clusters/part.ts";
import type { ServiceContext } from "../context.ts";
import { toEventItem } from "../events/event-item.ts";
import { toChartSeries } from "../history/chart-series.ts";
import { describeCapacity } from "./capacity.ts";
import { listFindings } from "./cluster-findings.ts";
import { clusterPath, describeWorstAgent, formatUtc } from "./describe-worst.ts";
import { type ClusterPage, loadClusterPage } from "./load-cluster-page.ts";
import { sortParts, toNotRead, toPartReport } from "./part-report.ts";
import { rankResources } from "./rank-resources.ts";

const DAY_SECONDS = 86_400;
/** Points of the day's chart: one per five minutes. */
const DAY_POINTS = 288;
const RECENT_CHANGES = 10;
const LISTED_RESOURCES = 20;

/** What is wrong with a cluster, and what that rests on. @throws AppError `not-found` */
export async function getOverview(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
): Promise<OverviewResponse> {
  const page = await loadClusterPage(context, clusterId);
  const [busiestSeries, changes, memory, storage] = await Promise.all([
    loadBusiestSeries(context, page),
    context.store.events.list({ clusterId, limit: RECENT_CHANGES }),
    loadLatest(context, page, "resident-memory-bytes"),
    loadLatest(context, page, "storage-bytes"),
  ]);
  const now = page.frame.now;
  const findings = listFindings(page);
  const reports = sortParts(PART_NAMES.flatMap((name) => page.parts[name] ?? []));
  const resources = rankResources(
    page.parts.sizes?.value ?? null,
    page.servers,
    page.one.summary?.busiest?.serverId,
  );
  const versionGates = page.parts.version?.value?.servers.find((each) => each.gates !== null)?.gates ?? null;
  return {
    frame: page.frame,
    header: page.header,
    notice: makeNotice(page, findings),
    findings,
    fanOut: describeFanOut(page),
    parts: reports.map((each) => toPartReport(each, now)),
    servers: [...page.servers],
    serversNotRead: reports.flatMap((each) =>
      each.latest.notRead.filter(({ serverId }) => serverId !== null).map(toNotRead),
    ),
    busiest: page.one.summary?.busiest ?? null,
    busiestSeries,
    recentChanges: changes.events.map(toEventItem),
    capacity: describeCapacity(page, { residentMemoryBytes: memory, storageBytes: storage }),
    resources: resources.slice(0, LISTED_RESOURCES),
    resourcesTotal: resources.length,
    gates: versionGates && {
      enabled: versionGates.filter((each) => each.enabled).length,
      total: versionGates.length,
    },
  };
}

/** Agents by verdict; the worst is told while the cluster is known to be as it was simulated. */
function describeFanOut({ one, projection }: ClusterPage): OverviewResponse["fanOut"] {
  if (projection === null) return null;
  const of = (verdict: string) => projection.agents.filter((agent) => agent.verdict === verdict).length;
  const { worst } = one.fanOut;
  return {
    at: projection.at,
    unsafe: of("unsafe"),
    visible: of("visible"),
    inconclusive: of("inconclusive"),
    worst: worst === null ? null : describeWorstAgent(worst),
  };
}

async function loadBusiestSeries(
  context: ServiceContext,
  page: ClusterPage,
): Promise<OverviewResponse["busiestSeries"]> {
  const busiest = page.one.summary?.busiest ?? null;
  if (busiest === null) return [];
  const { serverId, priorityLevelName } = busiest;
  const toSeconds = Math.floor(page.frame.now / 1000);
  const range = { fromSeconds: toSeconds - DAY_SECONDS, toSeconds, maxPoints: DAY_POINTS };
  const found = await Promise.all(
    (["executing-seats", "current-limit-seats"] as const).map((metric) =>
      context.store.samples.query(page.header.clusterId, { metric, serverId, priorityLevelName }, range),
    ),
  );
  const names = new Map(page.servers.map((each) => [each.id, each.name]));
  return found.flat().map((each) => toChartSeries(each, names));
}

/** The latest sample of a figure of the busiest server within ten minutes; `null` where there is none. */
async function loadLatest(
  context: ServiceContext,
  page: ClusterPage,
  metric: "resident-memory-bytes" | "storage-bytes",
): Promise<number | null> {
  const serverId = page.one.summary?.busiest?.serverId ?? page.servers[0]?.id;
  if (serverId === undefined) return null;
  const toSeconds = Math.floor(page.frame.now / 1000);
  const [series] = await context.store.samples.query(
    page.header.clusterId,
    { metric, serverId, priorityLevelName: null },
    { fromSeconds: toSeconds - 600, toSeconds, maxPoints: 200 },
  );
  return series?.points.at(-1)?.avg ?? null;
}

/** The outage first; then the worst finding; then that nothing was read yet. */
function makeNotice(page: ClusterPage, findings: readonly Finding[]): OverviewResponse["notice"] {
  const { one, header } = page;
  const path = clusterPath(header.clusterId);
  const outage = findings.find((each) => each.rule === "collector.unreachable");
  if (header.unreachableSince !== null && outage !== undefined) {
    return {
      severity: "unknown",
      lead: `${header.name} does not answer since ${formatUtc(header.unreachableSince)}.`,
      text: outage.happens,
      actions: [{ label: "Open history", href: `${path}/history` }],
    };
  }
  const worst = findings.find((each) => each.severity !== "info");
  if (worst !== undefined) {
    return {
      severity: worst.severity,
      lead: `${worst.title}.`,
      text: worst.happens,
      actions: worst.href === null ? [] : [{ label: describeTarget(worst), href: worst.href }],
    };
  }
  if (one.assessment.state === "unknown") {
    const waits = PART_NAMES.filter((name) => page.parts[name] === undefined).map(describePart);
    return {
      severity: "unknown",
      lead: "Not read yet.",
      text: `The collector has not finished its first pass over this cluster. Still to come: ${waits.join(", ")}.`,
      actions: [],
    };
  }
  return null;
}

function describeTarget({ rule }: Finding): string {
  if (rule.startsWith("fan-out.")) return "Open fan-out";
  return rule.startsWith("fairness.") ? "Open fairness" : "Open settings";
}
