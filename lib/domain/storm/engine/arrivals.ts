import type { ClientRate } from "../../rollout/client-rate-limit.ts";
import { ClientRateLimit } from "../../rollout/client-rate-limit.ts";
import { crashLoopStarts } from "../../rollout/crash-loop.ts";
import { DaemonSetRollout } from "../../rollout/daemonset-rollout.ts";
import { daemonSetRules } from "../../rollout/daemonset-rules.ts";
import { DeploymentRollout } from "../../rollout/deployment-rollout.ts";
import { resolveDeploymentLimits } from "../../rollout/deployment-step.ts";
import { parseIntOrPercent, resolveIntOrPercent } from "../../rollout/int-or-percent.ts";
import type { NodeState } from "../../rollout/node-states.ts";
import { processSeconds, type Spread, spreadTicks } from "../../rollout/pod-durations.ts";
import { sendSlowStart } from "../../rollout/slow-start.ts";
import { StatefulSetRollout } from "../../rollout/statefulset-rollout.ts";
import {
  type ReplicaState,
  resolveStatefulSetLimit,
  statefulSetRules,
} from "../../rollout/statefulset-step.ts";
import { TICKS_PER_SECOND, type Tick, toTicks } from "../../rollout/ticks.ts";
import type { StormAgent, StormCluster } from "../storm-input.ts";
import type { PodPace, RollingUpdateScenario, StormScenario } from "../storm-scenario.ts";

/** Starts of one agent's copies, in ticks, ascending. */
export interface AgentStarts {
  readonly ticks: readonly Tick[];
  /** What was taken for granted on the way, one sentence each. */
  readonly notes: readonly string[];
}

export interface ArrivalsInput {
  readonly cluster: StormCluster;
  readonly agent: StormAgent;
  readonly scenario: StormScenario;
  /** Agents of the scenario: they share the controller's client. */
  readonly agents: number;
  readonly random: () => number;
}

/** A rollout longer than a week is not looked at to its end. */
const LIMIT_SECONDS = 7 * 86_400;
/** A call of the controller, as the rollout plans assume it. */
const REQUEST_SECONDS = 0.01;

/**
 * When the processes of an agent's copies start. Scenarios in which copies run already and lose their API server start
 * nobody: empty. The start-up jitter of the agent is in it.
 */
export function startTicks(input: ArrivalsInput): AgentStarts {
  const { agent, random } = input;
  const { ticks, notes } = scenarioTicks(input);
  const jitter = toTicks(agent.startJitterSeconds);
  const jittered = jitter === 0 ? ticks : ticks.map((tick) => tick + Math.floor(random() * jitter));
  return { ticks: Array.from(Float64Array.from(jittered).sort()), notes };
}

function scenarioTicks(input: ArrivalsInput): AgentStarts {
  const { agent, scenario, random } = input;
  const copies = agent.replicas;
  switch (scenario.kind) {
    case "start-all":
      return just(spreadEvenly(copies, toTicks(scenario.windowSeconds), random));
    case "first-rollout":
      return firstRollout(input, scenario);
    case "rolling-update":
      return rollingUpdate(input, scenario);
    case "batches": {
      const interval = toTicks(scenario.intervalSeconds);
      return just(
        Array.from({ length: copies }, (_, copy) => Math.floor(copy / scenario.batchSize) * interval),
      );
    }
    case "crash-recovery": {
      const rules = {
        initialSeconds: scenario.initialSeconds,
        capSeconds: scenario.capSeconds,
        resetSeconds: 600,
      };
      const until =
        scenario.crashedSeconds + scenario.spreadSeconds + 2 * scenario.capSeconds + scenario.runSeconds;
      const restarts = crashLoopStarts(rules, scenario.runSeconds, until).map(toTicks);
      const crashed = toTicks(scenario.crashedSeconds);
      const first = spreadEvenly(copies, toTicks(scenario.spreadSeconds), random);
      return just(first.map((start) => nextRestart(restarts, crashed - start) - (crashed - start)));
    }
    case "node-scale-out": {
      const gap = (60 * TICKS_PER_SECOND) / scenario.nodesPerMinute;
      return just(
        Array.from({ length: scenario.addedNodes }, (_, node) => Math.floor((node + random()) * gap)),
      );
    }
    case "api-server-restart":
    case "api-server-loss":
      return just([]);
  }
}

const just = (ticks: readonly Tick[]): AgentStarts => ({ ticks, notes: [] });

/** At random within a window, each copy on its own. */
function spreadEvenly(copies: number, window: Tick, random: () => number): Tick[] {
  return Array.from({ length: copies }, () => (window === 0 ? 0 : Math.floor(random() * window)));
}

/** The first restart at or after a tick since the first crash. `restarts` ascends. */
function nextRestart(restarts: readonly Tick[], since: Tick): Tick {
  let low = 0;
  let high = restarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((restarts[middle] ?? 0) < since) low = middle + 1;
    else high = middle;
  }
  return restarts[low] ?? restarts.at(-1) ?? since;
}

function firstRollout(input: ArrivalsInput, pace: PodPace): AgentStarts {
  const { agent, cluster, random } = input;
  const { replicas, kind } = agent;
  const client = sharedClient(pace.controller, input.agents);
  const created = (): readonly Tick[] => {
    if (replicas === 0) return [];
    if (kind === "StatefulSet") {
      return statefulSetCreations(
        input,
        pace,
        Array.from({ length: replicas }, () => "missing" as const),
        0,
      );
    }
    if (kind === "Deployment") {
      const ticks: Tick[] = [];
      const limit = new ClientRateLimit(client);
      const requestTicks = toTicks(REQUEST_SECONDS);
      sendSlowStart({ count: replicas, from: 0, requestTicks }, limit, (tick) => ticks.push(tick));
      return ticks;
    }
    return daemonSetCreations({
      nodes: new Array<NodeState>(replicas).fill("empty"),
      maxUnavailable: 1,
      maxSurge: 0,
      minReadySeconds: 0,
      cluster,
      pace,
      client,
      random,
    });
  };
  return { ticks: running(created(), pace, random), notes: controllerNotes(input) };
}

