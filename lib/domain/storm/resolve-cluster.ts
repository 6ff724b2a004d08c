import type { ClusterFacts, CollectionFacts } from "../clusters/cluster-facts.ts";
import { isCachedByDefault } from "../cost/serving.ts";
import { defaultFlowSchemas, defaultPriorityLevels } from "../fairness/configuration/expand-objects.ts";
import { NEWEST_KNOWN_MINOR, parseVersion, ruleVersion } from "../kubernetes/version.ts";
import type { StormCluster, StormCollection, StormServer } from "./storm-input.ts";

/** What stands in for what is not known of a cluster. Each use is said in the assumptions. */
export const ASSUMED_CLUSTER = {
  apiServers: 1,
  cores: 4,
  totalConcurrencySeats: 600,
  requestTimeoutSeconds: 60,
  objectBytes: 5000,
  /** Sizes of the forms of pods of 5 KB against protobuf as stored. */
  jsonRatio: 1.48,
  metadataProtobufRatio: 0.54,
  metadataJsonRatio: 0.8,
} as const;

export interface ResolvedCluster {
  readonly cluster: StormCluster;
  /** Why no verdict should rest on it, one sentence each: without these figures the storm itself is a guess. */
  readonly doubts: readonly string[];
}

/** Resources whose objects are written all the time, so that their sizes are soon known again after a restart. */
const CHANGING = new Set([
  "/pods",
  "/nodes",
  "/events",
  "coordination.k8s.io/leases",
  "discovery.k8s.io/endpointslices",
]);

/**
 * Facts made ready for a simulation. What is not known is assumed and said in `cluster.assumptions`; a collection whose
 * count is not known is left out, since no count is not zero: an agent that reads it gets a doubt from
 * `resolveStormAgent`.
 */
export function resolveStormCluster(facts: ClusterFacts): ResolvedCluster {
  const assumptions: string[] = [];
  const doubts: string[] = [];
  const kubernetesVersion = resolveVersion(facts, assumptions, doubts);
  const { minor } = ruleVersion(kubernetesVersion);
  const servers = resolveServers(facts, assumptions);
  if (facts.flowSchemas === null || facts.priorityLevels === null) {
    assumptions.push(
      `FlowSchemas and priority levels were not read: the defaults of 1.${minor} are taken, whichever were changed.`,
    );
  }
  const collections = facts.collections.flatMap((collection) =>
    resolveCollection(collection, facts, minor, assumptions),
  );
  if (facts.background.length === 0) {
    assumptions.push("No steady load was measured: the API servers are taken to be idle but for the storm.");
  }
  const cluster: StormCluster = {
    name: facts.name,
    kubernetesVersion,
    featureGates: facts.featureGates,
    etcdProgress: hasProgress(facts.etcdVersion),
    nodes: facts.nodes ?? 0,
    servers,
    collections,
    flowSchemas: facts.flowSchemas ?? defaultFlowSchemas(minor),
    priorityLevels: facts.priorityLevels ?? defaultPriorityLevels(minor),
    requestTimeoutSeconds: ASSUMED_CLUSTER.requestTimeoutSeconds,
    background: facts.background.map((flow) => ({ ...flow, cpuSeconds: null })),
    assumptions,
  };
  return { cluster, doubts };
}

function resolveVersion(
  { kubernetesVersion }: ClusterFacts,
  assumptions: string[],
  doubts: string[],
): string {
  const parsed = kubernetesVersion === null ? null : parseVersion(kubernetesVersion);
  if (kubernetesVersion === null || parsed === null) {
    const version = `1.${NEWEST_KNOWN_MINOR}`;
    const what = kubernetesVersion === null ? "is not known" : `"${kubernetesVersion}" does not read as one`;
    assumptions.push(`The version ${what}: the rules of ${version} are taken.`);
    doubts.push("The version of the API servers is not known, and seats depend on it.");
    return version;
  }
  const { note } = ruleVersion(parsed);
  if (note !== null) assumptions.push(note);
  return kubernetesVersion;
}

