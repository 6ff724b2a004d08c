import type { AgentKind, InformerScope, ReadMode, Representation } from "../agents/agent.ts";
import type { BackgroundFlow } from "../clusters/cluster-facts.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../fairness/fairness-part.ts";
import type { GateSettings } from "../kubernetes/feature-gates.ts";
import type { StormModel } from "./storm-model.ts";
import type { StormScenario } from "./storm-scenario.ts";

/** All that a simulation is made from: plain data, so that a remedy is a change of it and a worker can be sent it. */
export interface StormInput {
  readonly cluster: StormCluster;
  /** Those that take part in the scenario, at least one. */
  readonly agents: readonly StormAgent[];
  readonly scenario: StormScenario;
  /** An integer. Equal inputs with equal seeds give equal results, byte for byte. */
  readonly seed: number;
  readonly model: StormModel;
  /**
   * The simulation gives up when no copy was done for so many seconds, counted from the last start on, and after four times
   * as many at the latest: what has not drained by then never does. `null`: `DEFAULT_PATIENCE_SECONDS`.
   */
  readonly patienceSeconds: number | null;
  /** Step of the time series; `null`: the finest that keeps them within `SERIES_STEPS_MAX` steps. */
  readonly stepSeconds: number | null;
  /**
   * Adds five small requests a second per API server to the exempt level and to every level that the agents use and that no
   * measured flow of others uses: they stand for neighbours where none were measured.
   */
  readonly hasProbes: boolean;
  /** Levels that probes come to in place of those that the agents use; absent: the agents'. */
  readonly probedLevels?: readonly string[] | undefined;
  /** Why the evidence is too weak for a verdict, one sentence each; empty where it is not. */
  readonly doubts: readonly string[];
}

/** Cluster facts with nothing left open: what was not known is assumed, and said. */
export interface StormCluster {
  readonly name: string | null;
  /** `1.34.2`. */
  readonly kubernetesVersion: string;
  readonly featureGates: GateSettings;
  /** Whether etcd can be asked for progress notifications (3.4.31, 3.5.13 and later). */
  readonly etcdProgress: boolean;
  readonly nodes: number;
  /** At least one. */
  readonly servers: readonly StormServer[];
  /** Sorted by group and resource; no two of one. */
  readonly collections: readonly StormCollection[];
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevels: readonly PriorityLevelObject[];
  /** `--request-timeout`: 60 by default. A quarter of it is how long a request may wait in its queue. */
  readonly requestTimeoutSeconds: number;
  /** Steady load of others on each API server. */
  readonly background: readonly StormBackground[];
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[];
}

export interface StormServer {
  readonly name: string;
  /** Cores that this API server may use; fractions are allowed. */
  readonly cores: number;
  /** `null`: not known, then memory is estimated and held against nothing. */
  readonly memoryBytes: number | null;
  /** Usable for responses; `null`: not known, then the link is no bottleneck. */
  readonly linkBytesPerSecond: number | null;
  /** `--max-requests-inflight` + `--max-mutating-requests-inflight`. */
  readonly totalConcurrencySeats: number;
  /** Share of the clients that connect here, relative to those of the other servers; 0: none. */
  readonly clientWeight: number;
  /** Seat demand of levels as the server has it at the start; those not named are derived from the background. */
  readonly demand: readonly StormLevelDemand[];
}

/** `apiserver_flowcontrol_demand_seats_high_watermark` and `…_demand_seats_smoothed` of one level. */
export interface StormLevelDemand {
  readonly priorityLevelName: string;
  readonly highWatermark: number;
  readonly smoothed: number;
}

export interface StormCollection {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly objects: number;
  /** Bytes as stored in etcd, all objects together. */
  readonly storedBytes: number;
  /** Mean bytes of one object in each form. */
  readonly jsonObjectBytes: number;
  readonly protobufObjectBytes: number;
  readonly metadataJsonObjectBytes: number;
  readonly metadataProtobufObjectBytes: number;
  /** What `spec.nodeName` of one node selects. */
  readonly objectsPerNode: number;
  /** What the API servers know of it: all; the count but no sizes (1.5 MB an object are taken); nothing (1 seat). */
  readonly statistics: "known" | "size-unknown" | "not-tracked";
  /** Whether its sizes are known again after a restart of the API server: from 1.36 only for what changes. */
  readonly isSizeKnownAfterRestart: boolean;
}

/** Requests of one flow that come whatever the storm does. */
export interface StormBackground extends BackgroundFlow {
  /**
   * How much of `serviceSeconds` is work of the API server's cores, the rest is waiting for others; `null`: all of it for
   * requests of several seats, and that of a small request for those of one.
   */
  readonly cpuSeconds: number | null;
}

export interface StormAgent {
  readonly id: string;
  readonly name: string;
  readonly kind: AgentKind;
  readonly replicas: number;
  /** As APF sees it; `*` stands for the copy's node: `system:node:*` makes a flow of each copy. */
  readonly userName: string;
  readonly userGroups: readonly string[];
  /** The copies' own; empty for what lives in none. */
  readonly namespace: string;
  readonly client: StormClient;
  readonly informers: readonly StormInformer[];
  /** Each copy waits a random part of this before its first request. */
  readonly startJitterSeconds: number;
  readonly assumptions: readonly string[];
}

/** How one copy talks to the API server. All its informers share one connection and one bucket. */
export interface StormClient {
  /** Of client-go: decides back-off and what is retried, see `clientGoRules`. */
  readonly clientGoVersion: string;
  /** Requests per second and burst of one copy; `qps` `null`: unlimited. */
  readonly qps: number | null;
  readonly burst: number;
  readonly acceptsGzip: boolean;
  /** Retries of one call that was told to retry: 10 in client-go; 0: it passes Retry-After over. */
  readonly maxRetries: number;
  readonly backOff: StormBackOff;
  /** The process ends when its caches are not filled by then, and starts again as its containers' back-off says; `null`: never. */
  readonly cacheSyncTimeoutSeconds: number | null;
}

/** Waits after a failure: base × 2ⁿ up to the cap, each times a number in [1, 1 + jitterRatio). */
export interface StormBackOff {
  readonly baseSeconds: number;
  readonly capSeconds: number;
  readonly jitterRatio: number;
  /** It begins anew after so many seconds, see `ClientGoRules.backOffResetsSince`. */
  readonly resetSeconds: number;
}

/** One thing that every copy reads. */
export interface StormInformer {
  readonly apiGroup: string;
  readonly resource: string;
  readonly scope: InformerScope;
  /** Asked for; empty: all namespaces. */
  readonly namespace: string;
  /** As sent; empty: none. `$(NODE_NAME)` stands for the copy's node. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
  readonly representation: Representation;
  /** Objects that are asked for one by one are no LIST and are left out. */
  readonly mode: Exclude<ReadMode, "get">;
  /** Of a `poll`, above 0; 0 for the other modes. */
  readonly periodSeconds: number;
  /** Of the first LIST. */
  readonly resourceVersion: "0" | "";
  /** `limit` of the first LIST; 0: none. */
  readonly pageSize: number;
  /** WatchList in place of LIST, where the API server has it. */
  readonly watchList: boolean;
  /** Objects that a copy receives; `null`: all that the collection has. */
  readonly matchingObjects: number | null;
}

export const DEFAULT_PATIENCE_SECONDS = 600;
