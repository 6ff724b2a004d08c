/** A release as the API server prints it. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `v1.34.2`. */
  readonly gitVersion: string;
}

/** @throws RangeError for anything but `1.NN.P`, with or without `v`; only 1.26 and later are modelled. */
export function parseKubernetesVersion(text: string): KubernetesVersion {
  const match = /^v?1\.(\d+)\.(\d+)$/.exec(text);
  const minor = Number(match?.[1] ?? Number.NaN);
  if (!match || minor < 26) {
    throw new RangeError(`Not a Kubernetes version this server can play: ${text}. Expected 1.26.0 or later.`);
  }
  return { major: 1, minor, patch: Number(match[2]), gitVersion: `v1.${minor}.${match[2]}` };
}

/** Go releases the minors were built with, roughly; shown by /version only. */
const GO_VERSIONS: Readonly<Record<number, string>> = {
  26: "go1.19.6",
  27: "go1.20.3",
  28: "go1.20.8",
  29: "go1.21.5",
  30: "go1.22.5",
  31: "go1.22.8",
  32: "go1.23.6",
  33: "go1.24.2",
  34: "go1.24.6",
  35: "go1.25.5",
};

/** The facts of `/version` and `kubernetes_build_info`. */
export function buildInfo(version: KubernetesVersion) {
  return {
    major: String(version.major),
    minor: String(version.minor),
    gitVersion: version.gitVersion,
    gitCommit: "8cc511e399b929453cd98ae65b419c3cc227ec79",
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
    goVersion: GO_VERSIONS[version.minor] ?? "go1.26.1",
    compiler: "gc",
    platform: "linux/amd64",
  };
}

type Stage = "ALPHA" | "BETA" | "";
/** [first minor, stage, on], in order; a last row with stage `null` ends the gate. */
type GateHistory = readonly (readonly [number, Stage | null, boolean])[];

/**
 * Gates that switch how a LIST is priced and served, with their history. Source: apiserver pkg/features at each
 * release, v1.26 to v1.37.
 */
const GATES: Readonly<Record<string, GateHistory>> = {
  APIPriorityAndFairness: [
    [26, "BETA", true],
    [29, "", true],
    [31, null, false],
  ],
  APIListChunking: [
    [26, "BETA", true],
    [29, "", true],
    [33, null, false],
  ],
  APIResponseCompression: [[26, "BETA", true]],
  BtreeWatchCache: [
    [32, "BETA", true],
    [33, "", true],
    [37, null, false],
  ],
  ConsistentListFromCache: [
    [28, "ALPHA", false],
    [31, "BETA", true],
    [34, "", true],
    [37, null, false],
  ],
  DetectCacheInconsistency: [[34, "BETA", true]],
  EtcdRangeStream: [[37, "BETA", true]],
  ListFromCacheSnapshot: [
    [33, "ALPHA", false],
    [34, "BETA", true],
  ],
  ResilientWatchCacheInitialization: [
    [31, "BETA", true],
    [34, "", true],
    [37, null, false],
  ],
  ShardedListAndWatch: [[36, "ALPHA", false]],
  SizeBasedListCostEstimate: [[34, "BETA", true]],
  StreamingCollectionEncodingToJSON: [
    [33, "BETA", true],
    [34, "", true],
    [37, null, false],
  ],
  StreamingCollectionEncodingToProtobuf: [
    [33, "BETA", true],
    [34, "", true],
    [37, null, false],
  ],
  WatchList: [
    [27, "ALPHA", false],
    [32, "BETA", true],
    [33, "BETA", false],
    [34, "BETA", true],
  ],
  WatchListClient: [
    [30, "BETA", false],
    [35, "BETA", true],
  ],
  WatchListCompression: [[37, "BETA", true]],
};

export interface Gate {
  readonly name: string;
  readonly stage: Stage;
  readonly enabled: boolean;
}

/** Gates of this minor, sorted by name; `overrides` are `--feature-gates` and win over the defaults. */
export function gatesOf(minor: number, overrides: Readonly<Record<string, boolean>> = {}): Gate[] {
  const gates: Gate[] = [];
  for (const [name, history] of Object.entries(GATES)) {
    const row = history.findLast(([since]) => since <= minor);
    if (!row || row[1] === null) continue;
    gates.push({ name, stage: row[1], enabled: overrides[name] ?? row[2] });
  }
  return gates;
}

/** Whether this gate is on; a gate that is gone counts as on when its last default was on. */
export function isGateOn(
  minor: number,
  name: string,
  overrides: Readonly<Record<string, boolean>> = {},
): boolean {
  const history = GATES[name]?.filter(([since]) => since <= minor) ?? [];
  const last = history.findLast(([, stage]) => stage !== null);
  return last !== undefined && (overrides[name] ?? last[2]);
}
