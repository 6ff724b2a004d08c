import { type ClientRate, CONTROLLER_RATE, callsSeconds } from "./client-rate-limit.ts";
import { findCoreLoopChanges, type StepChanges } from "./core-loop.ts";
import { type AvailabilityRules, type DaemonNode, isGone, isPodAvailable } from "./daemonset-node.ts";
import { DaemonSetRollout } from "./daemonset-rollout.ts";
import type { DaemonSetRolloutOutcome, NewPods } from "./daemonset-rollout-types.ts";
import { BURST_REPLICAS, type DaemonSetRules } from "./daemonset-rules.ts";
import { explainStep } from "./explain-daemonset.ts";
import { formatCounted, formatNumber, type PlanFigure } from "./figure.ts";
import { type IntOrPercent, isZero } from "./int-or-percent.ts";
import type { NodeState } from "./node-states.ts";
import {
  type PodDurations,
  type Spread,
  startingSeconds,
  stoppingSeconds,
  sumDurations,
} from "./pod-durations.ts";
import { findRollingUpdateChanges, type RollingUpdateTally } from "./rolling-update.ts";
import { startsInWindow } from "./starts-in-window.ts";
import { TICKS_PER_SECOND, toSeconds } from "./ticks.ts";

/** Calls to the API server per replaced pod, agents' own apart: kubelet, scheduler, events, tokens. Derived: 20 ± 5. */
const CALLS_PER_POD = 20;
/** A replaced pod is deleted and created. */
const CALLS_PER_REPLACEMENT = 2;
/** A longer rollout is not simulated to its end. */
export const LIMIT_SECONDS = 30 * 86_400;

export interface DaemonSetState {
  readonly nodes: readonly DaemonNode[];
  readonly strategy: "RollingUpdate" | "OnDelete";
  readonly maxUnavailable: IntOrPercent;
  /** Exactly one of `maxUnavailable` and `maxSurge` is above 0. */
  readonly maxSurge: IntOrPercent;
  readonly minReadySeconds: number;
  readonly rules: DaemonSetRules;
}

/** What the controller does on a state, now. */
export interface DaemonSetNow {
  readonly coreLoop: StepChanges;
  /** What the rolling update step does on this state; nothing with OnDelete. */
  readonly rollingUpdate: StepChanges;
  /** The core loop creates or deletes something: the next sync that has seen it goes on with the rolling update. */
  readonly isRollingUpdateLater: boolean;
  readonly tally: RollingUpdateTally;
  /** Why, in sentences. */
  readonly reasons: readonly string[];
}

/** Which pods are created and deleted now, and why. */
export function decideDaemonSet(state: DaemonSetState): DaemonSetNow {
  const availability = availabilityOf(state);
  const coreLoop = findCoreLoopChanges({
    nodes: state.nodes,
    isSurging: !isZero(state.maxSurge),
    availability,
  });
  const step = findRollingUpdateChanges(state);
  const rollingUpdate = state.strategy === "OnDelete" ? NO_CHANGES : step.changes;
  const isRollingUpdateLater =
    coreLoop.created.count + coreLoop.deleted.count > 0 &&
    rollingUpdate.created.count + rollingUpdate.deleted.count > 0;
  const now = { coreLoop, rollingUpdate, isRollingUpdateLater, tally: step.tally };
  return { ...now, reasons: explainStep(state, now) };
}

export interface DaemonSetPaceInput {
  readonly durations: PodDurations;
  readonly newPods: NewPods;
  /** Absent: what kube-controller-manager has by default. */
  readonly client?: ClientRate;
  readonly requestSeconds: number;
  readonly spread?: Spread;
}

export interface DaemonSetPace {
  readonly outcome: DaemonSetRolloutOutcome;
  readonly figures: readonly PlanFigure[];
}

/** The pace from the state to the end, simulated, with the figures that bound it. */
export function paceDaemonSet(state: DaemonSetState, input: DaemonSetPaceInput): DaemonSetPace {
  const client = input.client ?? CONTROLLER_RATE;
  const bounds = boundDaemonSet(state, input.durations, client);
  const availability = availabilityOf(state);
  const nodes = state.nodes.filter((node) => node.shouldRun);
  const isSurging = bounds.tally.maxSurge > 0;
  const outcome = new DaemonSetRollout({
    nodes: nodes.map((node) => nodeState(node, availability, isSurging)),
    maxUnavailable: bounds.tally.maxUnavailable,
    maxSurge: bounds.tally.maxSurge,
    minReadySeconds: state.minReadySeconds,
    rules: state.rules,
    durations: input.durations,
    newPods: input.newPods,
    client,
    requestSeconds: input.requestSeconds,
    ...(input.spread === undefined ? {} : { spread: input.spread }),
    limitSeconds: LIMIT_SECONDS,
  }).run();
  return {
    outcome,
    figures: [
      ...boundFigures(state, bounds, { durations: input.durations, client }),
      ...outcomeFigures(outcome, nodes.length, input.newPods),
    ],
  };
}

