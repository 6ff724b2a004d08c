import { formatCount } from "../../../cost/format-figures.ts";
import { type IntOrPercent, isZero, resolveIntOrPercent } from "../../../rollout/int-or-percent.ts";
import { formatPosition } from "../../finding.ts";
import { listAt, numberAt, textAt } from "../../json-value.ts";
import {
  ALL_VERSIONS,
  type Rule,
  type RuleAnswer,
  type RuleFinding,
  type StreamObserver,
} from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";
import { limitsOf } from "./daemonset-facts.ts";
import { type DeployTimeout, deployTimeoutOf } from "./deploy-timeout.ts";
import { type AbandonedRollout, RolloutStatusLog } from "./rollout-status-log.ts";

/** A rollout that whoever deploys gives up on before it is done. */
export const rolloutExceedsDeployTimeout: Rule = {
  name: "rollout.exceeds-deploy-timeout",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "A rollout takes longer than the deployment waits",
  what: "Multiplies the waves of a DaemonSet's update (pods ÷ maxUnavailable or maxSurge) by the measured time of one pod (secondsPerPod), or by minReadySeconds where that alone is longer, and compares with the deployment's timeout, where the input names one (deployTimeoutSeconds of the cluster facts, a measured figure, the timeout of a Flux HelmRelease or Kustomization): an error where it is exceeded. Without a timeout a rollout of over 30 minutes is a warning. Also reports Deployments whose status says ProgressDeadlineExceeded, and rollouts that a log of kubectl rollout status or helm shows given up.",
  why: "The deployment is called failed, and with --atomic rolled back, while the controller is still at it: a rollback replaces the pods once more, and the next attempt begins with two templates mixed.",
  fix: "Let maxUnavailable grow with the cluster (a percentage: 10 % is ten waves at any size), or let the deployment wait longer than waves × time per pod.",
  sources: [
    {
      text: "prometheus-operator/kube-prometheus#661: 250 nodes, from about 100 minutes to 10",
      url: "https://github.com/prometheus-operator/kube-prometheus/pull/661",
    },
    {
      text: "kubernetes-sigs/node-feature-discovery#2519: one node at a time overruns helm --wait",
      url: "https://github.com/kubernetes-sigs/node-feature-discovery/pull/2519",
    },
  ],
  check: { kind: "stream", begin },
};

/** Nobody watches a deployment for longer. */
const LONG_SECONDS = 1800;

function begin(facts: ScanFacts): StreamObserver {
  const log = new RolloutStatusLog();
  return {
    logLine: (line, position) => log.take(line, position),
    finish: () => {
      const { findings, undecided = [] } = evaluate(facts);
      const abandoned = log.abandoned.map((each) => describeAbandoned(each, facts));
      return { findings: [...findings, ...abandoned], undecided };
    },
  };
}

function describeAbandoned(
  { kind, name, updated, of, position }: AbandonedRollout,
  facts: ScanFacts,
): RuleFinding {
  const object = facts.objects.ofKind(kind).find((each) => each.name === name);
  const progress =
    updated === null || of === null
      ? ""
      : `: ${formatCount(updated)} of ${formatCount(of)} pods were updated`;
  return {
    subject: object === undefined ? `${kind} ${name}` : subjectOf(object),
    message: `Whoever deployed it gave up before the rollout was done${progress}.`,
    evidence: { grade: "measured", source: formatPosition(position), observedAt: null },
    figures: { updated, pods: of },
    position,
  };
}

function evaluate(facts: ScanFacts): RuleAnswer {
  const timeout = deployTimeoutOf(facts);
  const daemonSets = facts.objects.ofKind("DaemonSet").map((each) => checkDaemonSet(each, facts, timeout));
  return {
    findings: [
      ...daemonSets.flatMap(({ findings }) => findings),
      ...facts.objects.ofKind("Deployment").flatMap(checkDeployment),
    ],
    undecided: daemonSets.flatMap(({ undecided }) => undecided ?? []),
  };
}

