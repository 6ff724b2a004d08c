import { type IntOrPercent, resolveIntOrPercent } from "./int-or-percent.ts";

/** `maxSurge` and `maxUnavailable` of a Deployment where nobody sets them. */
export const DEPLOYMENT_DEFAULT_LIMIT: IntOrPercent = "25%";

export interface DeploymentLimits {
  /** Pods above `replicas` that may exist. */
  readonly maxSurge: number;
  /** Pods below `replicas` that may be unavailable, at most `replicas`. */
  readonly maxUnavailable: number;
}

/**
 * Pods that the limits of a Deployment stand for: surge is rounded up, unavailable down; where both come to 0,
 * `maxUnavailable` is 1.
 * Source: kubernetes pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts), v1.33.13, v1.37.2.
 */
export function resolveDeploymentLimits(
  replicas: number,
  maxSurge: IntOrPercent,
  maxUnavailable: IntOrPercent,
): DeploymentLimits {
  const surge = resolveIntOrPercent(maxSurge, replicas, "up");
  const unavailable = resolveIntOrPercent(maxUnavailable, replicas, "down");
  return {
    maxSurge: surge,
    maxUnavailable: Math.min(replicas, surge === 0 && unavailable === 0 ? 1 : unavailable),
  };
}

/** What the Deployment controller knows: what its ReplicaSets should have, and what they say is available. */
export interface ReplicaCounts {
  readonly replicas: number;
  readonly newSpec: number;
  readonly newAvailable: number;
  /** All old ReplicaSets together. */
  readonly oldSpec: number;
  readonly oldAvailable: number;
}

export type DeploymentStep =
  | { readonly kind: "scale-new"; readonly to: number }
  /** `unhealthy` of them are pods that are not available, taken first. */
  | { readonly kind: "scale-old"; readonly to: number; readonly unhealthy: number }
  | { readonly kind: "none" };

/**
 * One sync of a rolling update: the new ReplicaSet is scaled as far as `maxSurge` lets it; only a sync that has nothing to
 * do there scales old ones down. Unlike a DaemonSet's, unavailable old pods go only as far as `maxUnavailable` allows for
 * new pods that are not available yet.
 * Source: kubernetes pkg/controller/deployment/rolling.go, v1.33.13, v1.37.2.
 */
export function decideRollingDeployment(counts: ReplicaCounts, limits: DeploymentLimits): DeploymentStep {
  const { replicas, newSpec, newAvailable, oldSpec, oldAvailable } = counts;
  const total = newSpec + oldSpec;
  if (newSpec > replicas) return { kind: "scale-new", to: replicas };
  const room = Math.min(replicas + limits.maxSurge - total, replicas - newSpec);
  if (room > 0) return { kind: "scale-new", to: newSpec + room };
  if (oldSpec === 0) return { kind: "none" };
  const minAvailable = replicas - limits.maxUnavailable;
  const most = total - minAvailable - (newSpec - newAvailable);
  if (most <= 0) return { kind: "none" };
  const unhealthy = Math.min(most, oldSpec - oldAvailable);
  const healthy = Math.max(0, Math.min(oldSpec - unhealthy, newAvailable + oldAvailable - minAvailable));
  if (unhealthy + healthy === 0) return { kind: "none" };
  return { kind: "scale-old", to: oldSpec - unhealthy - healthy, unhealthy };
}
