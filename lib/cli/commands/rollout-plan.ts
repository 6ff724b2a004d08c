import {
  ASSUMED_DURATIONS,
  CONTROLLER_RATE,
  crashLoopRules,
  type DaemonNode,
  type DaemonPod,
  type DaemonSetNow,
  type DaemonSetPace,
  type DaemonSetState,
  DEPLOYMENT_DEFAULT_LIMIT,
  daemonSetRules,
  decideDaemonSet,
  formatCounted,
  isZero,
  type NewPods,
  nodeFromCodes,
  type PodDurations,
  paceDaemonSet,
  planDeployment,
  planStatefulSet,
  type ReplicaPlan,
  type Spread,
  seededRandom,
  statefulSetRules,
} from "../../domain/rollout/index.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { formatFigureLines } from "../output/figures.ts";
import { chooseStyle, type Style } from "../output/style.ts";
import { missingFlags } from "../register/flag-values.ts";
import type { RolloutFlags } from "../register/rollout.ts";
import { type DaemonSetFacts, readDaemonSet } from "./read-daemonset.ts";

const ANSWERED = 0;
const WRONG_USAGE = 2;

/** `headroom rollout plan` for the one rollout that its flags describe. Returns the exit code. */
export async function runRolloutPlan(flags: RolloutFlags): Promise<number> {
  const facts = flags.daemonset === undefined ? null : await readDaemonSet(flags.daemonset);
  const problem = typeof facts === "string" ? facts : findProblem(flags, facts);
  if (problem !== null || typeof facts === "string") {
    process.stderr.write(`${problem}\n`);
    return WRONG_USAGE;
  }
  const style = chooseStyle(process.stdout, process.env);
  const text =
    flags.kind === "DaemonSet" ? daemonSetText(flags, facts, style) : replicasText(flags, flags.kind, style);
  process.stdout.write(`${text}\n`);
  return ANSWERED;
}

/** What is wrong with flags that are each right by themselves. */
function findProblem(flags: RolloutFlags, facts: DaemonSetFacts | null): string | null {
  const isDaemonSet = flags.kind === "DaemonSet";
  const missing = missingFlags({
    "--kubernetes-version": flags.kubernetesVersion,
    ...(isDaemonSet ? { "--nodes": flags.nodes ?? facts?.desired } : { "--replicas": flags.replicas }),
    ...(flags.newPods === "crash-loop" ? { "--run-seconds": flags.runSeconds } : {}),
  });
  if (missing !== null) return missing;
  const { unavailable, empty, updated, updatedUnavailable } = countsOf(flags, facts);
  const total = isDaemonSet ? (flags.nodes ?? facts?.desired ?? 0) : (flags.replicas ?? 0);
  if (unavailable + empty + updated + updatedUnavailable > total) {
    return `--unavailable, --empty, --updated and --updated-unavailable: expected at most ${total} together, got ${unavailable + empty + updated + updatedUnavailable}.`;
  }
  if (isDaemonSet) {
    const { maxUnavailable, maxSurge } = limitsOf(flags, facts);
    if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
      return "--max-surge: expected 0, as --max-unavailable is not 0 (a DaemonSet takes one of the two).";
    }
    if (isZero(maxUnavailable) && isZero(maxSurge))
      return "--max-unavailable: expected more than 0, as --max-surge is 0.";
    if (flags.strategy === "Recreate")
      return "--strategy: expected RollingUpdate or OnDelete for a DaemonSet, got Recreate.";
    return null;
  }
  if (flags.newPods === "crash-loop")
    return `--new-pods: expected healthy or never-ready for a ${flags.kind}, got crash-loop.`;
  const other = flags.kind === "Deployment" ? "OnDelete" : "Recreate";
  return flags.strategy === other ? `--strategy: a ${flags.kind} has no ${other}.` : null;
}

function countsOf(flags: RolloutFlags, facts: DaemonSetFacts | null) {
  return {
    unavailable: flags.unavailable ?? facts?.oldUnavailable ?? 0,
    empty: flags.empty ?? facts?.empty ?? 0,
    updated: flags.updated ?? 0,
    updatedUnavailable: flags.updatedUnavailable ?? 0,
  };
}

