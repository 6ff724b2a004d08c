import type { RuleVersion } from "./version.ts";

/** The gates of the API server that change what a request costs or where it is served. */
export const SERVER_GATES = [
  "APIListChunking",
  "BtreeWatchCache",
  "ConsistentListFromCache",
  "ConsistentListFromCacheSkipTimeoutFallback",
  "EtcdRangeStream",
  "ListFromCacheSnapshot",
  "ResilientWatchCacheInitialization",
  "SizeBasedListCostEstimate",
  "StreamingCollectionEncodingToJSON",
  "StreamingCollectionEncodingToProtobuf",
  "WatchList",
] as const;

export type ServerGate = (typeof SERVER_GATES)[number];

/** Gates as set on a server or client, by name; an absent one has the default of the version. */
export type GateSettings = Readonly<Record<string, boolean>>;

export type GateStage = "ALPHA" | "BETA" | "GA";

/** What one version knows of one gate. `null` where the version has no such gate: `enabled` then tells its code. */
export interface GateState {
  readonly stage: GateStage | null;
  readonly enabled: boolean;
  /** True where no setting changes it: locked to its default, not yet there, or removed. */
  readonly isLocked: boolean;
}

/** From `minor` on. `stage` `null` and `enabled` true: removed, always on. */
type Since = readonly [minor: number, stage: GateStage | null, enabled: boolean, isLocked?: boolean];

/**
 * Ascending by minor; before the first entry the gate does not exist and its feature is off.
 * Source: apiserver pkg/features/kube_features.go, v1.26 to v1.37.
 */
const HISTORY: Readonly<Record<ServerGate, readonly Since[]>> = {
  APIListChunking: [
    [26, "BETA", true],
    [29, "GA", true, true],
    [33, null, true],
  ],
  BtreeWatchCache: [
    [32, "BETA", true],
    [33, "GA", true, true],
    [37, null, true],
  ],
  ConsistentListFromCache: [
    [28, "ALPHA", false],
    [31, "BETA", true],
    [34, "GA", true, true],
    [37, null, true],
  ],
  ConsistentListFromCacheSkipTimeoutFallback: [[37, "ALPHA", false]],
  EtcdRangeStream: [[37, "BETA", true]],
  ListFromCacheSnapshot: [
    [33, "ALPHA", false],
    [34, "BETA", true],
  ],
  ResilientWatchCacheInitialization: [
    [31, "BETA", true],
    [34, "GA", true, true],
    [37, null, true],
  ],
  SizeBasedListCostEstimate: [[34, "BETA", true]],
  StreamingCollectionEncodingToJSON: [
    [33, "BETA", true],
    [34, "GA", true, true],
    [37, null, true],
  ],
  StreamingCollectionEncodingToProtobuf: [
    [33, "BETA", true],
    [34, "GA", true, true],
    [37, null, true],
  ],
  WatchList: [
    [27, "ALPHA", false],
    [32, "BETA", true],
    [33, "BETA", false],
    [34, "BETA", true],
  ],
};

/** What `minor` knows of `gate`, without any setting. */
export function gateState(gate: ServerGate, minor: number): GateState {
  const since = HISTORY[gate].findLast(([from]) => from <= minor);
  if (since === undefined) return { stage: null, enabled: false, isLocked: true };
  const [, stage, enabled, isLocked = false] = since;
  return { stage, enabled, isLocked: isLocked || stage === null };
}

/** Whether `gate` is on in a version with these settings. A setting of a locked, removed or unknown gate is ignored. */
export function isGateEnabled(
  gate: ServerGate,
  version: Pick<RuleVersion, "minor">,
  settings: GateSettings = {},
): boolean {
  const { enabled, isLocked } = gateState(gate, version.minor);
  return isLocked ? enabled : (settings[gate] ?? enabled);
}
