import type { ListSeatsInput } from "./estimate-seats.ts";

/** The state of the watch cache of the resource on the API server. */
export type CacheState =
  /** Filled and fresh. */
  | "ready"
  /** Filled, but not fresh enough within the 3 s that a request waits. */
  | "behind"
  /** Being filled, after a start or when a watch on etcd broke. */
  | "initializing";

/**
 * Whether etcd has the state of the resource version that a request asks for. `held`: it has. `compacted`: no more.
 * `future`: it is not there yet.
 */
export type VersionState = "held" | "compacted" | "future";

/** A LIST or WATCH, and what decides where it is served and how much that is. All but the request may be absent. */
export interface ServingInput extends ListSeatsInput {
  /** Whether the API server caches the resource; absent: all but events. */
  readonly isCached?: boolean | null | undefined;
  /** Whether objects of the resource live in namespaces; absent: all but the built-in cluster-scoped resources. */
  readonly isNamespaced?: boolean | null | undefined;
  /** Absent: `ready`. */
  readonly cacheState?: CacheState | null | undefined;
  /**
   * Whether the cache still has what the wanted resource version takes: for a LIST a snapshot of that state, for a WATCH
   * all changes since. Absent: it has, unless etcd does not.
   */
  readonly isSnapshotHeld?: boolean | null | undefined;
  /** Absent: `held`. Of no matter where no resource version is asked for. */
  readonly versionState?: VersionState | null | undefined;
  /** Changes of the resource since the resource version of a WATCH, cluster-wide; absent: not known. */
  readonly changesSince?: number | null | undefined;
  /** Objects in the namespace that is asked for; absent: not known. A cluster-wide LIST has all of `objects`. */
  readonly namespaceObjects?: number | null | undefined;
  /** Objects asked for that match the selectors; absent: not known, or all where there is no selector. */
  readonly matchingObjects?: number | null | undefined;
  /** Mean bytes of an object in the form asked for (JSON, protobuf, metadata only); absent: its stored size. */
  readonly objectResponseBytes?: number | null | undefined;
}

/**
 * Where a LIST, or what a WATCH begins with, is served. `cache`: latest state in memory. `snapshot`: an earlier state in
 * memory. `history`: the changes that the cache remembers. `etcd`: the whole range, or for a WATCH the changes that
 * etcd remembers. `etcd-page`: reads of `limit` objects each. `none`: it is refused.
 */
export type ServingSource = "cache" | "snapshot" | "history" | "etcd" | "etcd-page" | "none";

/**
 * `any`: whatever age. `at-least`: not older than a resource version. `exact`: of one. `latest`: as of now. `after`: no
 * state, but the changes after one.
 */
export type Freshness = "any" | "at-least" | "exact" | "latest" | "after";

export interface Refusal {
  /** HTTP status, or `code` of the ERROR event that a WATCH is answered with: 400, 410, 422, 429, 500 or 504. */
  readonly status: number;
  readonly message: string;
  /** Seconds of `Retry-After`, or `null`: none. */
  readonly retryAfterSeconds: number | null;
}

/** Objects and their bytes. `null`: not known. `isUpperBound`: at most so many. */
export interface ObjectVolume {
  readonly objects: number | null;
  readonly bytes: number | null;
  readonly isUpperBound: boolean;
}

/** Of a WATCH, what is done before the first live change: that is what its seats are held for. */
export interface RequestServing {
  readonly isWatch: boolean;
  readonly source: ServingSource;
  readonly freshness: Freshness | null;
  /** One object by its key instead of a range. */
  readonly isSingleKey: boolean;
  /** False where `limit` is absent or passed over. */
  readonly isLimitHonoured: boolean;
  /**
   * JSON and protobuf answers of a LIST are encoded piece by piece (1.33 and later); before, and as Table or YAML, in one
   * buffer. A WATCH is always encoded event by event.
   */
  readonly isStreamed: boolean;
  readonly refusal: Refusal | null;
  /**
   * What the API server goes through, in stored bytes: objects looked at in memory, or read from etcd. Of a WATCH from a
   * resource version these are changes, each with its object.
   */
  readonly handled: ObjectVolume;
  /** What the client gets, uncompressed; the envelopes of events are not counted. */
  readonly received: ObjectVolume;
  /** Why, one sentence each, in order. */
  readonly steps: readonly string[];
}

/** Resources that the API server caches not at all by default. Source: kubeapiserver default_storage_factory_builder.go. */
export function isCachedByDefault(apiGroup: string, resource: string): boolean {
  return resource !== "events" || (apiGroup !== "" && apiGroup !== "events.k8s.io");
}

/** Built-in resources without namespace, as `group/resource`. Custom ones are not told apart by their path. */
const CLUSTER_SCOPED = new Set([
  "/componentstatuses",
  "/namespaces",
  "/nodes",
  "/persistentvolumes",
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices",
  "certificates.k8s.io/certificatesigningrequests",
  "certificates.k8s.io/clustertrustbundles",
  "flowcontrol.apiserver.k8s.io/flowschemas",
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  "internal.apiserver.k8s.io/storageversions",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/ipaddresses",
  "networking.k8s.io/servicecidrs",
  "node.k8s.io/runtimeclasses",
  "rbac.authorization.k8s.io/clusterrolebindings",
  "rbac.authorization.k8s.io/clusterroles",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/resourceslices",
  "scheduling.k8s.io/priorityclasses",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
  "storagemigration.k8s.io/storageversionmigrations",
]);

/** Whether a resource is taken to live in namespaces. */
export function isNamespacedByDefault(apiGroup: string, resource: string): boolean {
  return !CLUSTER_SCOPED.has(`${apiGroup}/${resource}`);
}
