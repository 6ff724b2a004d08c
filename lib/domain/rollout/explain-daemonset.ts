import { BURST_REPLICAS } from "./daemonset-rules.ts";
import { formatCounted, formatNumber } from "./figure.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import type { DaemonSetNow, DaemonSetState } from "./plan-daemonset.ts";

/** Why these pods go now, a sentence for each step of the decision. */
export function explainStep(state: DaemonSetState, now: Omit<DaemonSetNow, "reasons">): readonly string[] {
  return [...state.rules.notes, ...coreLoopReasons(now), ...updateReasons(state, now)];
}

function coreLoopReasons({
  coreLoop,
  isRollingUpdateLater,
}: Omit<DaemonSetNow, "reasons">): readonly string[] {
  const reasons: string[] = [];
  if (coreLoop.created.count > 0) {
    reasons.push(
      `The core loop creates ${formatCounted(coreLoop.created.count, "pod")} on nodes that have none.`,
    );
  }
  if (coreLoop.deleted.count > 0) {
    reasons.push(
      `The core loop deletes ${formatCounted(coreLoop.deleted.count, "pod")}: failed, succeeded, in excess, misplaced, or replaced by a new one.`,
    );
  }
  if (isRollingUpdateLater) {
    reasons.push("The rolling update follows in the next sync, when these have been observed.");
  }
  return reasons;
}

function updateReasons(state: DaemonSetState, now: Omit<DaemonSetNow, "reasons">): readonly string[] {
  if (state.strategy === "OnDelete") {
    return ["OnDelete: a new template replaces nothing; a pod that somebody deletes comes back with it."];
  }
  return now.tally.maxSurge > 0 ? surgeReasons(state, now) : inPlaceReasons(state, now);
}

function inPlaceReasons(
  state: DaemonSetState,
  { tally, rollingUpdate }: Omit<DaemonSetNow, "reasons">,
): readonly string[] {
  const { oldUnavailable, oldAvailable, otherUnavailable, budget } = tally;
  const reasons = [limitReason("maxUnavailable", state.maxUnavailable, tally.maxUnavailable, tally.desired)];
  if (oldUnavailable > 0) {
    reasons.push(
      `${formatCounted(oldUnavailable, "old pod is", "old pods are")} not available: ${oldUnavailable === 1 ? "it goes" : "all go"} now, outside maxUnavailable.`,
    );
  }
  const terms = [
    formatNumber(tally.maxUnavailable),
    ...(otherUnavailable > 0
      ? [
          `${formatNumber(otherUnavailable)} (nodes that are empty, in excess, or whose new pod is not available)`,
        ]
      : []),
    ...(state.rules.countsOldUnavailable && oldUnavailable > 0
      ? [`${formatNumber(oldUnavailable)} (old, not available)`]
      : []),
  ];
  const left = budget === 0 ? ", which leaves nothing" : ` = ${formatNumber(budget)}`;
  reasons.push(
    `Budget for available pods: ${terms.join(" − ")}${terms.length > 1 ? left : ""}; ${takenOf(Math.min(budget, oldAvailable), oldAvailable)}`,
  );
  if (oldUnavailable + Math.min(budget, oldAvailable) > BURST_REPLICAS) {
    reasons.push(
      `One sync deletes at most ${BURST_REPLICAS}: ${formatNumber(rollingUpdate.deleted.count)} go now, the others in the next ones.`,
    );
  }
  return reasons;
}

function surgeReasons(
  state: DaemonSetState,
  { tally, rollingUpdate }: Omit<DaemonSetNow, "reasons">,
): readonly string[] {
  const { oldUnavailable, oldAvailable, surging, budget } = tally;
  const reasons = [limitReason("maxSurge", state.maxSurge, tally.maxSurge, tally.desired)];
  if (oldUnavailable > 0) {
    reasons.push(
      `${formatCounted(oldUnavailable, "old pod is", "old pods are")} not available: a new one starts beside ${oldUnavailable === 1 ? "it" : "each"} now, outside maxSurge.`,
    );
  }
  const used =
    surging > 0
      ? ` − ${formatNumber(surging)} (new pods not available yet, or in excess) = ${formatNumber(budget)}`
      : "";
  reasons.push(
    `Room for surge: ${formatNumber(tally.maxSurge)}${used}; ${takenOf(Math.min(budget, oldAvailable), oldAvailable, "get a new pod beside them", "gets a new pod beside it")}`,
  );
  if (rollingUpdate.deleted.count > 0) {
    reasons.push(
      `${formatCounted(rollingUpdate.deleted.count, "old pod goes", "old pods go")}: the new one is available, or the node should run none.`,
    );
  }
  return reasons;
}

function limitReason(name: string, value: IntOrPercent, pods: number, desired: number): string {
  if (typeof value === "number") return `${name} ${formatNumber(value)}.`;
  return `${name} ${value} of ${formatCounted(desired, "node")}, rounded up: ${formatNumber(pods)}.`;
}

function takenOf(taken: number, available: number, many = "go", one = "goes"): string {
  if (available === 0) return "no old pod is available.";
  if (taken === 0) return `none of ${formatCounted(available, "available old pod")} ${one}.`;
  if (taken === available)
    return `all of ${formatCounted(available, "available old pod")} ${available === 1 ? one : many}.`;
  return `${formatNumber(taken)} of ${formatCounted(available, "available old pod")} ${taken === 1 ? one : many}, which ones is chance.`;
}
