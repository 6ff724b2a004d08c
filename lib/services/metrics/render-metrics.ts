import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { CLUSTER_STATES } from "../../domain/clusters/assess-cluster.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { type LoadedFleet, loadFleet } from "../clusters/load-fleet.ts";
import { loadOwnCosts, type OwnCosts } from "../clusters/own-cost.ts";
import type { ServiceContext } from "../context.ts";
import { requestMetrics } from "../http/request-metrics.ts";

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Figures of the process itself, collected once however many copies of this module there are. */
const holder = globalThis as { __headroomProcessMetrics?: Registry };

function processMetrics(): Registry {
  if (holder.__headroomProcessMetrics === undefined) {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    holder.__headroomProcessMetrics = registry;
  }
  return holder.__headroomProcessMetrics;
}

/**
 * Prometheus text: build, process, requests of the API, and what the store says of clusters, parts, own cost and the
 * collector. Without a store the rest is still served, with `headroom_store_up 0`. Labels name clusters, parts and
 * states, never a path or anything of a connection.
 */
export async function renderMetrics(open: () => Promise<ServiceContext>): Promise<string> {
  const registry = new Registry();
  gauge(registry, "headroom_build_info", "1, with the version as a label.", ["version"]).set(
    { version: HEADROOM_VERSION },
    1,
  );
  const storeUp = gauge(registry, "headroom_store_up", "1 when the store answers.", []);
  try {
    const context = await open();
    const [fleet, costs] = await Promise.all([loadFleet(context), loadOwnCosts(context)]);
    addFleet(registry, fleet);
    addOwnCosts(registry, fleet, costs);
    storeUp.set(1);
  } catch {
    // What is wrong with the store is said by /readyz and the log; here its absence is the figure.
    storeUp.set(0);
  }
  return Registry.merge([registry, requestMetrics().registry, processMetrics()]).metrics();
}

function addFleet(registry: Registry, { clusters, frame }: LoadedFleet): void {
  const states = gauge(registry, "headroom_clusters", "Clusters by state.", ["state"]);
  for (const state of CLUSTER_STATES) {
    states.set({ state }, clusters.filter((each) => each.assessment.state === state).length);
  }
  gauge(registry, "headroom_clusters_fresh", "Clusters whose figures are not stale.", []).set(
    frame.freshClusters,
  );

  const status = gauge(
    registry,
    "headroom_part_status",
    "1 for the outcome of the latest attempt at a part (ok, partial, failed, skipped).",
    ["cluster", "part", "status"],
  );
  const readAt = gauge(
    registry,
    "headroom_part_value_timestamp_seconds",
    "When the stored value of a part was read.",
    ["cluster", "part"],
  );
  for (const { cluster, parts } of clusters) {
    for (const { part, latest, valueAt } of parts) {
      status.set({ cluster: cluster.id, part, status: latest.status }, 1);
      if (valueAt !== null) readAt.set({ cluster: cluster.id, part }, valueAt / 1000);
    }
  }
  const { state, heartbeatAt } = frame.collector;
  gauge(registry, "headroom_collector_up", "1 when a collector writes to the store.", []).set(
    state === "running" ? 1 : 0,
  );
  if (heartbeatAt !== null) {
    gauge(
      registry,
      "headroom_collector_heartbeat_age_seconds",
      "Seconds since the collector last wrote to the store.",
      [],
    ).set(Math.max(0, (frame.now - heartbeatAt) / 1000));
  }
}

function addOwnCosts(registry: Registry, { clusters }: LoadedFleet, costs: OwnCosts): void {
  const requests = gauge(
    registry,
    "headroom_own_requests_per_minute",
    "Requests that Headroom itself sends to a cluster, over the last five minutes.",
    ["cluster"],
  );
  const bytes = gauge(
    registry,
    "headroom_own_wire_bytes_per_minute",
    "Bytes on the wire that Headroom itself causes at a cluster, over the last five minutes.",
    ["cluster"],
  );
  for (const { cluster } of clusters) {
    const cost = costs.byCluster.get(cluster.id);
    requests.set({ cluster: cluster.id }, cost?.requestsPerMinute ?? 0);
    bytes.set({ cluster: cluster.id }, cost?.wireBytesPerMinute ?? 0);
  }
}

function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
): Gauge<Label> {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}
