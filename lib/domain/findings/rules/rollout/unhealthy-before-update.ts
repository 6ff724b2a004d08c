import { formatCount } from "../../../cost/format-figures.ts";
import { formatPosition } from "../../finding.ts";
import type { Rule, RuleAnswer, RuleFinding } from "../../rule.ts";
import { subjectOf } from "../../scanned-object.ts";
import { type DaemonSetFacts, daemonSetFactsOf } from "./daemonset-facts.ts";

/** A further update takes healthy pods beside those that are unavailable already. */
export const rolloutUnhealthyBeforeUpdate: Rule = {
  name: "rollout.unhealthy-before-update",
  severity: "error",
  // 1.21 to 1.28.14, 1.29.9 and 1.30.5: the patch is looked at as well.
  versions: { from: 21, until: 30 },
  title: "A further update takes healthy pods beside the unavailable ones",
  what: "Looks at the status of DaemonSets on versions that do not count old unavailable pods against maxUnavailable (1.21 to 1.28.14, 1.29.9 and 1.30.5): reports one with as many unavailable pods as maxUnavailable and more than 15 % of all, nodes that are not ready aside. An error while updated pods are unavailable, a warning where all pods are of one template.",
  why: "Each new template makes the pods that failed under the last one old, and old unavailable pods are free there: every bad update takes maxUnavailable more healthy pods, until none is left.",
  fix: "Do not push another revision, not even a fix, while updated pods are unavailable: set updateStrategy OnDelete, change the template, and replace pods by hand. 1.28.15, 1.29.10, 1.30.6 and 1.31 count them again.",
  sources: [
    {
      text: "kubernetes/kubernetes#123232, fixed by #123233",
      url: "https://github.com/kubernetes/kubernetes/issues/123232",
    },
    { text: "openkruise/kruise#1323", url: "https://github.com/openkruise/kruise/issues/1323" },
  ],
  check: { kind: "facts", evaluate },
};

/** In a healthy update of few percent as many are unavailable for a moment. */
const SHARE = 0.15;
/** Updates that are counted ahead. */
const UPDATES = 10;

function evaluate(facts: Parameters<typeof daemonSetFactsOf>[0]): RuleAnswer {
  const states = daemonSetFactsOf(facts).filter(isConcerned);
  return {
    findings: states.filter(({ rules }) => rules !== null && !rules.countsOldUnavailable).map(toFinding),
    undecided: states
      .filter(({ rules }) => rules === null)
      .map(({ daemonSet }) => ({
        subject: subjectOf(daemonSet),
        missing:
          "The version of the cluster: from 1.21 to 1.30.5 a further update takes healthy pods beside the unavailable ones.",
      })),
  };
}

function isConcerned(state: DaemonSetFacts): boolean {
  const { unavailable, stuck, desired, maxUnavailable, available, updated } = state;
  const unhealthy = unavailable - stuck;
  if (available === 0 || updated === 0 || state.newUnavailableMax === 0) return false;
  return unhealthy >= maxUnavailable && unhealthy > SHARE * desired;
}

function toFinding(state: DaemonSetFacts): RuleFinding {
  const { daemonSet, desired, available, unavailable, maxUnavailable, rules, updated } = state;
  const ready: number[] = [available];
  while ((ready.at(-1) ?? 0) > 0 && ready.length <= UPDATES) {
    ready.push(Math.max(0, (ready.at(-1) ?? 0) - maxUnavailable));
  }
  const version = rules === null ? "this version" : `1.${rules.version.minor}`;
  return {
    subject: subjectOf(daemonSet),
    severity: updated < desired ? "error" : "warning",
    message: `${formatCount(unavailable)} of ${formatCount(desired)} pods are unavailable, ${formatCount(updated)} are updated: on ${version} a further update takes ${formatCount(Math.min(maxUnavailable, available))} of the ${formatCount(available)} available ones beside them.`,
    evidence: { grade: "checked", source: formatPosition(daemonSet.position), observedAt: null },
    figures: { desired, maxUnavailable, unavailable, updated, readyAfterBadUpdate: ready },
    position: daemonSet.position,
  };
}
