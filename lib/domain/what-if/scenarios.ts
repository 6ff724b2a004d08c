import { ASSUMED_DURATIONS } from "../rollout/pod-durations.ts";
import type { PodPace, StormScenario } from "../storm/storm-scenario.ts";

/** Ways in which the copies of an agent come to ask at once, in the order in which a page lists them. */
export const WHAT_IF_SCENARIOS = [
  "start-all",
  "first-rollout",
  "rolling-10",
  "rolling-1",
  "rolling-unavailable",
  "batches",
  "node-scale-out",
  "crash-recovery",
  "server-restart",
  "server-loss",
] as const;
export type WhatIfScenario = (typeof WHAT_IF_SCENARIOS)[number];

/** What a scenario is made from. */
export interface ScenarioQuestion {
  readonly nodes: number;
  readonly apiServers: number;
  readonly replicas: number;
}

export interface OfferedScenario {
  readonly name: WhatIfScenario;
  readonly title: string;
  /** What it stands for and what was assumed, in a few words. */
  readonly note: string;
  readonly scenario: StormScenario;
}

/** 20 requests a second and a burst of 30: the client of the controller manager by default. */
const PACE: PodPace = {
  controller: { qps: 20, burst: 30 },
  durations: ASSUMED_DURATIONS,
  jitterRatio: 0.5,
};
/** Nodes that a scale-out adds, of those there are, and how many a minute. */
const ADDED_RATIO = 0.1;
const NODES_PER_MINUTE = 100;
const BATCH_RATIO = 0.1;
const BATCH_SECONDS = 60;
const RESTART_SECONDS = 30;
const START_ALL_SECONDS = 2;

const rolling = (question: ScenarioQuestion, maxUnavailable: string, isHealthy: boolean): StormScenario => ({
  ...PACE,
  kind: "rolling-update",
  maxUnavailable,
  maxSurge: 0,
  minReadySeconds: 0,
  unavailable: isHealthy ? 0 : question.replicas,
});

/** The scenarios that can happen on such a cluster: the loss of one API server needs another. */
export function offerScenarios(question: ScenarioQuestion): readonly OfferedScenario[] {
  const { nodes, apiServers, replicas } = question;
  const addedNodes = Math.max(1, Math.round(nodes * ADDED_RATIO));
  const batchSize = Math.max(1, Math.ceil(replicas * BATCH_RATIO));
  const offered: readonly OfferedScenario[] = [
    {
      name: "start-all",
      title: `Start-all: every copy within ${START_ALL_SECONDS} s`,
      note: "upper bound; config reload, power event",
      scenario: { kind: "start-all", windowSeconds: START_ALL_SECONDS },
    },
    {
      name: "first-rollout",
      title: "First rollout",
      note: "created at 20 pods/s by the controller",
      scenario: { ...PACE, kind: "first-rollout" },
    },
    {
      name: "rolling-10",
      title: "Rolling update, healthy, 10 %",
      note: "maxUnavailable 10 %, every old copy Available",
      scenario: rolling(question, "10%", true),
    },
    {
      name: "rolling-1",
      title: "Rolling update, healthy, 1 %",
      note: "maxUnavailable 1 %, every old copy Available",
      scenario: rolling(question, "1%", true),
    },
    {
      name: "rolling-unavailable",
      title: "Rolling update, all unavailable",
      note: "old copies that are not Available are outside the budget",
      scenario: rolling(question, "10%", false),
    },
    {
      name: "batches",
      title: "OnDelete, a tenth at a time",
      note: `${batchSize} copies at once, every ${BATCH_SECONDS} s`,
      scenario: { kind: "batches", batchSize, intervalSeconds: BATCH_SECONDS },
    },
    {
      name: "node-scale-out",
      title: `Node scale-out, + ${addedNodes} ${addedNodes === 1 ? "node" : "nodes"}`,
      note: `${NODES_PER_MINUTE} nodes per minute, one copy each`,
      scenario: { kind: "node-scale-out", addedNodes, nodesPerMinute: NODES_PER_MINUTE },
    },
    {
      name: "crash-recovery",
      title: "Recovery from a crash loop",
      note: "crash-looping for 10 min, then the cause is gone",
      scenario: {
        kind: "crash-recovery",
        initialSeconds: 10,
        capSeconds: 300,
        runSeconds: 5,
        crashedSeconds: 600,
        spreadSeconds: 60,
      },
    },
    {
      name: "server-restart",
      title: "Restart of one API server",
      note: `${RESTART_SECONDS} s away; if no watch resumes`,
      scenario: {
        kind: "api-server-restart",
        servers: [0],
        downSeconds: RESTART_SECONDS,
        resumedRatio: 0,
      },
    },
    {
      name: "server-loss",
      title: "Loss of one API server",
      note: "its copies move to the others; if no watch resumes",
      scenario: { kind: "api-server-loss", server: 0, noticedWithinSeconds: 2, resumedRatio: 0 },
    },
  ];
  return apiServers > 1 ? offered : offered.filter(({ name }) => name !== "server-loss");
}
