import { formatCount } from "../../../cost/format-figures.ts";
import { budgetWithoutSurge } from "../../../rollout/rolling-update.ts";
import { formatPosition } from "../../finding.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding } from "../../rule.ts";
import { subjectOf } from "../../scanned-object.ts";
import { type DaemonSetFacts, daemonSetFactsOf } from "./daemonset-facts.ts";

/** Pods that stay unavailable use up what an update may take. */
export const rolloutBudgetExhausted: Rule = {
  name: "rollout.budget-exhausted",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Pods that do not come back use up maxUnavailable",
  what: "Looks at the status of DaemonSets that are updated in place: reports one where pods on nodes that are not ready, or pods that are ending and do not go, are as many as maxUnavailable (a percentage of the desired pods, rounded up), or where more than maxUnavailable are unavailable and none is of the new template. An error while an update is under way, a warning before one.",
  why: "The controller takes no available pod: the update does not go slowly, it stands still, and so does the pipeline that waits for it. A rollback is an update as well and stands still the same.",
  fix: "Repair or remove the nodes (delete the Node objects of machines that are gone, and pods that do not end), or raise maxUnavailable above what is unavailable.",
  sources: [
    {
      text: "NVIDIA/NVSentinel#1764: 5 % of 288 nodes with 20 unavailable",
      url: "https://github.com/NVIDIA/NVSentinel/issues/1764",
    },
    {
      text: "kubernetes/test-infra#31706: 3 of 164 nodes Unknown, maxUnavailable 1",
      url: "https://github.com/kubernetes/test-infra/pull/31706",
    },
    {
      text: "kubernetes pkg/controller/daemon/update.go, v1.37.2",
      url: "https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/controller/daemon/update.go",
    },
  ],
  check: {
    kind: "facts",
    evaluate: (facts) => ({ findings: daemonSetFactsOf(facts).flatMap(check) }),
  },
};

function check(state: DaemonSetFacts): readonly RuleFinding[] {
  const { maxUnavailable, unavailable, stuck, desired, updated, isUpdating } = state;
  if (unavailable < maxUnavailable) return [];
  const isNothingKnown = state.nodesNotReady === null && state.terminating === null;
  // Old unavailable pods go at once: where there still are so many, they do not come back.
  const isStill =
    isNothingKnown && isUpdating && updated === 0 && unavailable > maxUnavailable && unavailable < desired;
  if (stuck < maxUnavailable && !isStill) return [];
  return [toFinding(state)];
}

function toFinding(state: DaemonSetFacts): RuleFinding {
  const { daemonSet, desired, unavailable, maxUnavailable, limit, isUpdating, available, empty } = state;
  const healthy = (countsOldUnavailable: boolean) =>
    Math.min(
      available,
      budgetWithoutSurge(
        maxUnavailable,
        empty + (state.terminating ?? 0),
        Math.max(0, unavailable - empty - (state.terminating ?? 0)),
        countsOldUnavailable,
      ),
    );
  const percent = Math.floor((100 * unavailable) / desired) + 1;
  const number = unavailable + 1;
  const canMove = unavailable < desired;
  const base =
    typeof limit === "string"
      ? `${limit} of ${formatCount(desired)} = ${formatCount(maxUnavailable)}`
      : formatCount(maxUnavailable);
  const first = state.rules !== null && !state.rules.countsOldUnavailable ? healthy(false) : 0;
  return {
    subject: subjectOf(daemonSet),
    severity: isUpdating ? "error" : "warning",
    message: `${formatCount(unavailable)} of ${formatCount(desired)} pods are unavailable${causeOf(state)} and maxUnavailable is ${base}: ${isUpdating ? "the update takes" : "the next update will take"} ${first > 0 ? `${formatCount(first)} available pods on this version and then stands still` : "no available pod"}.`,
    fix: canMove
      ? `Repair or remove what keeps the ${formatCount(unavailable)} unavailable, or set maxUnavailable to ${formatCount(number)}${percent <= 100 ? ` or ${percent}%` : ""} at least. A rollback stands still the same.`
      : "Repair what keeps the pods unavailable: none is left that an update could take. A rollback stands still the same.",
    evidence: { grade: "checked", source: formatPosition(daemonSet.position), observedAt: null },
    figures: {
      desired,
      maxUnavailable,
      unavailable,
      freeBudget: 0,
      smallestPercentThatMoves: canMove && percent <= 100 ? `${percent}%` : null,
      smallestNumberThatMoves: canMove ? number : null,
      nodesNotReady: state.nodesNotReady,
      terminating: state.terminating,
      oldestDeletionSeconds: state.oldestDeletionSeconds,
      healthyReplacedBeforeBlock: { v1_31_and_later: healthy(true), v1_21_to_1_30: healthy(false) },
    },
    position: daemonSet.position,
  };
}

function causeOf({ nodesNotReady, terminating, oldestDeletionSeconds }: DaemonSetFacts): string {
  if ((terminating ?? 0) > 0) {
    const since =
      oldestDeletionSeconds === null
        ? ""
        : ` for up to ${formatCount(Math.round(oldestDeletionSeconds / 60))} minutes`;
    return ` (${formatCount(terminating ?? 0)} are ending${since})`;
  }
  return (nodesNotReady ?? 0) > 0 ? ` (${formatCount(nodesNotReady ?? 0)} nodes are not ready)` : "";
}