function rollingUpdate(input: ArrivalsInput, scenario: RollingUpdateScenario): AgentStarts {
  const { agent, cluster, random } = input;
  const { replicas, kind } = agent;
  if (replicas === 0) return just([]);
  const unavailable = Math.min(replicas, scenario.unavailable);
  const client = sharedClient(scenario.controller, input.agents);
  const maxSurge = readLimit(scenario.maxSurge, "maxSurge");
  const maxUnavailable = readLimit(scenario.maxUnavailable, "maxUnavailable");
  const common = { ...timing(scenario, random), client, minReadySeconds: scenario.minReadySeconds };
  const notes = controllerNotes(input);
  if (kind === "Deployment") {
    const { startTicks: ticks } = new DeploymentRollout({
      ...common,
      replicas,
      oldUnavailable: unavailable,
      strategy: {
        kind: "rolling-update",
        limits: resolveDeploymentLimits(replicas, maxSurge, maxUnavailable),
      },
      newPods: "healthy",
    }).run();
    return { ticks: running(ticks, scenario, random), notes };
  }
  if (kind === "StatefulSet") {
    const states = Array.from(
      { length: replicas },
      (_, ordinal): ReplicaState => (ordinal >= replicas - unavailable ? "old-not-ready" : "old-available"),
    );
    const limit = resolveStatefulSetLimit(maxUnavailable, replicas);
    return { ticks: running(statefulSetCreations(input, scenario, states, limit), scenario, random), notes };
  }
  const surge = resolveIntOrPercent(maxSurge, replicas);
  const ticks = daemonSetCreations({
    nodes: Array.from(
      { length: replicas },
      (_, node): NodeState => (node < unavailable ? "old-unavailable" : "old-available"),
    ),
    maxSurge: surge,
    // Exactly one of the two is above 0.
    maxUnavailable: surge > 0 ? 0 : Math.max(1, resolveIntOrPercent(maxUnavailable, replicas)),
    minReadySeconds: scenario.minReadySeconds,
    cluster,
    pace: scenario,
    client,
    random,
  });
  return { ticks: running(ticks, scenario, random), notes };
}

interface DaemonSetCreations {
  readonly nodes: readonly NodeState[];
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  readonly minReadySeconds: number;
  readonly cluster: StormCluster;
  readonly pace: PodPace;
  readonly client: ClientRate;
  readonly random: () => number;
}

function daemonSetCreations(input: DaemonSetCreations): readonly Tick[] {
  return new DaemonSetRollout({
    ...timing(input.pace, input.random),
    nodes: input.nodes,
    maxUnavailable: input.maxUnavailable,
    maxSurge: input.maxSurge,
    minReadySeconds: input.minReadySeconds,
    rules: daemonSetRules(input.cluster.kubernetesVersion),
    newPods: { kind: "healthy" },
    client: input.client,
  }).run().startTicks;
}

function statefulSetCreations(
  input: ArrivalsInput,
  pace: PodPace & { readonly minReadySeconds?: number },
  replicas: readonly ReplicaState[],
  maxUnavailable: number,
): readonly Tick[] {
  return new StatefulSetRollout({
    ...timing(pace, input.random),
    replicas,
    limits: {
      isParallel: false,
      partition: 0,
      maxUnavailable: Math.max(1, maxUnavailable),
      rules: statefulSetRules(input.cluster.kubernetesVersion),
    },
    minReadySeconds: pace.minReadySeconds ?? 0,
    newPods: "healthy",
    client: sharedClient(pace.controller, input.agents),
  }).run().startTicks;
}

/** From the creation of a pod until its process runs. */
function running(created: readonly Tick[], pace: PodPace, random: () => number): readonly Tick[] {
  const seconds = processSeconds(pace.durations);
  const spread = spreadOf(pace, random);
  return created.map((tick) => tick + spreadTicks(seconds, spread));
}

const timing = (pace: PodPace, random: () => number) => ({
  durations: pace.durations,
  requestSeconds: REQUEST_SECONDS,
  limitSeconds: LIMIT_SECONDS,
  spread: spreadOf(pace, random),
});

const spreadOf = ({ jitterRatio }: PodPace, random: () => number): Spread => ({ jitterRatio, random });

/** All workloads of a controller share its bucket. */
const sharedClient = ({ qps, burst }: ClientRate, agents: number): ClientRate => ({
  qps: qps / agents,
  burst: Math.max(1, Math.floor(burst / agents)),
});

function readLimit(value: number | string, name: string): number | string {
  const read = parseIntOrPercent(value);
  if (read === null)
    throw new RangeError(`${name} must be a whole number or a percentage from 0% to 100%, not ${value}.`);
  return read;
}

const CONTROLLED = ["DaemonSet", "Deployment", "StatefulSet"];

function controllerNotes({ agent, agents }: ArrivalsInput): readonly string[] {
  const notes: string[] = [];
  if (agents > 1)
    notes.push("The agents' rollouts begin together and share the controller's requests evenly.");
  if (!CONTROLLED.includes(agent.kind))
    notes.push(`${agent.name} is no workload that a controller replaces: it is taken for a DaemonSet.`);
  return notes;
}
