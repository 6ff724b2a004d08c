/**
 * How Kubernetes replaces pods: which go now, and at what pace to the end. DaemonSets exactly, by version; Deployments
 * and StatefulSets by the same controllers' rules; the kubelet's own pace. Pure, deterministic, on a clock of whole
 * microseconds.
 */

export { BackOff, type BackOffRules, FAILED_POD_BACK_OFF, IMAGE_PULL_BACK_OFF } from "./back-off.ts";
export { type ClientRate, ClientRateLimit, CONTROLLER_RATE, callsSeconds } from "./client-rate-limit.ts";
export { findCoreLoopChanges, type StepChanges } from "./core-loop.ts";
export { type CrashLoopGates, type CrashLoopRules, crashLoopRules, crashLoopStarts } from "./crash-loop.ts";
export { type DaemonPodFit, fitDaemonPod, type Taint, type Toleration } from "./daemonset-fit.ts";
export type { DaemonNode, DaemonPod } from "./daemonset-node.ts";
export { DaemonSetRollout } from "./daemonset-rollout.ts";
export type { DaemonSetRolloutInput, DaemonSetRolloutOutcome, NewPods } from "./daemonset-rollout-types.ts";
export { BURST_REPLICAS, type DaemonSetRules, daemonSetRules } from "./daemonset-rules.ts";
export { countsFromStatus, type DaemonSetStatus, type StatusCounts } from "./daemonset-status.ts";
export { DeploymentRollout, type DeploymentRolloutInput } from "./deployment-rollout.ts";
export {
  DEPLOYMENT_DEFAULT_LIMIT,
  decideRollingDeployment,
  resolveDeploymentLimits,
} from "./deployment-step.ts";
export { EventClock } from "./event-clock.ts";
export { formatCounted, formatNumber, type PlanFigure } from "./figure.ts";
export { type KubeletPace, kubeletPace, simulateImagePulls } from "./image-pulls.ts";
export { type IntOrPercent, isZero, parseIntOrPercent, resolveIntOrPercent } from "./int-or-percent.ts";
export {
  boundDaemonSet,
  type DaemonSetBounds,
  type DaemonSetNow,
  type DaemonSetPace,
  type DaemonSetState,
  decideDaemonSet,
  paceDaemonSet,
} from "./plan-daemonset.ts";
export {
  type DeploymentPlanInput,
  planDeployment,
  planStatefulSet,
  type ReplicaPlan,
  type StatefulSetPlanInput,
} from "./plan-replicas.ts";
export type { PodChoice } from "./pod-choice.ts";
export { nodeFromCodes, POD_CODE_FORM } from "./pod-code.ts";
export { ASSUMED_DURATIONS, type PodDurations, type Spread, sumDurations } from "./pod-durations.ts";
export { findRollingUpdateChanges, type RollingUpdateTally } from "./rolling-update.ts";
export type { ReplicaRolloutOutcome } from "./rollout-outcome.ts";
export { seededRandom } from "./seeded-random.ts";
export { slowStartBatches, slowStartRounds } from "./slow-start.ts";
export { startsInWindow } from "./starts-in-window.ts";
export { StatefulSetRollout, type StatefulSetRolloutInput } from "./statefulset-rollout.ts";
export {
  decideStatefulSet,
  type ReplicaState,
  resolveStatefulSetLimit,
  statefulSetRules,
} from "./statefulset-step.ts";
export { TICKS_PER_SECOND, toSeconds, toTicks } from "./ticks.ts";
