import type { ClusterFacts, CollectionFacts } from "../../clusters/cluster-facts.ts";

export const collectionFor = (subject: string, over: Partial<CollectionFacts> = {}): CollectionFacts => {
  const [resource = "", ...group] = subject.split(".");
  return {
    apiGroup: group.join("."),
    resource,
    objects: null,
    storedBytes: null,
    jsonObjectBytes: null,
    protobufObjectBytes: null,
    metadataObjectBytes: null,
    objectsPerNode: null,
    ...over,
  };
};

/** So many objects of so many stored bytes each. */
export const sized = (subject: string, objects: number, bytes: number, over: Partial<CollectionFacts> = {}) =>
  collectionFor(subject, { objects, storedBytes: objects * bytes, ...over });

/** 2 000 nodes, 48 000 pods, three API servers of 1.15 GB/s each, 1.34.2 with defaults. */
export const clusterFor = (over: Partial<ClusterFacts> = {}): ClusterFacts => ({
  name: "prod-us-east",
  kubernetesVersion: "1.34.2",
  featureGates: {},
  etcdVersion: "3.6.5",
  apiServers: 3,
  nodes: 2000,
  nodesNotReady: 0,
  collections: [
    sized("pods", 48_000, 5000),
    sized("nodes", 2000, 9100),
    sized("endpointslices.discovery.k8s.io", 5200, 2900),
    sized("services", 3900, 1300),
    sized("namespaces", 340, 1100),
  ],
  flowSchemas: null,
  priorityLevels: null,
  totalConcurrencySeats: 600,
  server: { cores: 16, memoryBytes: 64 * 2 ** 30, linkBytesPerSecond: 1.15e9 },
  background: [],
  observedAt: null,
  ...over,
});
