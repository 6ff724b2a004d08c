import type { BackOffRules } from "./back-off.ts";
import type { ClientRate } from "./client-rate-limit.ts";
import type { DaemonSetRules } from "./daemonset-rules.ts";
import type { NodeState } from "./node-states.ts";
import type { PodDurations, Spread } from "./pod-durations.ts";
import type { Tick } from "./ticks.ts";

/** How pods of the new template behave. */
export type NewPods =
  | { readonly kind: "healthy" }
  | { readonly kind: "never-ready" }
  /** The process ends after `runSeconds`, every time. It counts as available while it is Ready for long enough. */
  | { readonly kind: "crash-loop"; readonly runSeconds: number; readonly backOff: BackOffRules };

export interface DaemonSetRolloutInput {
  /** One entry per node that should run a pod. */
  readonly nodes: readonly NodeState[];
  /** Already resolved to pods; exactly one of the two is above 0. */
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  readonly minReadySeconds: number;
  readonly rules: DaemonSetRules;
  readonly durations: PodDurations;
  readonly newPods: NewPods;
  readonly client: ClientRate;
  /** How long a call to the API server takes. */
  readonly requestSeconds: number;
  /** Absent: every pod takes exactly its durations, and nodes are taken in their order. */
  readonly spread?: Spread;
  /** The simulation ends here at the latest. */
  readonly limitSeconds: number;
  /** Told of every sync before its calls go out. */
  readonly onSync?: (sync: SyncRecord) => void;
}

export interface SyncRecord {
  readonly tick: Tick;
  /** Codes of `NODE_STATES` at that moment; valid during the call only. */
  readonly states: Readonly<Uint8Array>;
  readonly step: "core-loop" | "rolling-update";
  readonly created: number;
  readonly deleted: number;
}

export interface DaemonSetRolloutOutcome {
  /** `complete`: every node has an available new pod. `stalled`: nothing moves any more. `replaced`: no old pod is left, but new ones crash on. */
  readonly kind: "complete" | "stalled" | "replaced" | "time-limit";
  /** When that was reached. */
  readonly seconds: number;
  /** When the last pod of the new template was created; `null` where old ones are left. */
  readonly replacedSeconds: number | null;
  /** New pods that were created. */
  readonly started: number;
  /** Nodes with an old pod. */
  readonly oldLeft: number;
  /** Lowest number of nodes with an available pod, from the first deletion on. */
  readonly availableMin: number;
  readonly syncs: number;
  /** Calls of the controller, status updates included. */
  readonly calls: number;
  /** Ticks at which new pods were created, ascending. */
  readonly startTicks: readonly Tick[];
}

/** State at a moment, for drawing and debugging. */
export interface DaemonSetRolloutDump {
  readonly seconds: number;
  readonly nodes: readonly NodeState[];
  readonly counts: Readonly<Record<NodeState, number>>;
  readonly controller: { readonly isSyncing: boolean; readonly isQueued: boolean; readonly tokens: number };
  readonly pending: readonly { readonly seconds: number; readonly kind: EventKind; readonly node: number }[];
}

export type EventKind = "sync-end" | "deleted" | "gone" | "created" | "process" | "ready" | "check" | "ended";

/** False where no new pod can ever be available: it is not worth a simulation of each start. */
export function isEverAvailable({ newPods, durations, minReadySeconds }: DaemonSetRolloutInput): boolean {
  switch (newPods.kind) {
    case "healthy":
      return true;
    case "never-ready":
      return false;
    case "crash-loop":
      return durations.readySeconds + minReadySeconds < newPods.runSeconds;
    default: {
      const never: never = newPods;
      throw new Error(`unknown kind ${String(never)}`);
    }
  }
}
