import type { InformerClientName } from "../informers/clients.ts";
import type { Evidence } from "./evidence.ts";

/** What runs in many copies or watches much. `node-client`: the kubelet and others outside pods; `client`: no workload known. */
export const AGENT_KINDS = [
  "DaemonSet",
  "Deployment",
  "StatefulSet",
  "StaticPod",
  "node-client",
  "client",
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** How many copies run: one per node, a fixed number, or not known. */
export type Replicas =
  | { readonly kind: "per-node"; readonly count: number | null }
  | { readonly kind: "fixed"; readonly count: number }
  | { readonly kind: "unknown" };

/** Which part of a collection is asked for. `own-node`: the field selector `spec.nodeName` or `metadata.name` of the copy's node. */
export type InformerScope = "cluster" | "namespace" | "own-node" | "single-object";

/** The form that the client asks for. */
export const REPRESENTATIONS = ["json", "protobuf", "cbor", "metadata-json", "metadata-protobuf"] as const;
export type Representation = (typeof REPRESENTATIONS)[number];

/**
 * How a collection is read. `informer`: LIST (or WatchList) and then WATCH. `list`: once at start. `poll`: again and again.
 * `watch`: WATCH without a LIST before. `get`: one GET for each object of the scope, at start.
 */
export type ReadMode = "informer" | "list" | "poll" | "watch" | "get";

/** One thing that every copy reads from the API server. */
export interface AgentInformer {
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** Plural, as in the path; `*` where RBAC bounds it only by everything. */
  readonly resource: string;
  readonly scope: InformerScope;
  /** For scope `namespace`: its name, or `null` where it is the copy's own. */
  readonly namespace: string | null;
  /** As sent; `$(NODE_NAME)` stands for the copy's node. `null`: none. */
  readonly fieldSelector: string | null;
  readonly labelSelector: string | null;
  /** `null`: not known, then JSON is assumed and said. */
  readonly representation: Representation | null;
  readonly mode: ReadMode;
  /** Of a `poll`, seconds between two; of an `informer`, seconds after which it lists anew; `null`: not known or never. */
  readonly periodSeconds: number | null;
  /** Of a LIST: `0` from cache, `""` unset (latest); `null`: as the client library does. */
  readonly resourceVersion: "0" | "" | null;
  /** `limit` of a LIST; 0: none; `null`: as the client library does. */
  readonly pageSize: number | null;
  /** WatchList in place of LIST; `null`: as the client version does. */
  readonly watchList: boolean | null;
  /** True where only the copy that holds the leader's Lease reads it; absent: every copy does. */
  readonly isLeaderOnly?: boolean | undefined;
  /** The container that reads it; absent or `null`: not told apart. Two containers that read one thing are two informers. */
  readonly container?: string | null | undefined;
  readonly evidence: Evidence;
}

/** The client library inside an agent. */
export interface AgentClient {
  /** `other`: in another language or of unknown make. */
  readonly library: InformerClientName | "other";
  /** Version of that library; `null`: not known, the nearest is assumed and said. */
  readonly version: string | null;
  /** Requests per second and burst of one copy; `null`: as the library does. */
  readonly qps: number | null;
  readonly burst: number | null;
  readonly acceptsGzip: boolean | null;
  readonly evidence: Evidence;
}

/** Two grades of evidence that say different things of one informer; both are kept for people to see. */
export interface EvidenceConflict {
  /** `pods`, `services.` … as `resource.group`. */
  readonly subject: string;
  /** What each says, best evidence first. */
  readonly claims: readonly { readonly says: string; readonly evidence: Evidence }[];
}

/** An agent on one cluster, or from manifests before it is installed. */
export interface Agent {
  /** Stable over clusters and time: `daemonset/observability/node-telemetry`, `client/kubelet`. */
  readonly id: string;
  readonly kind: AgentKind;
  /** `null` for what lives in none. */
  readonly namespace: string | null;
  readonly name: string;
  /** As APF and RBAC see it: `system:serviceaccount:ns:name`, `system:node:*`; `null`: not known. */
  readonly userName: string | null;
  readonly userGroups: readonly string[];
  readonly userAgent: string | null;
  readonly image: string | null;
  /** Of the agent: from the image tag or the version label; `null`: not known. */
  readonly version: string | null;
  readonly replicas: Replicas;
  readonly client: AgentClient;
  /** What is known best of each thing read; sorted by resource, group, scope. Empty with `isKnown` true: it reads nothing. */
  readonly informers: readonly AgentInformer[];
  /** False where nothing at all is known of what it reads. */
  readonly isKnown: boolean;
  readonly conflicts: readonly EvidenceConflict[];
  /** Labels that name owner, application and version; absent: not known. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Entries of the catalogue that its images match, sorted; absent or empty: none. */
  readonly catalogueIds?: readonly string[] | undefined;
  /** What was assumed where nothing said so, one sentence each; absent: nothing. */
  readonly assumptions?: readonly string[] | undefined;
}