function limitsOf(
  flags: RolloutFlags,
  facts: DaemonSetFacts | null,
): Pick<DaemonSetState, "maxUnavailable" | "maxSurge"> {
  const maxSurge = flags.maxSurge ?? (flags.maxUnavailable === undefined ? (facts?.maxSurge ?? 0) : 0);
  const maxUnavailable =
    flags.maxUnavailable ?? (flags.maxSurge === undefined ? facts?.maxUnavailable : undefined);
  // Beside a surge the API asks for maxUnavailable 0; nobody has to say so here.
  return { maxSurge, maxUnavailable: maxUnavailable ?? (isZero(maxSurge) ? 1 : 0) };
}

function daemonSetText(flags: RolloutFlags, facts: DaemonSetFacts | null, style: Style): string {
  const version = flags.kubernetesVersion ?? "";
  const rules = daemonSetRules(version);
  const state: DaemonSetState = {
    nodes: nodesOf(flags, facts),
    strategy: flags.strategy === "OnDelete" || facts?.strategy === "OnDelete" ? "OnDelete" : "RollingUpdate",
    ...limitsOf(flags, facts),
    minReadySeconds: flags.minReadySeconds ?? facts?.minReadySeconds ?? 0,
    rules,
  };
  const now = decideDaemonSet(state);
  const pace = state.strategy === "OnDelete" ? null : paceDaemonSet(state, paceInput(flags));
  if (flags.output === "json") return daemonSetJson(flags, state, now, pace);
  const title = `DaemonSet on ${formatCounted(state.nodes.length, "node")}, Kubernetes ${version}`;
  return [
    style.bold(title),
    "",
    `Now: ${describeNow(now)}`,
    ...now.reasons.map((reason) => `  ${reason}`),
    ...(pace === null ? [] : ["", "Pace to the end", ...formatFigureLines(pace.figures, style)]),
    ...(facts === null || facts.notes.length === 0 ? [] : ["", ...facts.notes]),
  ].join("\n");
}

function describeNow({ coreLoop, rollingUpdate, isRollingUpdateLater }: DaemonSetNow): string {
  const parts = [
    ...describeStep(coreLoop.created.count, coreLoop.deleted.count, ""),
    ...describeStep(
      rollingUpdate.created.count,
      rollingUpdate.deleted.count,
      isRollingUpdateLater ? " in the next sync" : "",
    ),
  ];
  return parts.length === 0 ? "nothing is created or deleted" : parts.join(", ");
}

function describeStep(created: number, deleted: number, when: string): readonly string[] {
  return [
    ...(created > 0 ? [`${formatCounted(created, "pod is", "pods are")} created${when}`] : []),
    ...(deleted > 0 ? [`${formatCounted(deleted, "pod is", "pods are")} deleted${when}`] : []),
  ];
}

function daemonSetJson(
  flags: RolloutFlags,
  state: DaemonSetState,
  now: DaemonSetNow,
  pace: DaemonSetPace | null,
): string {
  const { coreLoop, rollingUpdate, isRollingUpdateLater, tally, reasons } = now;
  return json({
    kind: "DaemonSet",
    kubernetesVersion: flags.kubernetesVersion,
    maxUnavailable: state.maxUnavailable,
    maxSurge: state.maxSurge,
    minReadySeconds: state.minReadySeconds,
    strategy: state.strategy,
    now: { manage: coreLoop, rollingUpdate, isRollingUpdateLater, tally, reasons },
    pace: pace && { ...withoutTicks(pace.outcome), figures: pace.figures },
    durations: durationsOf(flags),
  });
}

function replicasText(flags: RolloutFlags, kind: "Deployment" | "StatefulSet", style: Style): string {
  const plan = kind === "Deployment" ? deploymentPlan(flags) : statefulSetPlan(flags);
  if (flags.output === "json") {
    const { now, reasons, outcome, figures } = plan;
    return json({
      kind,
      kubernetesVersion: flags.kubernetesVersion,
      replicas: flags.replicas,
      now: { ...now, reasons },
      pace: outcome && { ...withoutTicks(outcome), figures },
      durations: durationsOf(flags),
    });
  }
  const step = describeStep(plan.now.created, plan.now.deleted, "");
  return [
    style.bold(
      `${kind} with ${formatCounted(flags.replicas ?? 0, "replica")}, Kubernetes ${flags.kubernetesVersion}`,
    ),
    "",
    `Now: ${step.length === 0 ? "nothing is created or deleted" : step.join(", ")}`,
    ...plan.reasons.map((reason) => `  ${reason}`),
    ...(plan.figures.length === 0 ? [] : ["", "Pace to the end", ...formatFigureLines(plan.figures, style)]),
  ].join("\n");
}

