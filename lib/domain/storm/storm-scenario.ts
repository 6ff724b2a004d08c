import type { ClientRate } from "../rollout/client-rate-limit.ts";
import type { PodDurations } from "../rollout/pod-durations.ts";

/** What makes the copies of the agents start or ask again. Times count from the scenario's begin. */
export type StormScenario =
  | StartAllScenario
  | FirstRolloutScenario
  | RollingUpdateScenario
  | BatchesScenario
  | CrashRecoveryScenario
  | NodeScaleOutScenario
  | ServerRestartScenario
  | ServerLossScenario;

export const STORM_SCENARIO_KINDS = [
  "start-all",
  "first-rollout",
  "rolling-update",
  "batches",
  "crash-recovery",
  "node-scale-out",
  "api-server-restart",
  "api-server-loss",
] as const satisfies readonly StormScenario["kind"][];

/** Every copy starts within a window, evenly spread: a power event, a configuration that all reload. */
export interface StartAllScenario {
  readonly kind: "start-all";
  readonly windowSeconds: number;
}

/** Pods that a controller makes, at the pace of its client and of the nodes. */
export interface PodPace {
  /** The controller's client: 20 requests a second and a burst of 30 by default. */
  readonly controller: ClientRate;
  readonly durations: PodDurations;
  /** Each duration is multiplied by 1 to 1 + this, evenly. */
  readonly jitterRatio: number;
}

/** The agent is installed: pods are created on all nodes. */
export interface FirstRolloutScenario extends PodPace {
  readonly kind: "first-rollout";
}

/** A change of the template. Pods of old ones that are not Available are replaced outside the budget. */
export interface RollingUpdateScenario extends PodPace {
  readonly kind: "rolling-update";
  /** Pods, or a percentage such as `10%`; 0 where `maxSurge` is not. */
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly minReadySeconds: number;
  /** Copies that are not Available before it, per agent: 0 for a healthy one. More than there are: all. */
  readonly unavailable: number;
}

/** Somebody deletes the pods of an OnDelete workload batch by batch; each batch starts at once. */
export interface BatchesScenario {
  readonly kind: "batches";
  readonly batchSize: number;
  readonly intervalSeconds: number;
}

/** All copies crash-loop, and the cause goes away: each comes back at its next restart. */
export interface CrashRecoveryScenario {
  readonly kind: "crash-recovery";
  /** Back-off of the containers: 10 and 300 s by default. */
  readonly initialSeconds: number;
  readonly capSeconds: number;
  /** How long a container ran before it ended. */
  readonly runSeconds: number;
  /** How long the copies have been crash-looping when the cause goes away. */
  readonly crashedSeconds: number;
  /** Their first crashes lie within so long. */
  readonly spreadSeconds: number;
}

/** Nodes are added, each with its copy; the copies that run already stay quiet. */
export interface NodeScaleOutScenario {
  readonly kind: "node-scale-out";
  readonly addedNodes: number;
  readonly nodesPerMinute: number;
}

/**
 * API servers restart. Their clients connect again, each to any that is up; watches that cannot be resumed relist. Until
 * the object counts are polled again, after 60 to 132 s, every LIST costs one seat there.
 */
export interface ServerRestartScenario {
  readonly kind: "api-server-restart";
  /** Indexes of `cluster.servers`; empty: all of them. */
  readonly servers: readonly number[];
  readonly downSeconds: number;
  /** Share of the watches that the new connection resumes without a LIST, 0 to 1. */
  readonly resumedRatio: number;
}

/** One API server is gone for good; its clients and its steady load move to the others. */
export interface ServerLossScenario {
  readonly kind: "api-server-loss";
  /** Index of `cluster.servers`. */
  readonly server: number;
  /** Clients notice within so long, evenly spread: at once where connections are reset, else by HTTP/2 pings. */
  readonly noticedWithinSeconds: number;
  readonly resumedRatio: number;
}