export interface DaemonSetBounds {
  readonly tally: RollingUpdateTally;
  /** Seconds for one pod from the deletion (with surge, the creation) until it counts as available. */
  readonly perPodSeconds: number;
  /** Pods replaced at a time, where all old ones are available. */
  readonly inFlight: number;
  /** Groups of `inFlight`, one after the other. */
  readonly waves: number;
  readonly wavesSeconds: number;
  /** Seconds that the calls take in the controller's client. */
  readonly clientSeconds: number;
}

/**
 * What bounds the pace, without a simulation: `n/m` waves of one pod's way, and the controller's client. `tally` saves the
 * counting where `decideDaemonSet` has done it.
 */
export function boundDaemonSet(
  state: DaemonSetState,
  durations: PodDurations,
  client: ClientRate = CONTROLLER_RATE,
  tally: RollingUpdateTally = findRollingUpdateChanges(state).tally,
): DaemonSetBounds {
  const { oldAvailable, oldUnavailable, maxUnavailable, maxSurge } = tally;
  const slack = state.minReadySeconds > 0 ? 1 : 0;
  const way = maxSurge > 0 ? startingSeconds(durations) : sumDurations(durations);
  const perPodSeconds = way + state.minReadySeconds + slack;
  const inFlight = Math.min(Math.max(maxUnavailable, maxSurge), Math.max(1, oldAvailable));
  // A percentage of no node is none: then nothing goes by the budget.
  const waves =
    (inFlight === 0 ? 0 : Math.ceil(oldAvailable / inFlight)) +
    (oldUnavailable > 0 && oldAvailable === 0 ? 1 : 0);
  return {
    tally,
    perPodSeconds,
    inFlight,
    waves,
    wavesSeconds: waves * perPodSeconds,
    clientSeconds: callsSeconds(CALLS_PER_REPLACEMENT * (oldAvailable + oldUnavailable), client),
  };
}

function boundFigures(
  state: DaemonSetState,
  { tally, perPodSeconds, inFlight, waves, wavesSeconds, clientSeconds }: DaemonSetBounds,
  { durations, client }: { readonly durations: PodDurations; readonly client: ClientRate },
): readonly PlanFigure[] {
  const isSurging = tally.maxSurge > 0;
  const calls = CALLS_PER_REPLACEMENT * (tally.oldAvailable + tally.oldUnavailable);
  const limit = isSurging ? state.maxSurge : state.maxUnavailable;
  const base = typeof limit === "number" ? "" : ` of ${formatCounted(tally.desired, "node")}`;
  return [
    {
      name: "one pod",
      value: perPodSeconds,
      unit: "s",
      kind: "assumed",
      reason: explainWay(durations, isSurging, state.minReadySeconds),
    },
    {
      name: "at a time",
      value: inFlight,
      unit: "pods",
      kind: "rule",
      reason: `${isSurging ? "maxSurge" : "maxUnavailable"} ${formatLimit(limit)}${base}; old pods that are not available come on top, all at once`,
    },
    {
      name: "waves",
      value: waves,
      unit: "waves",
      kind: "rule",
      reason: `${formatCounted(tally.oldAvailable, "available old pod")} in groups of ${formatNumber(inFlight)}`,
    },
    {
      name: "waves take",
      value: wavesSeconds,
      unit: "s",
      kind: "assumed",
      reason: `${formatCounted(waves, "wave")} × ${formatNumber(perPodSeconds)} s`,
    },
    {
      name: "the controller's client takes",
      value: clientSeconds,
      unit: "s",
      kind: "rule",
      reason: `2 calls per pod (delete, create) = ${formatNumber(calls)} at ${client.qps} a second after a burst of ${client.burst}, which all DaemonSets of the cluster share; at most ${BURST_REPLICAS} pods a sync`,
    },
  ];
}

