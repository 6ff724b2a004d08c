import { isAtLeast, type KubernetesVersion, type RuleVersion, ruleVersion } from "../kubernetes/version.ts";
import { type IntOrPercent, resolveIntOrPercent } from "./int-or-percent.ts";

export interface StatefulSetRules {
  readonly version: RuleVersion;
  /** `maxUnavailable` has an effect: gate MaxUnavailableStatefulSet. */
  readonly hasMaxUnavailable: boolean;
  /** Parallel sets replace all unavailable old pods first, outside `maxUnavailable`: with the gate, from 1.37 on. */
  readonly replacesUnavailableFirst: boolean;
  /** minReadySeconds plays a role in the update of Parallel sets: from 1.34 on. */
  readonly updateWaitsForAvailable: boolean;
  readonly notes: readonly string[];
}

/**
 * The rules of a version of kube-controller-manager. The gate MaxUnavailableStatefulSet is off up to 1.34, on in 1.35.0 to
 * 1.35.3, off from 1.35.4 through 1.36, on from 1.37; `hasMaxUnavailableGate` overrides.
 *
 * Source: kubernetes pkg/controller/statefulset/stateful_set_control.go and pkg/features/kube_features.go, read at
 * v1.33.13, v1.34.4, v1.35.0 to v1.35.4, v1.36.0, v1.36.3, v1.37.2.
 *
 * @throws {RangeError} where a text is no version.
 */
export function statefulSetRules(
  version: string | KubernetesVersion,
  hasMaxUnavailableGate?: boolean,
): StatefulSetRules {
  const rule = ruleVersion(version);
  const isOn = rule.minor >= 37 || (rule.minor === 35 && !isAtLeast(rule, 35, 4));
  const hasMaxUnavailable = hasMaxUnavailableGate ?? isOn;
  return {
    version: rule,
    hasMaxUnavailable,
    replacesUnavailableFirst: hasMaxUnavailable && rule.minor >= 37,
    updateWaitsForAvailable: rule.minor >= 34,
    notes: rule.note === null ? [] : [rule.note],
  };
}

/** A replica by ordinal. `missing`: there is no pod object. */
export type ReplicaState =
  | "old-available"
  | "old-ready"
  | "old-not-ready"
  | "new-available"
  | "new-ready"
  | "new-not-ready"
  | "terminating"
  | "missing";

export interface StatefulSetLimits {
  readonly isParallel: boolean;
  /** Ordinals below it keep the old template. */
  readonly partition: number;
  /** Already resolved, at least 1. */
  readonly maxUnavailable: number;
  readonly rules: StatefulSetRules;
}

/** A percentage of a StatefulSet's replicas is rounded down, and 0 means 1. */
export const resolveStatefulSetLimit = (value: IntOrPercent, replicas: number): number =>
  Math.max(1, resolveIntOrPercent(value, replicas, "down"));

/** Ordinals that one sync creates (missing ones) and deletes, in the order of the calls. */
export interface StatefulSetStep {
  readonly created: readonly number[];
  readonly deleted: readonly number[];
}

/**
 * One sync of a StatefulSet with strategy RollingUpdate. OrderedReady: a replica that is missing, terminating or not
 * available stops everything behind it, also the update, so that a broken pod is not replaced by a template that would
 * repair it. Parallel: all missing ones are created, then the update goes on from the highest ordinal.
 */
export function decideStatefulSet(
  replicas: readonly ReplicaState[],
  limits: StatefulSetLimits,
): StatefulSetStep {
  const created: number[] = [];
  for (const [ordinal, state] of replicas.entries()) {
    if (limits.isParallel) {
      if (state === "missing") created.push(ordinal);
    } else if (state === "missing") return { created: [ordinal], deleted: [] };
    else if (!isAvailable(state)) return { created: [], deleted: [] };
  }
  const deleted = limits.rules.hasMaxUnavailable
    ? severalAtATime(replicas, limits)
    : oneAtATime(replicas, limits);
  return { created, deleted };
}

function oneAtATime(
  replicas: readonly ReplicaState[],
  { partition, rules }: StatefulSetLimits,
): readonly number[] {
  for (let ordinal = replicas.length - 1; ordinal >= partition; ordinal--) {
    const state = replicas[ordinal] ?? "missing";
    if (isOld(state)) return [ordinal];
    if (!(rules.updateWaitsForAvailable ? isAvailable(state) : isReady(state))) return [];
  }
  return [];
}

function severalAtATime(replicas: readonly ReplicaState[], limits: StatefulSetLimits): readonly number[] {
  const { isParallel, partition, maxUnavailable, rules } = limits;
  const isUp = rules.updateWaitsForAvailable ? isAvailable : isReady;
  const budget = maxUnavailable - replicas.filter((state) => !isUp(state)).length;
  const descending: number[] = [];
  for (let ordinal = replicas.length - 1; ordinal >= partition; ordinal--) {
    if (isOld(replicas[ordinal] ?? "missing")) descending.push(ordinal);
  }
  if (!isParallel || !rules.replacesUnavailableFirst) return descending.slice(0, Math.max(0, budget));
  const isBroken = (ordinal: number) => !isAvailable(replicas[ordinal] ?? "missing");
  return [
    ...descending.filter(isBroken),
    ...descending.filter((ordinal) => !isBroken(ordinal)).slice(0, Math.max(0, budget)),
  ];
}

const isOld = (state: ReplicaState): boolean => state.startsWith("old-");
const isAvailable = (state: ReplicaState): boolean => state === "old-available" || state === "new-available";
const isReady = (state: ReplicaState): boolean =>
  isAvailable(state) || state === "old-ready" || state === "new-ready";
