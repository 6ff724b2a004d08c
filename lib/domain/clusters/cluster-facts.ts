import type { FlowSchemaObject, PriorityLevelObject } from "../fairness/fairness-part.ts";
import type { GateSettings } from "../kubernetes/feature-gates.ts";

/** Count and sizes of one resource. `null`: not known, never zero. */
export interface CollectionFacts {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly objects: number | null;
  /** Bytes as stored in etcd, all objects together. */
  readonly storedBytes: number | null;
  /** Mean bytes of one object in each form; `null`: not sampled. */
  readonly jsonObjectBytes: number | null;
  readonly protobufObjectBytes: number | null;
  readonly metadataObjectBytes: number | null;
  /** Most objects that one node's `spec.nodeName` selects; `null`: not known, the mean is assumed and said. */
  readonly objectsPerNode: number | null;
  /** Writes per second, all objects together: one watch event each; absent or `null`: not known. */
  readonly changesPerSecond?: number | null | undefined;
  /** Bytes on the wire ÷ bytes of a compressed LIST, 0 to 1; absent or `null`: not measured. */
  readonly gzipRatio?: number | null | undefined;
  /** Objects grow with the nodes to this power, as measured: 1 in step, 0 not at all; absent or `null`: not measured. */
  readonly nodeElasticity?: number | null | undefined;
}

/** What one API server has to work with. `null`: not known, a stated default is taken. */
export interface ServerResources {
  readonly cores: number | null;
  readonly memoryBytes: number | null;
  /** Usable for responses. */
  readonly linkBytesPerSecond: number | null;
}

/** Steady load of one flow on one API server, as measured. */
export interface BackgroundFlow {
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly requestsPerSecond: number;
  readonly seats: number;
  readonly serviceSeconds: number;
}

/**
 * What is known of a cluster for projections: from the store, from one read now, or from a `cluster.yaml` given by hand.
 * Every field may be missing (`null` or empty); whoever projects says what was assumed.
 */
export interface ClusterFacts {
  readonly name: string | null;
  /** Lowest of its API servers: `1.34.2`. */
  readonly kubernetesVersion: string | null;
  readonly featureGates: GateSettings;
  readonly etcdVersion: string | null;
  readonly apiServers: number | null;
  readonly nodes: number | null;
  readonly nodesNotReady: number | null;
  /** Sorted by group and resource. */
  readonly collections: readonly CollectionFacts[];
  /** `null`: not known, the version's defaults are taken and said. */
  readonly flowSchemas: readonly FlowSchemaObject[] | null;
  readonly priorityLevels: readonly PriorityLevelObject[] | null;
  /** `--max-requests-inflight` + `--max-mutating-requests-inflight` of one API server; `null`: 600 by default. */
  readonly totalConcurrencySeats: number | null;
  readonly server: ServerResources;
  readonly background: readonly BackgroundFlow[];
  /** When the oldest figure was observed, milliseconds since the epoch; `null` for facts given by hand. */
  readonly observedAt: number | null;
}