function outcomeFigures(
  outcome: DaemonSetRolloutOutcome,
  nodes: number,
  newPods: NewPods,
): readonly PlanFigure[] {
  const { started, startTicks } = outcome;
  const seconds = toSeconds(startTicks.at(-1) ?? 0);
  const figures: PlanFigure[] = [
    {
      name: END_NAMES[outcome.kind],
      value: outcome.seconds,
      unit: "s",
      kind: "simulated",
      reason: endReason(outcome, newPods),
    },
    {
      name: "new pods",
      value: started,
      unit: "pods",
      kind: "simulated",
      reason:
        outcome.oldLeft === 0
          ? "every node has its new pod"
          : `${formatNumber(outcome.oldLeft)} of ${formatCounted(nodes, "node")} keep an old one`,
    },
    {
      name: "nodes without an available pod, at most",
      value: nodes - outcome.availableMin,
      unit: "nodes",
      kind: "simulated",
      reason: "the lowest point of the whole rollout, what was missing at the start included",
    },
    {
      name: "most starts in any minute",
      value: startsInWindow(startTicks, 60 * TICKS_PER_SECOND),
      unit: "pods",
      kind: "simulated",
      reason: "what starts together lists together",
    },
    {
      name: "most starts in any second",
      value: startsInWindow(startTicks, TICKS_PER_SECOND),
      unit: "pods",
      kind: "simulated",
      reason: "the burst of the client is the most that one instant can see",
    },
    {
      name: "calls of the controller",
      value: outcome.calls,
      unit: "calls",
      kind: "simulated",
      reason: `${formatCounted(outcome.syncs, "sync")}, each with its status`,
    },
    {
      name: "calls of everybody",
      value: started * CALLS_PER_POD,
      unit: "calls",
      kind: "estimate",
      reason: `about ${CALLS_PER_POD} per replaced pod (kubelet, scheduler, events, tokens), give or take 5; what the agents themselves ask is not in it`,
    },
  ];
  if (started > 0 && seconds > 0) {
    figures.splice(1, 0, {
      name: "mean pace",
      value: (started / seconds) * 60,
      unit: "pods/min",
      kind: "simulated",
      reason: `${formatCounted(started, "pod")} started within ${formatNumber(seconds)} s`,
    });
  }
  return figures;
}

const END_NAMES: Readonly<Record<DaemonSetRolloutOutcome["kind"], string>> = {
  complete: "complete after",
  stalled: "stands still after",
  replaced: "all replaced, and not available, after",
  "time-limit": "not complete after",
};

function endReason({ kind, oldLeft }: DaemonSetRolloutOutcome, newPods: NewPods): string {
  switch (kind) {
    case "complete":
      return "every node has an available new pod";
    case "stalled":
      return `new pods that are not available use the whole budget; ${formatCounted(oldLeft, "old pod is", "old pods are")} left`;
    case "replaced":
      return "no old pod is left to fall back on, and new ones are not available for good";
    case "time-limit":
      return `${formatCounted(oldLeft, "old pod is", "old pods are")} left, and longer is not simulated${newPods.kind === "crash-loop" ? ": new pods crash, and one more is replaced only while enough of them happen to run at once" : ""}`;
    default: {
      const never: never = kind;
      throw new Error(`unknown end ${String(never)}`);
    }
  }
}

function explainWay(durations: PodDurations, isSurging: boolean, minReadySeconds: number): string {
  const parts = [
    ...(isSurging ? [] : [`ending ${formatNumber(stoppingSeconds(durations))} s`]),
    `scheduling ${formatNumber(durations.scheduleSeconds)} s`,
    `image pull ${formatNumber(durations.pullSeconds)} s`,
    `start ${formatNumber(durations.startSeconds)} s`,
    `Ready after ${formatNumber(durations.readySeconds)} s`,
    ...(minReadySeconds > 0
      ? [`minReadySeconds ${formatNumber(minReadySeconds)} s`, "the controller looks 1 s later"]
      : []),
  ];
  return parts.join(" + ");
}

/**
 * What a simulation starts from. Pods that the core loop is about to delete are taken to be ending already: failed,
 * succeeded, in excess.
 */
function nodeState(node: DaemonNode, availability: AvailabilityRules, isSurging: boolean): NodeState {
  const pods = node.pods.filter((pod) => !isGone(pod));
  if (pods.length === 0) return "empty";
  const running = pods.filter(
    (pod) => !pod.isTerminating && pod.phase !== "Failed" && pod.phase !== "Succeeded",
  );
  const [first] = running;
  if (first === undefined)
    return isSurging && pods.every((pod) => pod.isTerminating) ? "empty" : "terminating";
  const oldPod = running.find((pod) => !pod.isUpdated);
  const newPod = running.find((pod) => pod.isUpdated);
  if (isSurging && oldPod !== undefined && newPod !== undefined) {
    if (isPodAvailable(newPod, availability)) return "both-new-available";
    return oldPod.readySeconds === null ? "new-unavailable" : "both-new-unavailable";
  }
  return `${first.isUpdated ? "new" : "old"}-${isPodAvailable(first, availability) ? "available" : "unavailable"}`;
}

const availabilityOf = ({ minReadySeconds, rules }: DaemonSetState): AvailabilityRules => ({
  minReadySeconds,
  isAvailableAtMinReadySeconds: rules.isAvailableAtMinReadySeconds,
});

const formatLimit = (value: IntOrPercent): string =>
  typeof value === "number" ? formatNumber(value) : value;

const NOTHING_CHOSEN = { count: 0, always: [], someOf: [] };
const NO_CHANGES: StepChanges = { created: NOTHING_CHOSEN, deleted: NOTHING_CHOSEN };
