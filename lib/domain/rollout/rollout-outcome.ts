import type { Tick } from "./ticks.ts";

/** How a simulated rollout of a Deployment or StatefulSet ended. */
export interface ReplicaRolloutOutcome {
  /** `complete`: all that should be are new and available. `stalled`: nothing moves any more. */
  readonly kind: "complete" | "stalled" | "time-limit";
  readonly seconds: number;
  /** New pods that were created. */
  readonly started: number;
  /** Old pods that are left. */
  readonly oldLeft: number;
  readonly availableMin: number;
  /** Most pods at a time, terminating ones not counted. */
  readonly podsMax: number;
  /** Calls of the controllers to the API server, status updates included. */
  readonly calls: number;
  /** Ticks at which new pods were created, ascending. */
  readonly startTicks: readonly Tick[];
}
