import { parseImageReference } from "../agents/image-reference.ts";
import type { PriorityLevelObject } from "../fairness/fairness-part.ts";
import type { GateSettings } from "../kubernetes/feature-gates.ts";
import { backgroundOfFairness } from "./background-of-fairness.ts";
import type { ClusterFacts, CollectionFacts } from "./cluster-facts.ts";
import { compareText } from "./finding.ts";
import type { InventoryPart } from "./inventory-part.ts";
import type { PartValues } from "./part-values.ts";
import type { Reading } from "./reading.ts";
import { serverResourcesOf } from "./server-resources.ts";
import type { SizesPart, VersionPart } from "./version-part.ts";

/** What the collector read of a cluster, in the shape that projections and rules take. `null` where it was not read. */
export function factsOfParts(options: {
  readonly name: string;
  readonly values: Partial<PartValues>;
  /** Milliseconds since the epoch of the oldest of the values. */
  readonly observedAt: number;
  /** Of the cluster: an operator may say there what an API server has, see `SERVER_LABELS`. */
  readonly labels?: Readonly<Record<string, string>>;
}): ClusterFacts {
  const { version, servers, sizes, fairness, inventory } = options.values;
  const priorityLevels = fairness?.priorityLevels ?? null;
  return {
    name: options.name,
    kubernetesVersion: version === undefined ? null : version.gitVersion.replace(/^v/, ""),
    featureGates: version === undefined ? {} : gatesOf(version),
    etcdVersion: etcdVersionOf(inventory),
    apiServers: servers === undefined ? null : (servers.expectedServers ?? servers.servers.length),
    nodes: inventory?.nodes?.total ?? null,
    nodesNotReady: null,
    collections: sizes === undefined ? [] : collectionsOf(sizes),
    flowSchemas: fairness?.flowSchemas ?? null,
    priorityLevels,
    totalConcurrencySeats: seatsOf(options.values, priorityLevels),
    server: serverResourcesOf(servers ?? null, options.labels ?? {}),
    background: fairness === undefined ? [] : backgroundOfFairness(fairness),
    observedAt: options.observedAt,
  };
}

/** Gates on which the servers that were read agree: during an upgrade they may differ. */
function gatesOf({ servers }: VersionPart): GateSettings {
  const settings = new Map<string, boolean | null>();
  for (const { gates } of servers) {
    for (const { name, enabled } of gates ?? []) {
      const known = settings.get(name);
      settings.set(name, known === undefined || known === enabled ? enabled : null);
    }
  }
  return Object.fromEntries([...settings].filter((entry): entry is [string, boolean] => entry[1] !== null));
}

/** By the tag of its static pods; the lowest where they differ in text. `null`: it runs elsewhere, or was not read. */
function etcdVersionOf(inventory: InventoryPart | undefined): string | null {
  const tags = (inventory?.controlPlanePods ?? []).flatMap(({ component, image }) =>
    component === "etcd" && image !== null ? (parseImageReference(image)?.tag ?? []) : [],
  );
  const [lowest] = tags
    .map((tag) => /^v?(\d+\.\d+\.\d+)/.exec(tag)?.[1] ?? "")
    .filter(Boolean)
    .sort();
  return lowest ?? null;
}

/** Of several servers the largest figure: each holds the whole collection, and one may lag behind. */
function collectionsOf({ resources, samples }: SizesPart): readonly CollectionFacts[] {
  const byName = new Map<string, CollectionFacts>();
  for (const { group, resource, objects, storedBytes } of resources) {
    const key = `${group}\u0000${resource}`;
    const before = byName.get(key);
    const sample = samples.find((each) => each.group === group && each.resource === resource);
    byName.set(key, {
      apiGroup: group,
      resource,
      objects: larger(before?.objects ?? null, asNumber(objects)),
      storedBytes: larger(before?.storedBytes ?? null, asNumber(storedBytes)),
      jsonObjectBytes: sample?.jsonBytes ?? null,
      protobufObjectBytes: sample?.protobufBytes ?? null,
      metadataObjectBytes: sample?.metadataBytes ?? null,
      objectsPerNode: null,
    });
  }
  return [...byName.values()].sort(
    (a, b) => compareText(a.apiGroup, b.apiGroup) || compareText(a.resource, b.resource),
  );
}

const larger = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b));

/**
 * Nominal seats of all Limited levels of one server: together they are the server's concurrency limit, but for the
 * rounding of each. `null` where one is not known.
 */
function seatsOf(
  { fairness }: Partial<PartValues>,
  levels: readonly PriorityLevelObject[] | null,
): number | null {
  const [server] = fairness?.servers ?? [];
  if (server === undefined || levels === null) return null;
  const limited = new Set(levels.filter(({ type }) => type === "Limited").map(({ name }) => name));
  let seats = 0;
  for (const { priorityLevelName, nominalSeats } of server.levels) {
    if (!limited.has(priorityLevelName)) continue;
    if (nominalSeats === null) return null;
    seats += nominalSeats;
  }
  return seats === 0 ? null : seats;
}

const asNumber = (reading: Reading) => (reading.state === "known" ? reading.value : null);
