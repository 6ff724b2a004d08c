import type { NodeSummary } from "../domain/clusters/inventory-part.ts";
import type { PartValues } from "../domain/clusters/part-values.ts";
import type { ServersPart } from "../domain/clusters/servers-part.ts";
import type { FeatureGate } from "../domain/clusters/version-part.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../domain/fairness/fairness-part.ts";
import type { RateMemory } from "./metrics/rates.ts";
import type { LeaseIdentity } from "./servers/match-servers.ts";
import { type Stickiness, UNKNOWN_STICKINESS } from "./servers/stickiness.ts";

export interface KnownConfiguration {
  readonly priorityLevels: readonly PriorityLevelObject[] | null;
  readonly flowSchemas: readonly FlowSchemaObject[] | null;
  readonly apiVersion: string | null;
  readonly readAt: number;
}

export interface KnownVersion {
  readonly gitVersion: string;
  readonly platform: string | null;
  readonly gates: readonly FeatureGate[] | null;
}

/**
 * What the collector keeps of a cluster between two passes, in memory only: what turns counters into rates, what need
 * not be read each time, and what did not work. All of it can be lost; it is read again.
 */
export interface ScrapeMemory {
  /** UID of kube-system as last read. */
  readonly uid: string | null;
  readonly servers: ServersPart | null;
  readonly leases: readonly LeaseIdentity[] | null;
  readonly leasesReadAt: number | null;
  /** The connection through the shared address with which the next pass begins. */
  readonly nextSlot: number;
  readonly stickiness: Stickiness;
  readonly addresses: readonly string[] | null;
  readonly addressesReadAt: number | null;
  /** Addresses that could not be reached from here, and when to try again. */
  readonly addressRetryAt: ReadonlyMap<string, number>;
  /** By server id. */
  readonly rates: ReadonlyMap<string, RateMemory>;
  readonly versions: ReadonlyMap<string, KnownVersion>;
  readonly configuration: KnownConfiguration | null;
  /** Nodes as last listed, with the number as last counted. */
  readonly nodes: {
    readonly summary: NodeSummary;
    readonly listedTotal: number;
    readonly readAt: number;
  } | null;
  /** Objects and bytes per object by `group/resource`, for choosing the form of a LIST. */
  readonly collections: ReadonlyMap<
    string,
    { readonly objects: number; readonly objectBytes: number | null }
  >;
  /** Cost of the passes of the last minute. */
  readonly costs: readonly { readonly at: number; readonly requests: number; readonly wireBytes: number }[];
}

export const EMPTY_MEMORY: ScrapeMemory = {
  uid: null,
  servers: null,
  leases: null,
  leasesReadAt: null,
  nextSlot: 0,
  stickiness: UNKNOWN_STICKINESS,
  addresses: null,
  addressesReadAt: null,
  addressRetryAt: new Map(),
  rates: new Map(),
  versions: new Map(),
  configuration: null,
  nodes: null,
  collections: new Map(),
  costs: [],
};

/** A memory from what the store holds, so that servers keep ids and names over a restart of the collector. */
export function seedMemory(
  uid: string | null,
  parts: { readonly [P in keyof PartValues]?: PartValues[P] },
): ScrapeMemory {
  return {
    ...EMPTY_MEMORY,
    uid,
    servers: parts.servers ?? null,
    versions: new Map(
      parts.version?.servers.map(({ serverId, gitVersion, platform, gates }) => [
        serverId,
        { gitVersion, platform, gates },
      ]),
    ),
  };
}

/** What stays when a context turns out to lead to another cluster: nothing that was learnt of the one before. */
export function forgetCluster(memory: ScrapeMemory): ScrapeMemory {
  return { ...EMPTY_MEMORY, uid: memory.uid, costs: memory.costs };
}
