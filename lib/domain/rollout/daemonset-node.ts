/** A pod of a DaemonSet, as far as its controller looks at it. */
export interface DaemonPod {
  readonly name: string;
  /** It is of the current template: its `controller-revision-hash` label, or the deprecated generation, says so. */
  readonly isUpdated: boolean;
  /** `deletionTimestamp` is set. */
  readonly isTerminating: boolean;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed";
  /** Seconds since its Ready condition turned True, at least 0; `null` where it is not Ready. */
  readonly readySeconds: number | null;
}

/** A node that should run a pod of the DaemonSet, or has one. */
export interface DaemonNode {
  readonly name: string;
  /** In order of creation, the oldest first. */
  readonly pods: readonly DaemonPod[];
  /** Node name, required affinity and taints let a pod start there: it counts as desired. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. Differs from `shouldRun` under a NoSchedule taint that came later. */
  readonly shouldContinueRunning: boolean;
}

/** What the availability of a pod depends on beside the pod. */
export interface AvailabilityRules {
  readonly minReadySeconds: number;
  /** A pod that has been Ready for exactly `minReadySeconds` is available: from 1.34 on. */
  readonly isAvailableAtMinReadySeconds: boolean;
}

/**
 * Ready, and for long enough. `minReadySeconds` 0 needs no time at all.
 * Source: kubernetes pkg/api/v1/pod/util.go, v1.26.15 to v1.33.13 (`<`) and v1.34.4 to v1.37.2 (`<=`).
 */
export function isPodAvailable(
  { readySeconds }: Pick<DaemonPod, "readySeconds">,
  { minReadySeconds, isAvailableAtMinReadySeconds }: AvailabilityRules,
): boolean {
  if (readySeconds === null) return false;
  if (minReadySeconds === 0) return true;
  return isAvailableAtMinReadySeconds ? readySeconds >= minReadySeconds : readySeconds > minReadySeconds;
}

/** Pods that the controller drops from every consideration: already deleted, and Failed or Succeeded. */
export function isGone({ isTerminating, phase }: DaemonPod): boolean {
  return isTerminating && (phase === "Failed" || phase === "Succeeded");
}
