import type { Workload, WorkloadKind } from "../../domain/clusters/inventory-part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import type { ApiServer } from "../../domain/clusters/servers-part.ts";
import type { FeatureGate } from "../../domain/clusters/version-part.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../../domain/fairness/fairness-part.ts";

/** Rejections of one level on one server that have begun and not ended. */
export interface OpenRejection {
  readonly startedAt: number;
  readonly lastRejectedAt: number;
  readonly peakPerSecond: number;
}

/**
 * What changes are measured against: for each list the last time it was read, however long ago, so that a list that
 * was refused for an hour is compared with what it held before. `null`: never read; then nothing is said.
 */
export interface ChangeBaseline {
  /** By server id. */
  readonly versions: ReadonlyMap<
    string,
    { readonly gitVersion: string; readonly gates: readonly FeatureGate[] | null }
  >;
  /** By server id. */
  readonly servers: ReadonlyMap<string, ApiServer>;
  /** Nodes when their number was last said. */
  readonly nodes: number | null;
  /** Agents by kind, then by `namespace/name`; a kind never read is absent. */
  readonly agents: ReadonlyMap<WorkloadKind, ReadonlyMap<string, Workload>>;
  readonly apiServices: ReadonlySet<string> | null;
  readonly customResourceDefinitions: ReadonlySet<string> | null;
  readonly flowSchemas: ReadonlyMap<string, FlowSchemaObject> | null;
  readonly priorityLevels: ReadonlyMap<string, PriorityLevelObject> | null;
  /** Keyed by `priorityLevelName on serverName`. */
  readonly rejections: ReadonlyMap<string, OpenRejection>;
}

export const EMPTY_BASELINE: ChangeBaseline = {
  versions: new Map(),
  servers: new Map(),
  nodes: null,
  agents: new Map(),
  apiServices: null,
  customResourceDefinitions: null,
  flowSchemas: null,
  priorityLevels: null,
  rejections: new Map(),
};

/** What one pass read, as far as changes go. A part that was not due, failed or was skipped is absent. */
export type ReadParts = { readonly [P in keyof PartValues]?: PartValues[P] };

/**
 * Agents among the workloads: every DaemonSet, and what runs under a ServiceAccount that may list something in the
 * whole cluster. `null` where that is not known for this kind.
 */
export function findAgents(
  inventory: PartValues["inventory"],
  kind: WorkloadKind,
): ReadonlyMap<string, Workload> | null {
  if (kind !== "DaemonSet" && inventory.clusterWideLists === null) return null;
  const accounts = new Set(inventory.clusterWideLists?.map((each) => each.serviceAccount));
  return new Map(
    inventory.workloads
      .filter(
        (workload) =>
          workload.kind === kind &&
          (kind === "DaemonSet" || accounts.has(`${workload.namespace}/${workload.serviceAccountName}`)),
      )
      .map((workload) => [`${workload.namespace}/${workload.name}`, workload]),
  );
}

export const WORKLOAD_KINDS: readonly WorkloadKind[] = ["DaemonSet", "Deployment", "StatefulSet"];

/**
 * A baseline from what the store holds, for a collector that has just started. A kind of workload that the stored
 * inventory has none of counts as never read: it may have been refused.
 */
export function seedBaseline(parts: ReadParts): ChangeBaseline {
  const { version, servers, inventory, fairness } = parts;
  const agents = new Map<WorkloadKind, ReadonlyMap<string, Workload>>();
  for (const kind of WORKLOAD_KINDS) {
    if (inventory === undefined || !inventory.workloads.some((each) => each.kind === kind)) continue;
    const found = findAgents(inventory, kind);
    if (found !== null) agents.set(kind, found);
  }
  return {
    versions: new Map(
      version?.servers.map((each) => [each.serverId, { gitVersion: each.gitVersion, gates: each.gates }]),
    ),
    servers: new Map(servers?.servers.map((server) => [server.id, server])),
    nodes: inventory?.nodes?.total ?? null,
    agents,
    apiServices: inventory?.apiServices ? new Set(inventory.apiServices.map(({ name }) => name)) : null,
    customResourceDefinitions: inventory?.customResourceDefinitions
      ? new Set(inventory.customResourceDefinitions)
      : null,
    flowSchemas: fairness?.flowSchemas
      ? new Map(fairness.flowSchemas.map((each) => [each.name, each]))
      : null,
    priorityLevels: fairness?.priorityLevels
      ? new Map(fairness.priorityLevels.map((each) => [each.name, each]))
      : null,
    rejections: new Map(),
  };
}
