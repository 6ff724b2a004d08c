import type { ClusterHeader, Server } from "../../contracts/cluster.ts";
import type { Frame } from "../../contracts/common.ts";
import { joinOwnSeats } from "../../domain/clusters/own-seats.ts";
import type { PartName, PartState } from "../../domain/clusters/part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import type { FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import type { ServiceContext } from "../context.ts";
import { type FleetCluster, loadFleet } from "./load-fleet.ts";
import { loadOwnCosts, perMinute } from "./own-cost.ts";
import { toServer } from "./part-report.ts";
import { clusterNotFound } from "./require-cluster.ts";

/** What every page of a cluster rests on. */
export interface ClusterPage {
  readonly frame: Frame;
  readonly header: ClusterHeader;
  readonly one: FleetCluster;
  /** All clusters, worst first. */
  readonly fleet: readonly FleetCluster[];
  /** What its agents come to, as simulated last; `null`: never, or it is unreachable. */
  readonly projection: FanOutSummary | null;
  readonly parts: { readonly [P in PartName]?: PartState<PartValues[P]> };
  /** Known API servers, read or not, by name. */
  readonly servers: readonly Server[];
}

/** @throws AppError `not-found` */
export async function loadClusterPage(context: ServiceContext, clusterId: string): Promise<ClusterPage> {
  const [{ frame, clusters }, parts, costs] = await Promise.all([
    loadFleet(context),
    context.store.parts.getAll(clusterId),
    loadOwnCosts(context),
  ]);
  const index = clusters.findIndex((each) => each.cluster.id === clusterId);
  const one = clusters[index];
  if (one === undefined) throw clusterNotFound();
  const versions = new Map(parts.version?.value?.servers.map((each) => [each.serverId, each.gitVersion]));
  const { cluster, summary, assessment } = one;
  const header: ClusterHeader = {
    clusterId,
    name: cluster.name,
    role: cluster.role,
    state: assessment.state,
    version: summary?.gitVersion ?? null,
    nodes: summary?.nodes ?? null,
    pods: summary?.pods ?? null,
    apiServers: summary?.apiServers ?? null,
    apiServersRead: summary?.apiServersRead ?? null,
    dataAt: one.dataAt,
    unreachableSince: cluster.unreachableSince,
    isInsecure: one.isInsecure,
    ownCost:
      one.parts.length === 0
        ? null
        : (costs.byCluster.get(clusterId) ?? perMinute(0, 0, costs.windowSeconds)),
    ownSeats: joinOwnSeats(one.parts.map(({ latest }) => latest.seats)),
    fairness: {
      severity: assessment.fairness,
      findings: assessment.fairness === "unknown" ? 0 : one.fairness.length,
    },
    fanOut: { severity: one.fanOut.severity, findings: one.fanOut.findings },
    previousClusterId: clusters[index - 1]?.cluster.id ?? null,
    nextClusterId: clusters[index + 1]?.cluster.id ?? null,
  };
  return {
    frame,
    header,
    one,
    fleet: clusters,
    projection: one.projection,
    parts,
    servers: (parts.servers?.value?.servers ?? []).map((each) =>
      toServer(each, versions.get(each.id) ?? null),
    ),
  };
}
