import { known, type Reading } from "../../domain/clusters/reading.ts";
import type { ResourceSize } from "../../domain/clusters/version-part.ts";
import type { ResourceCounters, ServerMetrics } from "../metrics/server-metrics.ts";

/** Bytes the API server takes for one object whose size it does not know (1.34 and later). */
export const ASSUMED_OBJECT_BYTES = 1_500_000;
/** Objects it takes when its count is stale or failed (1.34 and later). */
export const ASSUMED_OBJECTS = 1_000_000_000;

/** Where each server's counts are priced by size (gate SizeBasedListCostEstimate, on from 1.34). */
export interface SizedServer {
  readonly serverId: string;
  readonly metrics: ServerMetrics;
}

/**
 * Counts and stored sizes of every resource on every server, sorted by group, resource, server. Nothing is summed over
 * servers: each holds its own view. A figure that a server cannot give stays unknown, with what that server itself
 * assumes when it prices a LIST. Source: list_work_estimator.go and object_count_tracker.go of k8s.io/apiserver,
 * v1.26 to v1.37.
 */
export function decideSizes(servers: readonly SizedServer[]): readonly ResourceSize[] {
  const rows = servers.flatMap(({ serverId, metrics }) =>
    [...metrics.resources].map(([key, counters]) => decideResource(serverId, key, counters, metrics)),
  );
  return rows.sort(compareSizes);
}

/** Counts from one-object LISTs, where no metrics could be read. Sizes stay unknown. */
export function decideSizesFromCounts(
  serverId: string,
  counts: readonly { readonly group: string; readonly resource: string; readonly count: number | null }[],
): readonly ResourceSize[] {
  const notRead = { state: "unknown", reason: "not-read", assumed: null, assumedBecause: null } as const;
  return counts
    .map(
      ({ group, resource, count }): ResourceSize => ({
        group,
        resource,
        serverId,
        objects: count === null ? notRead : known(count),
        storedBytes: notRead,
        objectsSource: count === null ? null : "remainingItemCount",
      }),
    )
    .sort(compareSizes);
}

/** Whether this server prices a LIST by bytes: it then publishes sizes, or says so by its gate. */
export function pricesBySize(metrics: ServerMetrics): boolean {
  const gate = metrics.gates.find(({ name }) => name === "SizeBasedListCostEstimate");
  return gate?.enabled ?? metrics.publishes.sizeEstimates;
}

function decideResource(
  serverId: string,
  key: string,
  counters: ResourceCounters,
  metrics: ServerMetrics,
): ResourceSize {
  const slash = key.indexOf("/");
  const { objects, source } = decideObjects(counters, metrics);
  return {
    group: key.slice(0, slash),
    resource: key.slice(slash + 1),
    serverId,
    objects,
    storedBytes: decideStoredBytes(counters, objects, metrics),
    objectsSource: source,
  };
}

function decideObjects(
  counters: ResourceCounters,
  metrics: ServerMetrics,
): { readonly objects: Reading; readonly source: ResourceSize["objectsSource"] } {
  const { resourceObjects, storageObjects } = counters;
  if (resourceObjects !== null && resourceObjects >= 0) {
    return { objects: known(resourceObjects), source: "apiserver_resource_objects" };
  }
  if (storageObjects !== null && storageObjects >= 0) {
    return { objects: known(storageObjects), source: "apiserver_storage_objects" };
  }
  if (resourceObjects === null && storageObjects === null) {
    return {
      objects: {
        state: "unknown",
        reason: "absent",
        assumed: null,
        assumedBecause: "the API server has no count of it and prices every LIST of it at 1 seat",
      },
      source: null,
    };
  }
  const bySize = pricesBySize(metrics);
  return {
    objects: {
      state: "unknown",
      reason: "minus-one",
      assumed: bySize ? ASSUMED_OBJECTS : null,
      assumedBecause: bySize
        ? "once its count is older than 3 minutes the API server reckons with 1,000,000,000 objects"
        : "once its count is older than 3 minutes the API server prices every LIST of it at the maximum",
    },
    source: null,
  };
}

function decideStoredBytes(
  { sizeEstimateBytes }: ResourceCounters,
  objects: Reading,
  metrics: ServerMetrics,
): Reading {
  if (sizeEstimateBytes !== null && sizeEstimateBytes >= 0) return known(sizeEstimateBytes);
  if (!pricesBySize(metrics)) {
    return {
      state: "unknown",
      reason: "not-published",
      assumed: null,
      assumedBecause: "this API server prices a LIST by the number of objects",
    };
  }
  const objectsAssumed = objects.state === "known" ? objects.value : objects.assumed;
  return {
    state: "unknown",
    reason: sizeEstimateBytes === null ? "absent" : "minus-one",
    assumed: objectsAssumed === null ? null : objectsAssumed * ASSUMED_OBJECT_BYTES,
    assumedBecause:
      objectsAssumed === null
        ? null
        : "the API server reckons with 1,500,000 bytes for each object whose size it has not seen",
  };
}

function compareSizes(a: ResourceSize, b: ResourceSize): number {
  return (
    compareText(a.group, b.group) ||
    compareText(a.resource, b.resource) ||
    compareText(a.serverId, b.serverId)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
