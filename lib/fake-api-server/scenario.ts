import type { Identity } from "./authorization.ts";
import type { Collection } from "./collection.ts";
import type { ServerFigures } from "./figures.ts";

/** What a server does with a connection at an instant. `hang` accepts and never answers; `reset` drops it. */
export type Availability = "serving" | "hang" | "reset";

export interface OpenApiDocuments {
  /** The merged `swagger: "2.0"` document. */
  readonly v2: object;
  /** The same as protobuf: bytes, a status code it is refused with, or `null` where this server has none (406). */
  readonly v2Protobuf: Uint8Array | number | null;
  /** By the path below /openapi/v3: `api/v1`, `apis/apps/v1`. */
  readonly v3: Readonly<Record<string, object>>;
}

/**
 * A cluster as plain data and pure functions of time (milliseconds since the epoch). Two servers that play the same
 * scenario answer the same at the same instant.
 */
export interface ClusterScenario {
  readonly name: string;
  /** UID of the kube-system namespace: what identifies the cluster. */
  readonly uid: string;
  readonly createdAt: number;
  /** `1.34.2`. */
  readonly kubernetesVersion: string;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Host names of its API servers, 1 to n. */
  readonly servers: readonly [string, ...string[]];
  /** Every resource that has objects; the others are served empty. */
  readonly collections: readonly Collection[];
  /** Bearer tokens it accepts. The first is the one that a kubeconfig of this server carries. */
  readonly identities: readonly [Identity, ...Identity[]];
  /** The metrics, dumps and process facts of one server; all of one instant agree. */
  figuresAt(serverIndex: number, at: number): ServerFigures;
  /** When a server's identity Lease was made: shortly after its host first ran one. Restarts keep the Lease. */
  leaseCreatedAt(serverIndex: number): number;
  availabilityAt?(serverIndex: number, at: number): Availability;
  /** Names of health checks that fail now: `etcd`, `kms-providers`. */
  failingChecksAt?(serverIndex: number, at: number): readonly string[];
  /** Health checks beyond the version's own: `kms-providers`. */
  readonly extraChecks?: readonly string[];
  readonly openApi?: OpenApiDocuments;
  /** Bytes of further, constant series in /metrics, as big clusters have them. */
  readonly metricsFillerBytes?: number;
}

/** Writes a cluster makes per second: its resource version is this times its age. */
const WRITES_PER_SECOND = 10;

/** The resource version of the whole store at an instant; grows with time, never goes back. */
export function resourceVersionAt(scenario: Pick<ClusterScenario, "createdAt">, at: number): string {
  return String(1000 + Math.max(0, Math.floor(((at - scenario.createdAt) / 1000) * WRITES_PER_SECOND)));
}

/** The first instant at which the store had this resource version. `NaN` for anything but digits. */
export function instantOfResourceVersion(
  scenario: Pick<ClusterScenario, "createdAt">,
  resourceVersion: string,
): number {
  if (!/^\d+$/.test(resourceVersion)) return Number.NaN;
  return scenario.createdAt + Math.ceil(((Number(resourceVersion) - 1000) / WRITES_PER_SECOND) * 1000);
}
