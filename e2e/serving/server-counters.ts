import type { ControlPlane } from "../testbed/index.ts";

/** A resource by the names that the metrics of the supported versions have for it. */
export interface CountedResource {
  readonly group: string;
  readonly resource: string;
}

/** What a server has counted for one resource since it started, from its own metrics. */
export interface ServingCounters {
  readonly etcdLists: number;
  /** Objects that LISTs read from etcd. */
  readonly etcdFetched: number;
  readonly cacheLists: number;
  /** Objects that LISTs took out of the watch cache before they looked for matches. */
  readonly cacheFetched: number;
  /** What the watch cache held ready for new watches, those included that a watch filtered out. */
  readonly initialEvents: number;
  /** Range reads that etcd was asked for, each page one. */
  readonly etcdRangeReads: number;
  readonly objects: number;
  /** Mean stored bytes of one; 0 where the version does not publish it, negative where the server does not know it. */
  readonly objectBytes: number;
}

type Labels = Readonly<Record<string, string>>;
type Samples = ReadonlyMap<string, readonly { readonly labels: Labels; readonly value: number }[]>;

const SAMPLE =
  /^((?:apiserver_(?:storage_list_|cache_list_|init_events_|storage_objects|resource_)|etcd_request_duration_seconds_count)\w*)\{([^}]*)\} (\S+)$/gm;

/** All that is counted, at one moment. */
export type CounterReading = (of: CountedResource) => ServingCounters;

/** Reads the counters off `/metrics`. */
export async function readCounters(bed: ControlPlane): Promise<CounterReading> {
  const samples = parseSamples((await bed.request({ path: "/metrics" })).text);
  return (of) => countersOf(samples, of);
}

function countersOf(samples: Samples, of: CountedResource): ServingCounters {
  const sum = (name: string, isCounted: (labels: Labels) => boolean = () => true) =>
    (samples.get(name) ?? [])
      .filter(({ labels }) => isOfResource(labels, of) && isCounted(labels))
      .reduce((total, { value }) => total + value, 0);
  // Up to 1.36 the caches count under names of their own; from 1.37 on under the same, with a label for where.
  const isEtcd = ({ storage }: Labels) => storage !== "watchcache";
  const cached = (what: string) =>
    sum(`apiserver_cache_list_${what}`) + sum(`apiserver_storage_list_${what}`, (labels) => !isEtcd(labels));
  const objects = sum("apiserver_resource_objects") || sum("apiserver_storage_objects");
  return {
    etcdLists: sum("apiserver_storage_list_total", isEtcd),
    etcdFetched: sum("apiserver_storage_list_fetched_objects_total", isEtcd),
    cacheLists: cached("total"),
    cacheFetched: cached("fetched_objects_total"),
    initialEvents: sum("apiserver_init_events_total"),
    etcdRangeReads: sum("etcd_request_duration_seconds_count", ({ operation }) =>
      ["list", "listStream"].includes(operation ?? ""),
    ),
    objects,
    objectBytes: objects > 0 ? sum("apiserver_resource_size_estimate_bytes") / objects : 0,
  };
}

/** What was counted between two readings; sizes of the collection as they were at the later one. */
export function countedBetween(before: ServingCounters, after: ServingCounters): ServingCounters {
  return {
    etcdLists: after.etcdLists - before.etcdLists,
    etcdFetched: after.etcdFetched - before.etcdFetched,
    cacheLists: after.cacheLists - before.cacheLists,
    cacheFetched: after.cacheFetched - before.cacheFetched,
    initialEvents: after.initialEvents - before.initialEvents,
    etcdRangeReads: after.etcdRangeReads - before.etcdRangeReads,
    objects: after.objects,
    objectBytes: after.objectBytes,
  };
}

function parseSamples(text: string): Samples {
  const samples = new Map<string, { labels: Labels; value: number }[]>();
  for (const [, name = "", labelText = "", value] of text.matchAll(SAMPLE)) {
    const labels: Record<string, string> = {};
    for (const [, key = "", label = ""] of labelText.matchAll(/(\w+)="([^"]*)"/g)) labels[key] = label;
    const known = samples.get(name) ?? [];
    known.push({ labels, value: Number(value) });
    samples.set(name, known);
  }
  return samples;
}

/** Up to 1.33 a label has resource and group in one, or for a cache where it is stored. */
function isOfResource(labels: Labels, { group, resource }: CountedResource): boolean {
  const inOne = group === "" ? resource : `${resource}.${group}`;
  if (labels.resource_prefix !== undefined) return labels.resource_prefix === `/${resource}`;
  if (labels.type !== undefined) return labels.type === inOne;
  if (labels.group !== undefined) return labels.group === group && labels.resource === resource;
  return labels.resource === inOne;
}
