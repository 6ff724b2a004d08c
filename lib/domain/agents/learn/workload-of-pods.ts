import type { AgentKind } from "../agent.ts";

/** The workload that pods' names point to. */
export interface WorkloadGuess {
  readonly kind: Extract<AgentKind, "DaemonSet" | "Deployment" | "StatefulSet" | "StaticPod">;
  readonly name: string;
}

/** Letters and digits of generated names. Source: apimachinery pkg/util/rand/rand.go, v0.37. */
const GENERATED = "[bcdfghjklmnpqrstvwxz2456789]";
const DEPLOYMENT = new RegExp(`^(.+)-${GENERATED}{6,10}-${GENERATED}{5}$`);
const RUN_OF_CRON_JOB = new RegExp(`-\\d{8}-${GENERATED}{5}$`);
const DAEMONSET = new RegExp(`^(.+)-${GENERATED}{5}$`);
const STATEFUL_SET = /^(.+)-\d{1,5}$/;

/**
 * The controller to which a pod's name points, by the way in which controllers name pods; `null` where it points to none.
 * A guess: pods of a Job or of a bare ReplicaSet are named like those of a DaemonSet.
 */
export function guessWorkload(podName: string, nodeName: string | null): WorkloadGuess | null {
  if (nodeName !== null && podName.length > nodeName.length + 1 && podName.endsWith(`-${nodeName}`)) {
    return { kind: "StaticPod", name: podName.slice(0, -nodeName.length - 1) };
  }
  if (RUN_OF_CRON_JOB.test(podName)) return null;
  const deployment = DEPLOYMENT.exec(podName)?.[1];
  if (deployment !== undefined) return { kind: "Deployment", name: deployment };
  const daemonSet = DAEMONSET.exec(podName)?.[1];
  if (daemonSet !== undefined) return { kind: "DaemonSet", name: daemonSet };
  const statefulSet = STATEFUL_SET.exec(podName)?.[1];
  return statefulSet === undefined ? null : { kind: "StatefulSet", name: statefulSet };
}
