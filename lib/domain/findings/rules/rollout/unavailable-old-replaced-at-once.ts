import { formatCount } from "../../../cost/format-figures.ts";
import { budgetWithoutSurge } from "../../../rollout/rolling-update.ts";
import { formatPosition } from "../../finding.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding } from "../../rule.ts";
import { subjectOf } from "../../scanned-object.ts";
import { type DaemonSetFacts, daemonSetFactsOf } from "./daemonset-facts.ts";

/** An update that replaces more pods at a time than maxUnavailable says. */
export const rolloutUnavailableOldReplacedAtOnce: Rule = {
  name: "rollout.unavailable-old-replaced-at-once",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Old pods that are not available are replaced all at once",
  what: "Looks at the status of DaemonSets that are updated in place: old pods that are not available are deleted in one go, in every version, whatever maxUnavailable says. Reports one where these are more than maxUnavailable and a tenth of all, pods on nodes that are not ready and ending pods left out. An error while an update is under way, a warning where all pods are of one template and the next update would do so.",
  why: "What was meant to go a few at a time starts everywhere together: all copies list from the API server in the same seconds, and what still worked on a node whose pod is merely not Ready is gone. A rollback does the same.",
  fix: "Pause: set updateStrategy OnDelete before the template changes again, find why the pods are not available, then delete pods in batches. Let readiness tell of the pod itself, not of something that all pods share.",
  sources: [
    {
      text: "kubernetes/kubernetes#111073: readiness of all old pods flips during a rollout",
      url: "https://github.com/kubernetes/kubernetes/issues/111073",
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

const SHARE = 0.1;

function check(state: DaemonSetFacts): readonly RuleFinding[] {
  const { maxUnavailable, desired, unavailable, isUpdating, empty, stuck } = state;
  // Before an update all pods will be old ones.
  const old = isUpdating && state.updated < desired ? state.oldUnavailableMin : unavailable - empty;
  // Ending pods are not among the old ones.
  const replaced = old - Math.max(0, stuck - (state.terminating ?? 0));
  if (replaced <= maxUnavailable || replaced < SHARE * desired || replaced < 2) return [];
  return [toFinding(state, replaced)];
}

function toFinding(state: DaemonSetFacts, replaced: number): RuleFinding {
  const { daemonSet, desired, maxUnavailable, available, unavailable, isUpdating, empty } = state;
  const others = Math.max(0, unavailable - replaced) + (isUpdating ? 0 : empty);
  const counts = state.rules?.countsOldUnavailable ?? true;
  const beside = Math.min(available, budgetWithoutSurge(maxUnavailable, others, replaced, counts));
  const when = isUpdating ? "the update replaces" : "the next update or rollback will replace";
  return {
    subject: subjectOf(daemonSet),
    severity: isUpdating ? "error" : "warning",
    message: `${formatCount(replaced)} of ${formatCount(desired)} pods are ${isUpdating ? "old and " : ""}not available: ${when} ${formatCount(replaced + beside)} at once, where maxUnavailable allows ${formatCount(maxUnavailable)}.`,
    evidence: { grade: "checked", source: formatPosition(daemonSet.position), observedAt: null },
    figures: {
      desired,
      maxUnavailable,
      oldUnavailable: replaced,
      effectiveSimultaneous: replaced + beside,
      availableReplacedBeside: beside,
    },
    position: daemonSet.position,
  };
}
