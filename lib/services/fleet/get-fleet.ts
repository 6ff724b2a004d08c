import type { FleetResponse, FleetRow } from "../../contracts/fleet.ts";
import { packLine } from "../../domain/clusters/packed-line.ts";
import { compareAgents } from "../../domain/fan-out/fan-out-summary.ts";
import { clusterPath, describeWorst, describeWorstAgent, fairnessHref } from "../clusters/describe-worst.ts";
import { type FleetCluster, loadFleet } from "../clusters/load-fleet.ts";
import { loadOwnCosts, type OwnCosts, perMinute } from "../clusters/own-cost.ts";
import type { ServiceContext } from "../context.ts";
import { loadSparklines, type Sparkline } from "./load-sparklines.ts";

/** Every cluster, worst first, with what the fleet page shows of it. */
export async function getFleet(context: ServiceContext): Promise<FleetResponse> {
  const [{ frame, clusters }, costs] = await Promise.all([loadFleet(context), loadOwnCosts(context)]);
  const sparklines = await loadSparklines(context, clusters);
  const rows = clusters.map((each) => toRow(each, frame.now, costs, sparklines.get(each.cluster.id) ?? []));
  return {
    frame,
    rows,
    totals: sumUp(rows, costs),
    risks: [countFanOut(clusters), countFairness(clusters), countCollection(clusters)],
  };
}

function toRow(one: FleetCluster, now: number, costs: OwnCosts, sparkline: Sparkline): FleetRow {
  const worst = describeWorst(one, now);
  return {
    clusterId: one.cluster.id,
    name: one.cluster.name,
    role: one.cluster.role,
    state: one.assessment.state,
    worstReason: worst.text,
    worstHref: worst.href,
    fairness: {
      severity: one.assessment.fairness,
      findings: one.assessment.fairness === "unknown" ? 0 : one.fairness.length,
    },
    fanOut: { severity: one.fanOut.severity, findings: one.fanOut.findings },
    nodes: one.summary?.nodes ?? null,
    version: one.summary?.gitVersion ?? null,
    busiest: one.summary?.busiest ?? null,
    sparkline: packLine(sparkline),
    dataAt: one.dataAt,
    isStale: one.isStale,
    unreachableSince: one.cluster.unreachableSince,
    ownCost:
      one.parts.length === 0
        ? null
        : (costs.byCluster.get(one.cluster.id) ?? perMinute(0, 0, costs.windowSeconds)),
  };
}

function sumUp(rows: readonly FleetRow[], costs: OwnCosts): FleetResponse["totals"] {
  const known = rows.flatMap((row) => (row.nodes === null ? [] : [row.nodes]));
  return {
    clusters: rows.length,
    nodes: known.reduce((sum, nodes) => sum + nodes, 0),
    clustersWithoutNodes: rows.length - known.length,
    ownCost: sumCosts(rows, costs.windowSeconds),
  };
}

/** Of the clusters shown: passes of one that is no longer read may still lie within the window. */
function sumCosts(rows: readonly FleetRow[], windowSeconds: number): FleetResponse["totals"]["ownCost"] {
  const sum = { requestsPerMinute: 0, wireBytesPerMinute: 0, windowSeconds };
  for (const { ownCost } of rows) {
    sum.requestsPerMinute += ownCost?.requestsPerMinute ?? 0;
    sum.wireBytesPerMinute += ownCost?.wireBytesPerMinute ?? 0;
  }
  return sum;
}

type Risk = FleetResponse["risks"][number];

/** Clusters by what their agents come to; the worst is the one that never drains, else the one with the most bytes. */
function countFanOut(clusters: readonly FleetCluster[]): Risk {
  const affected = clusters.flatMap(({ name, cluster, fanOut: { severity, worst } }) =>
    worst === null || severity === "ok" ? [] : [{ name, id: cluster.id, worst }],
  );
  const worst = affected.toSorted((a, b) => compareAgents(a.worst, b.worst))[0];
  return {
    area: "fan-out",
    ...count(clusters.map(({ fanOut }) => fanOut.severity)),
    worst: worst === undefined ? unsimulated(clusters) : `${worst.name}: ${describeWorstAgent(worst.worst)}`,
    worstHref: worst === undefined ? null : `${clusterPath(worst.id)}/fan-out`,
  };
}

/** Before the first simulation there is no worst, and nothing is in order either. */
const unsimulated = (clusters: readonly FleetCluster[]): string | null =>
  clusters.length > 0 && clusters.every(({ projection }) => projection === null)
    ? "no agent is simulated yet"
    : null;

function countFairness(clusters: readonly FleetCluster[]): Risk {
  const worst = clusters.find((each) => each.assessment.fairness !== "unknown" && each.fairness.length > 0);
  return {
    area: "fairness",
    ...count(clusters.map((each) => each.assessment.fairness)),
    worst: worst?.fairness[0] === undefined ? null : `${worst.name}: ${worst.fairness[0].text}`,
    worstHref: worst === undefined ? null : fairnessHref(worst, 0),
  };
}

function countCollection(clusters: readonly FleetCluster[]): Risk {
  const affected = clusters.flatMap((each) => {
    const finding = each.collection.find(({ severity }) => severity !== "info");
    return finding === undefined ? [] : [{ each, finding }];
  });
  const worst = affected.find(({ finding }) => finding.severity === "error") ?? affected[0];
  return {
    area: "collection",
    ...count(clusters.map((each) => each.assessment.collection)),
    worst: worst === undefined ? null : `${worst.each.name}: ${worst.finding.title}`,
    worstHref: worst === undefined ? null : clusterPath(worst.each.cluster.id),
  };
}

function count(severities: readonly ("error" | "warning" | "ok" | "unknown")[]) {
  const of = (severity: string) => severities.filter((each) => each === severity).length;
  return { error: of("error"), warning: of("warning"), ok: of("ok"), unknown: of("unknown") };
}
