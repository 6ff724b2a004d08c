import { formatCount } from "../../../cost/format-figures.ts";
import { formatPosition } from "../../finding.ts";
import { numberAt, textAt, valueAt } from "../../json-value.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";

/** A manifest and an autoscaler that both set the number of copies. */
export const rolloutReplicasVsAutoscaler: Rule = {
  name: "rollout.replicas-vs-autoscaler",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Applying the manifest takes back what the autoscaler has set",
  what: "Looks for manifests of Deployments, StatefulSets and others with spec.replicas that a HorizontalPodAutoscaler or a KEDA ScaledObject scales too. An error where the status of the autoscaler (or of the object) tells of more copies than the manifest asks for, a fifth or more of them lost; else a warning. Objects read from a cluster hold what the autoscaler set, and are left out.",
  why: "Each apply scales to the number in the manifest at once and lets the autoscaler climb again: capacity is lost in the middle of the load that called for it.",
  fix: "Leave spec.replicas out of the manifest (before that, take it out of kubectl.kubernetes.io/last-applied-configuration with kubectl apply edit-last-applied, so that it is not set to 1), or let the autoscaler's minimum do it.",
  sources: [
    {
      text: "kubernetes/kubernetes#72231",
      url: "https://github.com/kubernetes/kubernetes/issues/72231",
    },
    {
      text: "Kubernetes, migrating Deployments and StatefulSets to horizontal autoscaling",
      url: "https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling",
    },
  ],
  check: {
    kind: "facts",
    evaluate: (facts) => ({
      findings: AUTOSCALERS.flatMap((kind) => facts.objects.ofKind(kind)).flatMap((each) =>
        check(each, facts),
      ),
    }),
  },
};

const AUTOSCALERS = ["HorizontalPodAutoscaler", "ScaledObject"];
/** Capacity that is lost on apply, from which it is an outage and not a dip. */
const LOST_ERROR = 0.2;

function check(autoscaler: ScannedObject, facts: ScanFacts): readonly RuleFinding[] {
  const kind = textAt(autoscaler.body, "spec", "scaleTargetRef", "kind") ?? "Deployment";
  const name = textAt(autoscaler.body, "spec", "scaleTargetRef", "name");
  if (name === null) return [];
  return facts.objects
    .ofKind(kind)
    .filter(
      (each) => each.name === name && (each.namespace ?? "default") === (autoscaler.namespace ?? "default"),
    )
    .filter(isManifest)
    .slice(-1)
    .flatMap((target) => compare(target, autoscaler, facts));
}

/** Not what an API server returned: that holds the live number. */
const isManifest = ({ body, isWhole }: ScannedObject) =>
  isWhole &&
  valueAt(body, "metadata", "uid") === undefined &&
  valueAt(body, "metadata", "resourceVersion") === undefined;

function compare(target: ScannedObject, autoscaler: ScannedObject, facts: ScanFacts): readonly RuleFinding[] {
  const manifest = numberAt(target.body, "spec", "replicas");
  if (manifest === null) return [];
  const live = liveReplicas(target, autoscaler, facts);
  const lost = live === null || live === 0 ? null : Math.max(0, (live - manifest) / live);
  const named = subjectOf(autoscaler);
  const message =
    live === null
      ? `spec.replicas is ${formatCount(manifest)}, and ${named} sets the number as well: every apply takes it back to ${formatCount(manifest)}.`
      : `spec.replicas is ${formatCount(manifest)}, ${named} has set ${formatCount(live)}: an apply ${lost !== null && lost > 0 ? `takes ${formatCount(Math.round(100 * lost))} % of the copies away` : "sets it back until the autoscaler acts again"}.`;
  return [
    {
      subject: subjectOf(target),
      severity: lost !== null && lost >= LOST_ERROR ? "error" : "warning",
      message,
      evidence: { grade: "checked", source: formatPosition(target.position), observedAt: null },
      figures: {
        live,
        manifest,
        capacityLostPercent: lost === null ? null : 100 * lost,
        minReplicas:
          numberAt(autoscaler.body, "spec", "minReplicas") ??
          numberAt(autoscaler.body, "spec", "minReplicaCount"),
        maxReplicas:
          numberAt(autoscaler.body, "spec", "maxReplicas") ??
          numberAt(autoscaler.body, "spec", "maxReplicaCount"),
      },
      related: [named],
      position: target.position,
    },
  ];
}

/** What runs: by the autoscaler's status, else by the object's own, else by a live object of that name. */
function liveReplicas(target: ScannedObject, { body }: ScannedObject, { objects }: ScanFacts): number | null {
  const ofAutoscaler =
    numberAt(body, "status", "desiredReplicas") ?? numberAt(body, "status", "currentReplicas");
  if (ofAutoscaler !== null) return ofAutoscaler;
  const own = numberAt(target.body, "status", "replicas");
  if (own !== null) return own;
  const other = objects
    .ofKind(target.kind)
    .find((each) => each.name === target.name && each.namespace === target.namespace && !isManifest(each));
  return other === undefined ? null : numberAt(other.body, "spec", "replicas");
}