function deploymentPlan(flags: RolloutFlags): ReplicaPlan {
  return planDeployment({
    ...replicaInput(flags),
    strategy: flags.strategy === "Recreate" ? "Recreate" : "RollingUpdate",
    maxSurge: flags.maxSurge ?? DEPLOYMENT_DEFAULT_LIMIT,
    maxUnavailable: flags.maxUnavailable ?? DEPLOYMENT_DEFAULT_LIMIT,
  });
}

function statefulSetPlan(flags: RolloutFlags): ReplicaPlan {
  return planStatefulSet({
    ...replicaInput(flags),
    strategy: flags.strategy === "OnDelete" ? "OnDelete" : "RollingUpdate",
    isParallel: flags.podManagement === "Parallel",
    partition: flags.partition ?? 0,
    maxUnavailable: flags.maxUnavailable ?? 1,
    rules: statefulSetRules(flags.kubernetesVersion ?? ""),
  });
}

function replicaInput(flags: RolloutFlags) {
  const { newPods: _, ...pace } = paceInput(flags);
  return {
    ...pace,
    replicas: flags.replicas ?? 0,
    oldUnavailable: flags.unavailable ?? 0,
    minReadySeconds: flags.minReadySeconds ?? 0,
    newPods: flags.newPods === "never-ready" ? ("never-ready" as const) : ("healthy" as const),
  };
}

function paceInput(flags: RolloutFlags) {
  const spread: Spread | null =
    (flags.jitter ?? 0) > 0 ? { jitterRatio: flags.jitter ?? 0, random: seededRandom(flags.seed) } : null;
  return {
    durations: durationsOf(flags),
    newPods: newPodsOf(flags),
    client: { qps: flags.qps ?? CONTROLLER_RATE.qps, burst: flags.burst ?? CONTROLLER_RATE.burst },
    requestSeconds: flags.requestSeconds,
    ...(spread === null ? {} : { spread }),
  };
}

function newPodsOf({ newPods, runSeconds, kubernetesVersion }: RolloutFlags): NewPods {
  if (newPods !== "crash-loop") return { kind: newPods };
  return {
    kind: "crash-loop",
    runSeconds: runSeconds ?? 0,
    backOff: crashLoopRules({ version: kubernetesVersion ?? "" }),
  };
}

function durationsOf(flags: RolloutFlags): PodDurations {
  return {
    terminationSeconds: flags.terminationSeconds ?? ASSUMED_DURATIONS.terminationSeconds,
    removalSeconds: flags.removalSeconds ?? ASSUMED_DURATIONS.removalSeconds,
    scheduleSeconds: flags.scheduleSeconds ?? ASSUMED_DURATIONS.scheduleSeconds,
    pullSeconds: flags.pullSeconds ?? ASSUMED_DURATIONS.pullSeconds,
    startSeconds: flags.startSeconds ?? ASSUMED_DURATIONS.startSeconds,
    readySeconds: flags.readySeconds ?? ASSUMED_DURATIONS.readySeconds,
  };
}

/** Nodes n0, n1, …: old and available, old and not, empty, new and available, new and not. */
function nodesOf(flags: RolloutFlags, facts: DaemonSetFacts | null): readonly DaemonNode[] {
  const { unavailable, empty, updated, updatedUnavailable } = countsOf(flags, facts);
  const total = flags.nodes ?? facts?.desired ?? 0;
  const runs: readonly (readonly [number, readonly string[]])[] = [
    [total - unavailable - empty - updated - updatedUnavailable, ["o"]],
    [unavailable, ["o-"]],
    [empty, []],
    [updated, ["n"]],
    [updatedUnavailable, ["n-"]],
  ];
  const codes = runs.flatMap(([count, pods]) => new Array<readonly string[]>(count).fill(pods));
  return codes.flatMap((pods, index) => {
    const node = nodeFromCodes(`n${index}`, pods, true);
    return "wrongCode" in node ? [] : [{ ...node, pods: node.pods.map(readyForLong) }];
  });
}

/** Who is not named as unavailable is available, however long minReadySeconds is. */
const readyForLong = (pod: DaemonPod): DaemonPod =>
  pod.readySeconds === null ? pod : { ...pod, readySeconds: Number.POSITIVE_INFINITY };

function withoutTicks<Outcome extends { readonly startTicks: unknown }>({ startTicks: _, ...rest }: Outcome) {
  return rest;
}

function json(fields: object): string {
  return JSON.stringify(
    { schemaVersion: 1, tool: { name: "headroom", version: HEADROOM_VERSION }, ...fields },
    null,
    2,
  );
}
