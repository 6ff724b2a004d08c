import { serveList } from "../../../cost/serve-list.ts";
import type { RequestServing } from "../../../cost/serving.ts";
import { parseVersion } from "../../../kubernetes/version.ts";
import { type CollectionSize, hasEtcdProgress, sizeOf } from "../../reads/collection-sizes.ts";
import type { ReadShape } from "../../reads/read-ledger.ts";
import type { ScanFacts } from "../../scan-facts.ts";

/** Where the LISTs of a shape are served on this cluster; `null` for a WATCH, or where the version is not known. */
export function servingOf(
  { path, query, isWatch, request }: ReadShape,
  { cluster }: ScanFacts,
): { readonly serving: RequestServing; readonly size: CollectionSize } | null {
  const v = cluster.kubernetesVersion;
  if (isWatch || v === null || parseVersion(v) === null) return null;
  const size = sizeOf(cluster, request.apiGroup, request.resource);
  const serving = serveList({
    v,
    gates: cluster.featureGates,
    etcdProgress: hasEtcdProgress(cluster),
    method: "GET",
    path,
    query,
    objects: size.objects,
    size: size.objectBytes,
  });
  return serving === null ? null : { serving, size };
}

/** Copies of a client: as many as nodes where it runs on each, else those that were seen. */
export const copiesSeen = (seen: number, nodes: number | null): number =>
  nodes === null ? seen : Math.min(seen, nodes);

/** Requests per minute from the first to the last; `null` for a single one, or where the log has no times. */
export function perMinute({
  count,
  firstAt,
  lastAt,
}: Pick<ReadShape, "count" | "firstAt" | "lastAt">): number | null {
  if (count < 2 || firstAt === null || lastAt === null || lastAt <= firstAt) return null;
  return ((count - 1) * 60_000) / (lastAt - firstAt);
}
