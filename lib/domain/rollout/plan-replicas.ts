import type { ClientRate } from "./client-rate-limit.ts";
import { DeploymentRollout } from "./deployment-rollout.ts";
import { decideRollingDeployment, resolveDeploymentLimits } from "./deployment-step.ts";
import { formatCounted, formatNumber, type PlanFigure } from "./figure.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import { LIMIT_SECONDS } from "./plan-daemonset.ts";
import { type PodDurations, type Spread, startingSeconds, sumDurations } from "./pod-durations.ts";
import type { ReplicaRolloutOutcome } from "./rollout-outcome.ts";
import { startsInWindow } from "./starts-in-window.ts";
import { StatefulSetRollout } from "./statefulset-rollout.ts";
import {
  decideStatefulSet,
  type ReplicaState,
  resolveStatefulSetLimit,
  type StatefulSetRules,
} from "./statefulset-step.ts";
import { TICKS_PER_SECOND } from "./ticks.ts";

interface ReplicaPlanInput {
  readonly replicas: number;
  /** Old pods that are not available when the template changes; of a StatefulSet those of the highest ordinals. */
  readonly oldUnavailable: number;
  readonly minReadySeconds: number;
  readonly durations: PodDurations;
  readonly newPods: "healthy" | "never-ready";
  readonly client: ClientRate;
  readonly requestSeconds: number;
  readonly spread?: Spread;
}

export interface DeploymentPlanInput extends ReplicaPlanInput {
  readonly strategy: "RollingUpdate" | "Recreate";
  readonly maxSurge: IntOrPercent;
  readonly maxUnavailable: IntOrPercent;
}

export interface StatefulSetPlanInput extends ReplicaPlanInput {
  readonly strategy: "RollingUpdate" | "OnDelete";
  readonly isParallel: boolean;
  readonly partition: number;
  readonly maxUnavailable: IntOrPercent;
  readonly rules: StatefulSetRules;
}

export interface ReplicaPlan {
  /** Pods created and deleted by the first step. */
  readonly now: { readonly created: number; readonly deleted: number };
  /** Why, in sentences. */
  readonly reasons: readonly string[];
  /** `null` where the strategy replaces nothing. */
  readonly outcome: ReplicaRolloutOutcome | null;
  readonly figures: readonly PlanFigure[];
}

/** A Deployment's update: its first step, and the pace to the end. */
export function planDeployment(input: DeploymentPlanInput): ReplicaPlan {
  const { replicas, oldUnavailable } = input;
  const limits = resolveDeploymentLimits(replicas, input.maxSurge, input.maxUnavailable);
  const isRecreate = input.strategy === "Recreate";
  const outcome = new DeploymentRollout({
    ...input,
    strategy: isRecreate ? { kind: "recreate" } : { kind: "rolling-update", limits },
    limitSeconds: LIMIT_SECONDS,
  }).run();
  const available = replicas - oldUnavailable;
  const counts = { replicas, newSpec: 0, newAvailable: 0, oldSpec: replicas, oldAvailable: available };
  const step = decideRollingDeployment(counts, limits);
  const now = isRecreate
    ? { created: 0, deleted: replicas }
    : {
        created: step.kind === "scale-new" ? step.to : 0,
        deleted: step.kind === "scale-old" ? replicas - step.to : 0,
      };
  const reasons = isRecreate
    ? ["Recreate: all old pods are deleted, and new ones are created when the last old one is gone."]
    : [
        `maxSurge ${formatLimit(input.maxSurge)} of ${formatCounted(replicas, "replica")}, rounded up: ${formatNumber(limits.maxSurge)}. maxUnavailable ${formatLimit(input.maxUnavailable)}, rounded down: ${formatNumber(limits.maxUnavailable)}.`,
        "Each step scales the new ReplicaSet up as far as the surge lets it, else old ones down as far as availability lets them. Pods that terminate are not waited for.",
      ];
  const way = startingSeconds(input.durations) + readyWait(input.minReadySeconds);
  const perWave = isRecreate ? replicas : Math.max(1, limits.maxSurge + limits.maxUnavailable);
  const figures: PlanFigure[] = [
    {
      name: "one pod",
      value: way,
      unit: "s",
      kind: "assumed",
      reason: "from its creation until it counts as available; the old one ends beside it",
    },
    {
      name: "at a time",
      value: Math.min(perWave, replicas),
      unit: "pods",
      kind: "rule",
      reason: isRecreate ? "all of them" : "new pods on their way: maxSurge + maxUnavailable",
    },
    ...outcomeFigures(outcome, replicas),
  ];
  return { now, reasons, outcome, figures };
}

