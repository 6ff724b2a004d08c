import type { HeadroomConfig } from "../../config/config-types.ts";
import type { Frame } from "../../contracts/common.ts";
import type { Cluster, ClusterSummary, Target } from "../../db/store.ts";
import {
  type AssessedCluster,
  assessCluster,
  compareClusters,
} from "../../domain/clusters/assess-cluster.ts";
import { findCollectionFindings } from "../../domain/clusters/find-collection-findings.ts";
import type { ClusterFinding } from "../../domain/clusters/finding.ts";
import { isStale, type PartState } from "../../domain/clusters/part.ts";
import { assessFanOut, type FanOutRisk, type FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import type { ServiceContext } from "../context.ts";
import { findStoreTrouble } from "../frame/find-store-trouble.ts";
import { makeFrame } from "../frame/make-frame.ts";

/** A cluster as the fleet knows it: outcomes and small figures, no values. */
export interface FleetCluster extends AssessedCluster {
  readonly cluster: Cluster;
  readonly parts: readonly PartState<null>[];
  readonly summary: ClusterSummary | null;
  readonly collection: readonly ClusterFinding[];
  readonly isInsecure: boolean;
  /** What its agents come to, by the latest projection; unknown while it is unreachable. */
  readonly fanOut: FanOutRisk;
  readonly projection: FanOutSummary | null;
  /** When its fairness figures were read; `null` if never. */
  readonly dataAt: number | null;
  readonly isStale: boolean;
}

export interface LoadedFleet {
  readonly frame: Frame;
  /** Worst first. */
  readonly clusters: readonly FleetCluster[];
  readonly targets: readonly Target[];
}

/** Loads that are under way: the frame and the panels of one page ask at the same moment. */
const underWay = new WeakMap<ServiceContext, Promise<LoadedFleet>>();

/**
 * Every cluster with its state, worst first, and the frame of the page. Reads no values, so it is quick at 1,000
 * clusters. Callers that ask while it is being loaded share the answer.
 */
export function loadFleet(context: ServiceContext): Promise<LoadedFleet> {
  const present = underWay.get(context);
  if (present !== undefined) return present;
  const loading = readFleet(context).finally(() => {
    if (underWay.get(context) === loading) underWay.delete(context);
  });
  underWay.set(context, loading);
  return loading;
}

/** After a change of the list of clusters: who asks from now on does not share what was read before it. */
export function forgetFleetUnderWay(context: ServiceContext): void {
  underWay.delete(context);
}

async function readFleet(context: ServiceContext): Promise<LoadedFleet> {
  const { store, clock, config } = context;
  const now = clock.now();
  const [stored, targets, outcomes, summaries, projections, collector] = await Promise.all([
    store.clusters.list(),
    store.clusters.listTargets(),
    store.parts.listOutcomes(),
    store.parts.listSummaries(),
    store.fanOut.listSummaries(),
    store.collector.get(),
  ]);
  const clusters = stored.filter(({ isDemo }) => isMeant(config, isDemo));
  const insecure = new Set(
    targets
      .filter((each) => each.isInsecure && each.removedAt === null && each.overriddenByTargetId === null)
      .map((each) => each.clusterId),
  );
  const assessed = clusters.map((cluster) =>
    assess(
      cluster,
      outcomes.get(cluster.id) ?? [],
      summaries.get(cluster.id) ?? null,
      insecure.has(cluster.id),
      cluster.unreachableSince === null ? (projections.get(cluster.id)?.summary ?? null) : null,
      now,
    ),
  );
  const storeTrouble = await findStoreTrouble(store, collector, now);
  return {
    frame: makeFrame(context, now, assessed, { collector, storeTrouble }),
    clusters: assessed.sort(compareClusters),
    targets,
  };
}

/**
 * Whether the fleet is of this process. The collector brings the store in line a moment after the start; until then the
 * clusters of the start before would stand there as if they were read now. Where the demo is asked for, it is all there is.
 */
function isMeant({ clusters }: HeadroomConfig, isDemo: boolean): boolean {
  if (clusters.forceDemo) return isDemo;
  return !isDemo || (clusters.kubeconfigs.length === 0 && !clusters.inCluster);
}

function assess(
  cluster: Cluster,
  parts: readonly PartState<null>[],
  summary: ClusterSummary | null,
  isInsecure: boolean,
  projection: FanOutSummary | null,
  now: number,
): FleetCluster {
  const { unreachableSince } = cluster;
  const collection = findCollectionFindings({
    unreachableSince,
    isInsecure,
    parts,
    servers: null,
    sizes: null,
  });
  const fairness = summary?.fairnessFindings ?? [];
  const busiest = summary?.busiest ?? null;
  const fairnessPart = parts.find((each) => each.part === "fairness");
  const fanOut = assessFanOut(projection);
  return {
    cluster,
    name: cluster.name,
    parts,
    summary,
    collection,
    isInsecure,
    fanOut,
    projection,
    fairness,
    assessment: assessCluster({ unreachableSince, parts, fairness, collection, fanOut: fanOut.severity }),
    busiestRatio:
      busiest === null || busiest.currentLimitSeats <= 0
        ? null
        : busiest.executingSeats / busiest.currentLimitSeats,
    dataAt: fairnessPart?.valueAt ?? null,
    isStale: fairnessPart !== undefined && isStale(fairnessPart, now),
  };
}