function checkDaemonSet(
  daemonSet: ScannedObject,
  facts: ScanFacts,
  timeout: DeployTimeout | null,
): RuleAnswer {
  const { body, position } = daemonSet;
  const limits = limitsOf(daemonSet);
  const pods = numberAt(body, "status", "desiredNumberScheduled") ?? facts.cluster.nodes;
  if (limits === null || pods === null || pods < 1) return { findings: [] };
  const { maxUnavailable, maxSurge } = limits;
  const limit: IntOrPercent = isZero(maxSurge) ? maxUnavailable : maxSurge;
  const field = isZero(maxSurge) ? "maxUnavailable" : "maxSurge";
  const atATime = Math.max(1, resolveIntOrPercent(limit, pods));
  const waves = Math.ceil(pods / atATime);
  const secondsPerPod = Math.max(
    facts.hand.secondsPerPod ?? 0,
    numberAt(body, "spec", "minReadySeconds") ?? 0,
  );
  if (secondsPerPod === 0) {
    // One second a wave is less than any pod takes.
    if (timeout === null || waves <= timeout.seconds) return { findings: [] };
  }
  const seconds = waves * Math.max(1, secondsPerPod);
  const allowed = timeout?.seconds ?? LONG_SECONDS;
  if (seconds <= allowed) return { findings: [] };
  const needed = Math.ceil(pods / Math.max(1, Math.floor(allowed / Math.max(1, secondsPerPod))));
  const percent = Math.ceil((100 * needed) / pods);
  const minutes = seconds / 60;
  const against =
    timeout === null
      ? "how long the deployment waits is not in the input (helm: 5 min by default)"
      : `the deployment waits ${formatMinutes(timeout.seconds)} (${timeout.source})`;
  const finding: RuleFinding = {
    subject: subjectOf(daemonSet),
    severity: timeout === null ? "warning" : "error",
    message: `${formatCount(pods)} pods with ${field} ${limit} are ${formatCount(waves)} waves of ${formatCount(secondsPerPod)} s, ${formatMinutes(seconds)} in all; ${against}.`,
    fix: `Set ${field} to ${formatCount(needed)} (${percent}%) at least to be done within ${formatMinutes(allowed)}, or let the deployment wait ${formatMinutes(seconds)} and more.`,
    evidence: { grade: "checked", source: formatPosition(position), observedAt: null },
    figures: {
      pods,
      [field]: atATime,
      waves,
      secondsPerPod,
      seconds,
      minutes,
      timeoutSeconds: timeout?.seconds ?? null,
      timeoutMinutes: timeout === null ? null : timeout.seconds / 60,
      smallestNumberInTime: needed,
      smallestPercentInTime: `${percent}%`,
    },
    position,
  };
  return { findings: [finding] };
}

const formatMinutes = (seconds: number) => `${Number((seconds / 60).toPrecision(3))} min`;

function checkDeployment(deployment: ScannedObject): readonly RuleFinding[] {
  const { body, position } = deployment;
  const isExceeded = listAt(body, "status", "conditions").some(
    (condition) =>
      textAt(condition, "type") === "Progressing" &&
      textAt(condition, "status") === "False" &&
      textAt(condition, "reason") === "ProgressDeadlineExceeded",
  );
  if (!isExceeded) return [];
  const deadline = numberAt(body, "spec", "progressDeadlineSeconds") ?? 600;
  const replicas = numberAt(body, "spec", "replicas") ?? 1;
  const updated = numberAt(body, "status", "updatedReplicas") ?? 0;
  const unavailable = numberAt(body, "status", "unavailableReplicas") ?? 0;
  return [
    {
      subject: subjectOf(deployment),
      message: `No pod became available within ${formatCount(deadline)} s (progressDeadlineSeconds): ${formatCount(updated)} of ${formatCount(replicas)} are updated, ${formatCount(unavailable)} unavailable.`,
      fix: "Find why the new pods are not available (kubectl describe tells). A Deployment is not rolled back by itself: the old pods that are left go on.",
      evidence: { grade: "checked", source: formatPosition(position), observedAt: null },
      figures: { progressDeadlineSeconds: deadline, replicas, updated, unavailable },
      position,
    },
  ];
}
