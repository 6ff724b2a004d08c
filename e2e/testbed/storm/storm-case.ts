import type { StormResource } from "./run-agents.ts";

/** One storm to run: who asks for what, against which server. */
export interface StormCase {
  readonly id: string;
  /** Minor of the test bed: `1.33`, `1.37`. */
  readonly version: string;
  readonly copies: number;
  readonly startWindowSeconds: number;
  readonly resources: readonly StormResource[];
  readonly watchList: boolean;
  readonly gzip: boolean;
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight`; `null`: 400 and 200, the defaults. */
  readonly inflight: { readonly requests: number; readonly mutating: number } | null;
  readonly seed: number;
  /** The storm is cut here. */
  readonly limitSeconds: number;
}

export const PODS: StormResource = {
  group: "",
  version: "v1",
  resource: "pods",
  listKind: "PodList",
  representation: "protobuf",
};
export const PODS_JSON: StormResource = { ...PODS, representation: "json" };
export const PODS_METADATA: StormResource = { ...PODS, representation: "metadata-protobuf" };
export const NODES: StormResource = { ...PODS, resource: "nodes", listKind: "NodeList" };
export const CONFIG_MAPS: StormResource = { ...PODS, resource: "configmaps", listKind: "ConfigMapList" };

/** The cluster under every storm: the mean pod of the reference measurements, and what else agents read. */
export const STORM_FLEET = {
  nodes: 2000,
  nodeBytes: 5000,
  namespaces: 100,
  deployments: 400,
  pods: 20_000,
  podBytes: 4000,
  configMaps: 1000,
  configMapBytes: 4000,
} as const;
