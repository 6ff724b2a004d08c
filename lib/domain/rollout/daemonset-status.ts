/** The status of a DaemonSet, as far as it tells what an update would meet. */
export interface DaemonSetStatus {
  readonly desiredNumberScheduled: number;
  readonly currentNumberScheduled: number;
  /** Absent: 0. */
  readonly numberUnavailable?: number | undefined;
  /** Absent: all. */
  readonly updatedNumberScheduled?: number | undefined;
}

export interface StatusCounts {
  readonly desired: number;
  /** Nodes without a pod. */
  readonly empty: number;
  /** Nodes with a pod that is not available. */
  readonly unavailable: number;
  /** An update is under way: which pods are of which template the status does not say. */
  readonly isMidUpdate: boolean;
}

/**
 * What a new template would meet, from the status alone: `desired - current` nodes are empty, the rest of
 * `numberUnavailable` has a pod that is not available. Right at the moment of a new template, when all pods are old.
 */
export function countsFromStatus({
  desiredNumberScheduled: desired,
  currentNumberScheduled,
  numberUnavailable = 0,
  updatedNumberScheduled = desired,
}: DaemonSetStatus): StatusCounts {
  const empty = Math.min(desired, Math.max(0, desired - currentNumberScheduled));
  return {
    desired,
    empty,
    unavailable: Math.min(desired - empty, Math.max(0, numberUnavailable - empty)),
    isMidUpdate: updatedNumberScheduled < desired,
  };
}
