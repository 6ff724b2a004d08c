import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import type { ClusterWideList } from "../clusters/inventory-part.ts";
import type { JsonObject } from "./json-value.ts";
import type { ObjectIndex } from "./scanned-object.ts";

/** What a file can be. The first five are streamed, or may be. */
export const INPUT_KINDS = [
  "audit-log",
  "metrics",
  "log",
  "watch-stream",
  "manifests",
  "openapi-v2",
  "openapi-v3",
  "dump-priority-levels",
  "dump-queues",
  "dump-requests",
  "health",
  "cluster-facts",
  "measurements",
] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** Rows of one debug dump of API Priority and Fairness; `null` where the version has no such column or prints `<none>`. */
export interface ScannedDump<Row> {
  readonly file: string;
  readonly rows: readonly Row[];
}

/** One priority level of `dump_priority_levels`. Counters run since the API server started. */
export interface PriorityLevelDump {
  readonly priorityLevelName: string;
  readonly activeQueues: number | null;
  readonly isIdle: boolean | null;
  readonly isQuiescing: boolean | null;
  readonly waitingRequests: number | null;
  readonly executingRequests: number | null;
  readonly dispatchedRequests: number | null;
  readonly rejectedRequests: number | null;
  readonly timedoutRequests: number | null;
  readonly cancelledRequests: number | null;
}

/** One queue of `dump_queues`. */
export interface QueueDumpLine {
  readonly priorityLevelName: string;
  readonly index: number;
  readonly pendingRequests: number | null;
  readonly executingRequests: number | null;
  readonly seatsInUse: number | null;
  readonly nextDispatchSeatSeconds: number | null;
  readonly initialSeatsSum: number | null;
  readonly maxSeatsSum: number | null;
  readonly totalWorkSeatSeconds: number | null;
}

/** One request of `dump_requests`. Instants are milliseconds since the epoch. */
export interface RequestDumpLine {
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  readonly queueIndex: number | null;
  /** −1 for a request that is executing. */
  readonly requestIndexInQueue: number | null;
  readonly flowDistinguisher: string;
  readonly arrivedAt: number | null;
  readonly initialSeats: number | null;
  readonly finalSeats: number | null;
  readonly additionalLatencySeconds: number | null;
  readonly startedAt: number | null;
  readonly userName: string | null;
  readonly verb: string | null;
  readonly apiPath: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly apiVersion: string | null;
  readonly resource: string | null;
  readonly subResource: string | null;
}

/** `?verbose` output of a health endpoint. */
export interface HealthOutput {
  readonly file: string;
  /** `livez`, `readyz`, `healthz`, from its last line or its name; `null` where neither says it. */
  readonly endpoint: "livez" | "readyz" | "healthz" | null;
  /** Whether the endpoint passed as a whole; `null` where the last line is not there. */
  readonly isPassed: boolean | null;
  /** In the order of the output. */
  readonly checks: readonly { readonly name: string; readonly isOk: boolean; readonly text: string }[];
}

/** A schema document as served, not yet looked into. Bytes for protobuf, the parsed document for JSON. */
export interface SchemaDocument {
  readonly file: string;
  readonly version: "v2" | "v3";
  readonly content:
    | { readonly form: "json"; readonly document: JsonObject }
    | { readonly form: "protobuf"; readonly bytes: Uint8Array };
}

/** Something somebody measured, under the name of its file: `measurements.json`, `responses.json`, `timeline.json`, … */
export interface MeasuredFacts {
  /** Name of the file without its folder. */
  readonly name: string;
  readonly file: string;
  readonly value: unknown;
}

/** What people gave by hand about a cluster beyond `ClusterFacts`. `null` or empty: not given. */
export interface HandGivenFacts {
  readonly note: string | null;
  /** From one pod of a rollout to the next. */
  readonly secondsPerPod: number | null;
  /** How long whoever deploys waits for a rollout. */
  readonly deployTimeoutSeconds: number | null;
  /** Between two dumps of one kind, given in the order of their names. */
  readonly secondsBetweenDumps: number | null;
  /** By priority level. */
  readonly nominalSeats: Readonly<Record<string, number>>;
  /** Current limit in seats by priority level; under `*` where one number was given for all. */
  readonly seats: Readonly<Record<string, number>>;
  /** True where the flow control objects are those of the version by default, as `flowcontrol: defaults` says. */
  readonly hasDefaultFlowControl: boolean;
  /** `--max-requests-inflight`, `--max-mutating-requests-inflight` of one API server. */
  readonly maxRequestsInflight: number | null;
  readonly maxMutatingRequestsInflight: number | null;
  /** Start-up flags of the API server as given, `name=value` or `--name=value`. */
  readonly flags: readonly string[];
  /** What else stood there under names that are no fields: a rule may know some of them. */
  readonly others: Readonly<Record<string, unknown>>;
}

/**
 * Everything a rule decides by, apart from streams. All of it may be missing: empty lists, `null` figures. What is
 * missing is not known, never zero and never in order.
 */
export interface ScanFacts {
  /** Kinds of input that were given, streamed ones too: a rule sees at its begin whether events will come. */
  readonly given: ReadonlySet<InputKind>;
  readonly objects: ObjectIndex;
  /** From `cluster.yaml`, or from the cluster read now; every field `null` or empty where neither was given. */
  readonly cluster: ClusterFacts;
  readonly hand: HandGivenFacts;
  /** ServiceAccounts that may list something in the whole cluster; `null` where no RBAC was given. Sorted. */
  readonly clusterWideLists: readonly ClusterWideList[] | null;
  /** In the order of the names of their files: of two dumps the earlier comes first. */
  readonly priorityLevelDumps: readonly ScannedDump<PriorityLevelDump>[];
  readonly queueDumps: readonly ScannedDump<QueueDumpLine>[];
  readonly requestDumps: readonly ScannedDump<RequestDumpLine>[];
  readonly health: readonly HealthOutput[];
  readonly schemas: readonly SchemaDocument[];
  readonly measurements: readonly MeasuredFacts[];
}

export const NO_CLUSTER_FACTS: ClusterFacts = {
  name: null,
  kubernetesVersion: null,
  featureGates: {},
  etcdVersion: null,
  apiServers: null,
  nodes: null,
  nodesNotReady: null,
  collections: [],
  flowSchemas: null,
  priorityLevels: null,
  totalConcurrencySeats: null,
  server: { cores: null, memoryBytes: null, linkBytesPerSecond: null },
  background: [],
  observedAt: null,
};

export const NO_HAND_GIVEN_FACTS: HandGivenFacts = {
  note: null,
  secondsPerPod: null,
  deployTimeoutSeconds: null,
  secondsBetweenDumps: null,
  nominalSeats: {},
  seats: {},
  hasDefaultFlowControl: false,
  maxRequestsInflight: null,
  maxMutatingRequestsInflight: null,
  flags: [],
  others: {},
};