/** A StatefulSet's update: its first step, and the pace to the end. */
export function planStatefulSet(input: StatefulSetPlanInput): ReplicaPlan {
  const { replicas, oldUnavailable, rules, partition } = input;
  if (input.strategy === "OnDelete") {
    const reasons = [
      "OnDelete: a new template replaces nothing; a pod that somebody deletes comes back with it.",
    ];
    return { now: { created: 0, deleted: 0 }, reasons, outcome: null, figures: [] };
  }
  const states = Array.from(
    { length: replicas },
    (_, ordinal): ReplicaState => (ordinal >= replicas - oldUnavailable ? "old-not-ready" : "old-available"),
  );
  const maxUnavailable = resolveStatefulSetLimit(input.maxUnavailable, replicas);
  const limits = { isParallel: input.isParallel, partition, maxUnavailable, rules };
  const step = decideStatefulSet(states, limits);
  const outcome = new StatefulSetRollout({
    ...input,
    replicas: states,
    limits,
    limitSeconds: LIMIT_SECONDS,
  }).run();
  const atATime = rules.hasMaxUnavailable ? maxUnavailable : 1;
  const figures: PlanFigure[] = [
    {
      name: "one pod",
      value: sumDurations(input.durations) + readyWait(input.minReadySeconds),
      unit: "s",
      kind: "assumed",
      reason: "from the deletion until it counts as available: the old pod must be gone first",
    },
    {
      name: "at a time",
      value: Math.min(atATime, replicas),
      unit: "pods",
      kind: "rule",
      reason: rules.hasMaxUnavailable
        ? `maxUnavailable ${formatLimit(input.maxUnavailable)} of ${formatCounted(replicas, "replica")}, rounded down, 1 at least`
        : "one after the other: MaxUnavailableStatefulSet is off in this version",
    },
    ...outcomeFigures(outcome, replicas),
  ];
  return {
    now: { created: step.created.length, deleted: step.deleted.length },
    reasons: statefulSetReasons(input),
    outcome,
    figures,
  };
}

function statefulSetReasons({
  rules,
  partition,
  isParallel,
  oldUnavailable,
}: StatefulSetPlanInput): readonly string[] {
  const reasons = [...rules.notes, "The highest ordinal goes first."];
  if (partition > 0) reasons.push(`Ordinals below ${formatNumber(partition)} keep the old template.`);
  if (isParallel) {
    reasons.push(
      rules.replacesUnavailableFirst
        ? "Parallel: old pods that are not available go first, all at once."
        : "Parallel concerns creation and scaling; the update goes on from ordinal to ordinal.",
    );
  } else if (oldUnavailable > 0) {
    reasons.push(
      "OrderedReady: a replica that is not available stops the update, also one whose new template would repair it. Delete such a pod by hand.",
    );
  }
  return reasons;
}

function outcomeFigures(outcome: ReplicaRolloutOutcome, replicas: number): readonly PlanFigure[] {
  const { kind, started, seconds, startTicks } = outcome;
  const names = {
    complete: "complete after",
    stalled: "stands still after",
    "time-limit": "not complete after",
  };
  const figures: PlanFigure[] = [
    {
      name: names[kind],
      value: seconds,
      unit: "s",
      kind: "simulated",
      reason:
        kind === "complete"
          ? "all that should be are new and available"
          : `${formatCounted(outcome.oldLeft, "old pod is", "old pods are")} left, and ${kind === "stalled" ? "the limits let no more go" : "longer is not simulated"}`,
    },
    {
      name: "new pods",
      value: started,
      unit: "pods",
      kind: "simulated",
      reason:
        outcome.oldLeft === 0
          ? "all are replaced"
          : `${formatCounted(outcome.oldLeft, "old pod stays", "old pods stay")}`,
    },
    {
      name: "replicas not available, at most",
      value: replicas - Math.min(replicas, outcome.availableMin),
      unit: "pods",
      kind: "simulated",
      reason: "the lowest point of the whole rollout",
    },
    {
      name: "pods, at most",
      value: outcome.podsMax,
      unit: "pods",
      kind: "simulated",
      reason: "terminating ones are not counted",
    },
    {
      name: "most starts in any minute",
      value: startsInWindow(startTicks, 60 * TICKS_PER_SECOND),
      unit: "pods",
      kind: "simulated",
      reason: "what starts together lists together",
    },
    {
      name: "calls of the controllers",
      value: outcome.calls,
      unit: "calls",
      kind: "simulated",
      reason: "each controller's client lets 20 a second out by default, after a burst of 30",
    },
  ];
  if (started > 0 && seconds > 0) {
    figures.splice(1, 0, {
      name: "mean pace",
      value: (started / seconds) * 60,
      unit: "pods/min",
      kind: "simulated",
      reason: `${formatCounted(started, "pod")} within ${formatNumber(seconds)} s`,
    });
  }
  return figures;
}

/** minReadySeconds, and the second after which the controller looks again. */
const readyWait = (minReadySeconds: number): number => (minReadySeconds > 0 ? minReadySeconds + 1 : 0);

const formatLimit = (value: IntOrPercent): string =>
  typeof value === "number" ? formatNumber(value) : value;
