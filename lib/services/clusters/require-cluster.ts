import type { Cluster } from "../../db/store.ts";
import { AppError } from "../../errors.ts";
import type { ServiceContext } from "../context.ts";

/** @throws AppError `not-found` for a cluster that never was or was removed. */
export async function requireCluster(context: ServiceContext, clusterId: string): Promise<Cluster> {
  const cluster = await context.store.clusters.get(clusterId);
  if (cluster === null || cluster.removedAt !== null) throw clusterNotFound();
  return cluster;
}

/** Does not repeat the id: it came from the address and may be anything. */
export const clusterNotFound = (): AppError =>
  new AppError(
    "not-found",
    "No cluster has this id. It may have been removed, or renamed before it was first read.",
  );
