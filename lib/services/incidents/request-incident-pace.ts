import type { IncidentPaceResponse } from "../../contracts/clusters.ts";
import { requireCluster } from "../clusters/require-cluster.ts";
import type { ServiceContext } from "../context.ts";

/** Seconds for which one request keeps the pace; an open page asks again before they are over. */
export const INCIDENT_PACE_SECONDS = 60;

/** Asks the collector to read a cluster's fairness at the pace of an incident for the next minute. */
export async function requestIncidentPace(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
): Promise<IncidentPaceResponse> {
  await requireCluster(context, clusterId);
  const untilAt = context.clock.now() + INCIDENT_PACE_SECONDS * 1000;
  await context.store.collector.requestIncidentPace(clusterId, untilAt);
  return { untilAt };
}
