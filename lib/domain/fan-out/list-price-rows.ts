import type { Agent } from "../agents/agent.ts";
import { storedObjectBytes } from "../agents/cost/object-bytes.ts";
import type { Projection } from "../agents/cost/projection.ts";
import { subjectOf } from "../agents/informer-text.ts";
import type { CollectionFacts } from "../clusters/cluster-facts.ts";
import { estimateSeats } from "../cost/index.ts";

/** What a LIST of one resource costs on this cluster. `null`: not known. */
export interface ListPriceRow {
  readonly apiGroup: string;
  readonly resource: string;
  readonly objects: number | null;
  /** Of one object, mean. */
  readonly objectBytes: number | null;
  readonly storedBytes: number | null;
  /** Of `resourceVersion=0&limit=500`: what informers send. */
  readonly cacheSeats: number | null;
  /** Of one page of 500 of the newest state. */
  readonly pageSeats: number | null;
  /** Agents that read it. */
  readonly agents: number;
}

/** Resources that agents read, largest first by stored bytes, then objects; at most `limit`. */
export function listPriceRows(
  agents: readonly Pick<Agent, "id" | "informers">[],
  projection: Projection,
  limit: number,
): { readonly rows: readonly ListPriceRow[]; readonly total: number } {
  const readers = new Map<string, Set<string>>();
  for (const { id, informers } of agents) {
    for (const informer of informers) {
      const subject = subjectOf(informer);
      const known = readers.get(subject) ?? new Set<string>();
      readers.set(subject, known.add(id));
    }
  }
  const rows = projection.facts.collections
    .filter((collection) => readers.has(subjectOf(collection)))
    .map((collection) => toRow(collection, readers.get(subjectOf(collection))?.size ?? 0, projection))
    .sort((a, b) => (b.storedBytes ?? -1) - (a.storedBytes ?? -1) || (b.objects ?? -1) - (a.objects ?? -1));
  return { rows: rows.slice(0, limit), total: rows.length };
}

function toRow(collection: CollectionFacts, agents: number, projection: Projection): ListPriceRow {
  const { apiGroup, resource, objects, storedBytes } = collection;
  const size = storedObjectBytes(collection);
  const { versionText, facts, hasEtcdProgress } = projection;
  const path =
    apiGroup === "" ? `/api/v1/${resource}` : `/apis/${encodeURIComponent(apiGroup)}/v1/${resource}`;
  const seatsOf = (query: string): number | null =>
    objects === null
      ? null
      : estimateSeats({
          method: "GET",
          path,
          query,
          v: versionText,
          gates: facts.featureGates,
          etcdProgress: hasEtcdProgress,
          objects: Math.round(objects),
          size: size === null ? null : Math.floor(size),
          stats: "ok",
        }).initialSeats;
  return {
    apiGroup,
    resource,
    objects,
    objectBytes: size,
    storedBytes,
    cacheSeats: seatsOf("limit=500&resourceVersion=0"),
    pageSeats: seatsOf("limit=500"),
    agents,
  };
}
