import type { StepChanges } from "./core-loop.ts";
import {
  type AvailabilityRules,
  type DaemonNode,
  type DaemonPod,
  isGone,
  isPodAvailable,
} from "./daemonset-node.ts";
import type { DaemonSetRules } from "./daemonset-rules.ts";
import { type IntOrPercent, resolveIntOrPercent } from "./int-or-percent.ts";
import { choosePods, NOTHING } from "./pod-choice.ts";

export interface RollingUpdateInput {
  readonly nodes: readonly DaemonNode[];
  readonly maxUnavailable: IntOrPercent;
  /** 0: old pods are deleted first. Otherwise new ones start beside them, and `maxUnavailable` plays no role. */
  readonly maxSurge: IntOrPercent;
  readonly minReadySeconds: number;
  readonly rules: DaemonSetRules;
}

/** What the step counted. Numbers of nodes, all at least 0. */
export interface RollingUpdateTally {
  /** Nodes that should run a pod: the base of percentages. */
  readonly desired: number;
  /** Pods that `maxUnavailable` stands for; 0 where the DaemonSet surges. */
  readonly maxUnavailable: number;
  /** Pods that `maxSurge` stands for. */
  readonly maxSurge: number;
  /** Nodes with an old pod alone that is not available: replaced now, outside every budget. */
  readonly oldUnavailable: number;
  /** Nodes with an old pod alone that is available: replaced as the budget allows. */
  readonly oldAvailable: number;
  /** Without surge, nodes that use the budget beside the old unavailable ones: empty, in excess, new and not available. */
  readonly otherUnavailable: number;
  /** With surge, nodes that use the budget: old and new where the new one is not available yet, or in excess. */
  readonly surging: number;
  /** Candidates that may be taken: what is left of `maxUnavailable` or `maxSurge`. */
  readonly budget: number;
}

export interface RollingUpdateStep {
  readonly changes: StepChanges;
  readonly tally: RollingUpdateTally;
}

/** Which of `oldAvailable` may go, given what is unavailable already. */
export function budgetWithoutSurge(
  maxUnavailable: number,
  otherUnavailable: number,
  oldUnavailable: number,
  countsOldUnavailable: boolean,
): number {
  return Math.max(0, maxUnavailable - otherUnavailable - (countsOldUnavailable ? oldUnavailable : 0));
}

/**
 * The rolling update step of the DaemonSet controller on one state. In a real sync the core loop comes first, and this
 * step is left out while a creation or deletion of it has not been observed.
 *
 * Properties: old pods that are not available are never paced; without surge nothing is created; of available old pods
 * at most the budget is taken; at most 250 of each kind.
 *
 * Source: kubernetes pkg/controller/daemon/update.go, v1.30.4 to v1.37.2.
 */
export function findRollingUpdateChanges(input: RollingUpdateInput): RollingUpdateStep {
  const desired = input.nodes.reduce((sum, node) => sum + (node.shouldRun ? 1 : 0), 0);
  const maxSurge = resolveIntOrPercent(input.maxSurge, desired);
  const limit = resolveIntOrPercent(input.maxUnavailable, desired);
  // Upstream obeys 1 where an impossible configuration gives 0 for both.
  const maxUnavailable = desired > 0 && limit === 0 && maxSurge === 0 ? 1 : limit;
  const availability = {
    minReadySeconds: input.minReadySeconds,
    isAvailableAtMinReadySeconds: input.rules.isAvailableAtMinReadySeconds,
  };
  const found = input.nodes.map((node) => inspect(node, availability)).filter((node) => node !== null);
  return maxSurge === 0
    ? replaceInPlace(found, { desired, maxUnavailable, rules: input.rules })
    : replaceWithSurge(found, { desired, maxSurge });
}

interface Inspected {
  readonly node: DaemonNode;
  /** More than one old, or more than one new pod: the core loop prunes first. */
  readonly isInExcess: boolean;
  readonly oldPod: DaemonPod | null;
  readonly newPod: DaemonPod | null;
  readonly isOldAvailable: boolean;
  readonly isNewAvailable: boolean;
}

/** `null` for a node that plays no role: it should run none, and has none. */
function inspect(node: DaemonNode, availability: AvailabilityRules): Inspected | null {
  let oldPod: DaemonPod | null = null;
  let newPod: DaemonPod | null = null;
  let isInExcess = false;
  let isEmpty = true;
  for (const pod of node.pods) {
    if (isGone(pod)) continue;
    isEmpty = false;
    if (pod.isTerminating) continue;
    if (pod.isUpdated) {
      isInExcess ||= newPod !== null;
      newPod = pod;
    } else {
      isInExcess ||= oldPod !== null;
      oldPod = pod;
    }
  }
  if (isEmpty && !node.shouldRun) return null;
  return {
    node,
    isInExcess,
    oldPod,
    newPod,
    isOldAvailable: oldPod !== null && isPodAvailable(oldPod, availability),
    isNewAvailable: newPod !== null && isPodAvailable(newPod, availability),
  };
}

function replaceInPlace(
  nodes: readonly Inspected[],
  limits: { readonly desired: number; readonly maxUnavailable: number; readonly rules: DaemonSetRules },
): RollingUpdateStep {
  const unavailable: string[] = [];
  const candidates: string[] = [];
  let otherUnavailable = 0;
  for (const { isInExcess, oldPod, newPod, isOldAvailable, isNewAvailable } of nodes) {
    if (isInExcess || (oldPod === null) === (newPod === null)) otherUnavailable++;
    else if (oldPod === null) otherUnavailable += isNewAvailable ? 0 : 1;
    else (isOldAvailable ? candidates : unavailable).push(oldPod.name);
  }
  const budget = budgetWithoutSurge(
    limits.maxUnavailable,
    otherUnavailable,
    unavailable.length,
    limits.rules.countsOldUnavailable,
  );
  return {
    changes: { created: NOTHING, deleted: choosePods(unavailable, candidates, budget) },
    tally: {
      desired: limits.desired,
      maxUnavailable: limits.maxUnavailable,
      maxSurge: 0,
      oldUnavailable: unavailable.length,
      oldAvailable: candidates.length,
      otherUnavailable,
      surging: 0,
      budget,
    },
  };
}

function replaceWithSurge(
  nodes: readonly Inspected[],
  { desired, maxSurge }: { readonly desired: number; readonly maxSurge: number },
): RollingUpdateStep {
  const replacements: string[] = [];
  const candidates: string[] = [];
  const doneWith: string[] = [];
  const misplaced: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, isInExcess, oldPod, newPod, isOldAvailable, isNewAvailable } of nodes) {
    if (isInExcess) {
      surging++;
      continue;
    }
    if (oldPod === null ? isNewAvailable : isOldAvailable) available++;
    if (oldPod === null) continue;
    if (newPod !== null) {
      if (isNewAvailable) doneWith.push(oldPod.name);
      else surging++;
    } else if (isOldAvailable) {
      if (node.shouldRun) candidates.push(node.name);
      else misplaced.push(oldPod.name);
    } else if (node.shouldRun) replacements.push(node.name);
    else doneWith.push(oldPod.name);
  }
  const budget = Math.max(0, maxSurge - surging);
  return {
    changes: {
      created: choosePods(replacements, candidates, budget),
      // Available pods that do not belong where they are stay until others make up for them.
      deleted: choosePods(doneWith, misplaced, available - desired),
    },
    tally: {
      desired,
      maxUnavailable: 0,
      maxSurge,
      oldUnavailable: replacements.length,
      oldAvailable: candidates.length,
      otherUnavailable: 0,
      surging,
      budget,
    },
  };
}
