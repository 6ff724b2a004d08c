import {
  type AvailabilityRules,
  type DaemonNode,
  type DaemonPod,
  isGone,
  isPodAvailable,
} from "./daemonset-node.ts";
import { choosePods, type PodChoice } from "./pod-choice.ts";

/** What one step creates (names of nodes) and deletes (names of pods). */
export interface StepChanges {
  readonly created: PodChoice;
  readonly deleted: PodChoice;
}

export interface CoreLoopInput {
  readonly nodes: readonly DaemonNode[];
  /** `maxSurge` is not 0: a node may hold an old and a new pod for a while. */
  readonly isSurging: boolean;
  readonly availability: AvailabilityRules;
  /** Names of nodes whose failed pods are in back-off: those stay for now. */
  readonly nodesInBackOff?: ReadonlySet<string>;
}

/**
 * The core loop ("manage") of the DaemonSet controller on one state: a pod for every node that wants one and has none;
 * pods that failed, succeeded, are in excess or do not belong there are deleted. A node whose only pods are terminating
 * is filled again at once where the DaemonSet surges, otherwise when the pod object is gone. At most 250 of each; which,
 * where there are more, is chance.
 *
 * Source: kubernetes pkg/controller/daemon/daemon_controller.go, v1.30.4 to v1.37.2.
 */
export function findCoreLoopChanges(input: CoreLoopInput): StepChanges {
  const created: string[] = [];
  const deleted: string[] = [];
  for (const node of input.nodes) {
    const pods = node.pods.filter((pod) => !isGone(pod));
    if (pods.length === 0) {
      if (node.shouldRun) created.push(node.name);
      continue;
    }
    const kept = pods.filter((pod) => !pod.isTerminating);
    if (!node.shouldContinueRunning) {
      for (const pod of kept) deleted.push(pod.name);
      continue;
    }
    const running: DaemonPod[] = [];
    for (const pod of kept) {
      if (pod.phase === "Failed") {
        if (input.nodesInBackOff?.has(node.name) !== true) deleted.push(pod.name);
      } else if (pod.phase === "Succeeded") deleted.push(pod.name);
      else running.push(pod);
    }
    if (input.isSurging) {
      if (running.length === 0 && node.shouldRun) created.push(node.name);
      for (const pod of excessWithSurge(running, input.availability)) deleted.push(pod.name);
    } else {
      for (const pod of running.slice(1)) deleted.push(pod.name);
    }
  }
  return { created: choosePods(created), deleted: choosePods(deleted) };
}

/** All but the oldest old and the oldest new pod; that old one too where it is not Ready or the new one is available. */
function excessWithSurge(
  running: readonly DaemonPod[],
  availability: AvailabilityRules,
): readonly DaemonPod[] {
  if (running.length <= 1) return [];
  const oldestNew = running.find((pod) => pod.isUpdated);
  const oldestOld = running.find((pod) => !pod.isUpdated);
  const excess = running.filter((pod) => pod !== oldestNew && pod !== oldestOld);
  if (
    oldestNew !== undefined &&
    oldestOld !== undefined &&
    (oldestOld.readySeconds === null || isPodAvailable(oldestNew, availability))
  ) {
    excess.push(oldestOld);
  }
  return excess;
}