function resolveServers(facts: ClusterFacts, assumptions: string[]): readonly StormServer[] {
  const { server, apiServers, totalConcurrencySeats } = facts;
  const count = apiServers ?? ASSUMED_CLUSTER.apiServers;
  if (apiServers === null) assumptions.push("The number of API servers is not known: one is taken.");
  if (count > 1) assumptions.push("Clients are taken to spread evenly over the API servers.");
  if (server.cores === null)
    assumptions.push(`The cores of an API server are not known: ${ASSUMED_CLUSTER.cores} are taken.`);
  if (server.memoryBytes === null)
    assumptions.push("The memory of an API server is not known: the estimate is held against nothing.");
  if (server.linkBytesPerSecond === null)
    assumptions.push("The network link is not known: it is taken to be no bottleneck.");
  if (totalConcurrencySeats === null) {
    assumptions.push(
      `The seats of an API server are not known: ${ASSUMED_CLUSTER.totalConcurrencySeats} are taken, the default of both flags.`,
    );
  }
  return Array.from({ length: Math.max(1, count) }, (_, index) => ({
    name: `api-${index}`,
    cores: server.cores ?? ASSUMED_CLUSTER.cores,
    memoryBytes: server.memoryBytes,
    linkBytesPerSecond: server.linkBytesPerSecond,
    totalConcurrencySeats: totalConcurrencySeats ?? ASSUMED_CLUSTER.totalConcurrencySeats,
    clientWeight: 1,
    demand: [],
  }));
}

function resolveCollection(
  collection: CollectionFacts,
  { nodes }: ClusterFacts,
  minor: number,
  assumptions: string[],
): readonly StormCollection[] {
  const { apiGroup, resource, objects } = collection;
  if (objects === null) return [];
  const name = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  const stored = resolveStoredBytes(collection, objects, name, assumptions);
  const protobuf = collection.protobufObjectBytes ?? (objects > 0 ? stored / objects : 0);
  const json = collection.jsonObjectBytes ?? protobuf * ASSUMED_CLUSTER.jsonRatio;
  const metadataProtobuf = collection.metadataObjectBytes ?? protobuf * ASSUMED_CLUSTER.metadataProtobufRatio;
  const metadataJson = collection.metadataObjectBytes ?? protobuf * ASSUMED_CLUSTER.metadataJsonRatio;
  return [
    {
      apiGroup,
      resource,
      objects,
      storedBytes: stored,
      jsonObjectBytes: json,
      protobufObjectBytes: protobuf,
      metadataJsonObjectBytes: metadataJson,
      metadataProtobufObjectBytes: metadataProtobuf,
      objectsPerNode: collection.objectsPerNode ?? Math.ceil(objects / Math.max(1, nodes ?? 1)),
      // An API server knows no sizes of what it does not cache.
      statistics: isCachedByDefault(apiGroup, resource) ? "known" : "size-unknown",
      isSizeKnownAfterRestart: minor < 36 || CHANGING.has(`${apiGroup}/${resource}`),
    },
  ];
}

function resolveStoredBytes(
  { storedBytes, protobufObjectBytes, jsonObjectBytes }: CollectionFacts,
  objects: number,
  name: string,
  assumptions: string[],
): number {
  if (storedBytes !== null) return storedBytes;
  if (objects === 0) return 0;
  const each =
    protobufObjectBytes ?? (jsonObjectBytes === null ? null : jsonObjectBytes / ASSUMED_CLUSTER.jsonRatio);
  if (each !== null) {
    assumptions.push(
      `The stored size of ${name} is not known: ${Math.round(each)} bytes an object are taken from a sample.`,
    );
    return each * objects;
  }
  assumptions.push(
    `The size of ${name} is not known: ${ASSUMED_CLUSTER.objectBytes} bytes an object are taken.`,
  );
  return ASSUMED_CLUSTER.objectBytes * objects;
}

/** etcd 3.4.31, 3.5.13 and later can be asked for progress notifications; one that is not known is taken for such. */
function hasProgress(etcdVersion: string | null): boolean {
  const parsed = etcdVersion === null ? null : parseVersion(etcdVersion);
  if (parsed === null) return true;
  const { major, minor, patch } = parsed;
  if (major !== 3) return major > 3;
  if (minor === 4) return (patch ?? Number.POSITIVE_INFINITY) >= 31;
  return minor > 5 || (minor === 5 && (patch ?? Number.POSITIVE_INFINITY) >= 13);
}
