import type { Agent } from "../agents/agent.ts";
import { assessEvidence } from "../agents/assess-evidence.ts";
import type { AgentCost } from "../agents/cost/agent-cost.ts";
import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import { type Band, bandOf } from "../storm/bands.ts";
import { DEFAULT_STORM_MODEL } from "../storm/default-model.ts";
import { resolveStormAgent } from "../storm/resolve-agent.ts";
import { resolveStormCluster } from "../storm/resolve-cluster.ts";
import { simulateStorm } from "../storm/simulate-storm.ts";
import type { StormInput } from "../storm/storm-input.ts";
import type { StormResult } from "../storm/storm-result.ts";
import type { StartAllScenario } from "../storm/storm-scenario.ts";
import type { Verdict, VerdictName, VerdictReason } from "../storm/verdict.ts";

/** Changes when the same facts give other figures, so that stored projections are made anew. */
export const PROJECTION_MODEL = "2026-11-30";
/** All copies start within so many seconds, evenly spread. */
export const START_ALL: StartAllScenario = { kind: "start-all", windowSeconds: 2 };
/** Each agent is simulated with these, as far as the time for it reaches. */
export const PROJECTION_SEEDS: readonly number[] = [1, 2, 3, 4, 5];
/** An agent of at most so many bytes, for all copies, can be told to be invisible without a simulation. */
const TRIVIAL_BYTES = 10_000_000;

/** What starting all copies of an agent at once does to one cluster, over several seeds. */
export interface AgentProjection {
  readonly agentId: string;
  /** The worst over the seeds. */
  readonly verdict: VerdictName;
  /** What the figures alone say; differs only where `verdict` is `inconclusive`. */
  readonly simulated: Exclude<VerdictName, "inconclusive"> | null;
  /** What forced it, worst first, of the seed with the worst verdict. */
  readonly reasons: readonly VerdictReason[];
  /** Why it was not simulated; `null`: it was. */
  readonly skipped: string | null;
  readonly seeds: number;
  /** Seeds in which it does not drain, and those of them that collapse. */
  readonly undrained: number;
  readonly collapsed: number;
  /** From the first start until the last copy has all; `null`: in no seed, or not simulated. */
  readonly drainSeconds: Band | null;
  readonly rejected: Band | null;
  /** Highest p99 of a neighbour's wait. */
  readonly neighbourWaitSeconds: Band | null;
  readonly ownWaitSeconds: Band | null;
  /** Highest use of an API server's link; `null`: the link is not known. */
  readonly linkRatio: Band | null;
  /** What was assumed by the simulation, one sentence each. */
  readonly assumptions: readonly string[];
}

export interface AgentToProject {
  readonly agent: Agent;
  readonly cost: AgentCost;
  readonly facts: ClusterFacts;
  /** Why no verdict on any agent of this cluster should rest on the facts, one sentence each. */
  readonly clusterDoubts: readonly string[];
  /** Milliseconds since the epoch: evidence grows old. */
  readonly now: number;
  /** What is harmless by its cost is simulated all the same: for a curve, which needs its points. */
  readonly isSimulatedAlways?: boolean;
}

/** One storm of one seed, as a projection keeps it. */
export interface ProjectedStorm {
  readonly verdict: Verdict;
  readonly outcome: StormResult["drain"]["outcome"];
  readonly drainSeconds: number | null;
  readonly rejected: number;
  readonly neighbourWaitSeconds: number | null;
  readonly ownWaitSeconds: number | null;
  readonly linkRatio: number | null;
  readonly assumptions: readonly string[];
}

/** What has to be simulated for an agent, or why nothing has. */
export type PreparedAgent =
  | { readonly kind: "storm"; readonly agentId: string; readonly input: StormInput }
  | { readonly kind: "settled"; readonly projection: AgentProjection };

/** Makes an agent ready to be simulated; settles at once what needs no simulation. Seeds are set for each run. */
export function prepareAgent(question: AgentToProject): PreparedAgent {
  const { agent, cost, facts, clusterDoubts, now, isSimulatedAlways = false } = question;
  const { cluster, doubts: ofCluster } = resolveStormCluster(facts);
  const resolved = resolveStormAgent({ agent: openedAgent(agent, cost), cluster });
  const doubts = [
    ...new Set([
      ...clusterDoubts,
      ...ofCluster,
      ...assessEvidence(agent, now).doubts.map(({ text }) => text),
      ...resolved.doubts,
    ]),
  ];
  if (!agent.isKnown) return settled(agent, "inconclusive", "Nothing is known of what it reads.", doubts);
  if (resolved.agent.informers.length === 0) {
    return doubts.length > 0
      ? settled(agent, "inconclusive", "What it reads is not known well enough to be simulated.", doubts)
      : settled(agent, "invisible", "It reads no collection from the API server.", []);
  }
  const trivial = doubts.length > 0 || isSimulatedAlways ? null : whyTrivial(cost);
  if (trivial !== null) return settled(agent, "invisible", trivial, []);
  return {
    kind: "storm",
    agentId: agent.id,
    input: {
      cluster,
      agents: [resolved.agent],
      scenario: START_ALL,
      seed: PROJECTION_SEEDS[0] ?? 1,
      model: DEFAULT_STORM_MODEL,
      patienceSeconds: null,
      stepSeconds: null,
      hasProbes: true,
      doubts,
    },
  };
}

/** An agent that reads everything reads each collection that the cluster is known to have, as it is priced. */
const openedAgent = (agent: Agent, { informers }: AgentCost): Agent =>
  informers.length === agent.informers.length
    ? agent
    : { ...agent, informers: informers.map(({ informer }) => informer) };

/**
 * An agent whose seats, of all copies together, fit the idle limit of their level on a single API server waits for
 * nobody and makes nobody wait, however its copies are spread.
 */
function whyTrivial({ levels, total }: AgentCost): string | null {
  const [level] = levels;
  if (level === undefined || levels.length > 1 || total === null) return null;
  const { seatsAsked, capacity } = level;
  const isKnown = seatsAsked.isComplete && !seatsAsked.isUpperBound && total.wireBytes.isComplete;
  if (!isKnown || capacity === null || capacity.isExempt) return null;
  if (seatsAsked.value > capacity.idleSeats || total.wireBytes.value > TRIVIAL_BYTES) return null;
  return `Not simulated: all its ${seatsAsked.value} seats fit the ${capacity.idleSeats} idle seats of ${level.priorityLevelName} on one API server.`;
}

function settled(
  agent: Agent,
  verdict: "invisible" | "inconclusive",
  skipped: string,
  doubts: readonly string[],
): PreparedAgent {
  return {
    kind: "settled",
    projection: {
      agentId: agent.id,
      verdict,
      simulated: verdict === "invisible" ? "invisible" : null,
      reasons: doubts.map((text) => ({ reason: "evidence", verdict: "inconclusive", text })),
      skipped,
      seeds: 0,
      undrained: 0,
      collapsed: 0,
      drainSeconds: null,
      rejected: null,
      neighbourWaitSeconds: null,
      ownWaitSeconds: null,
      linkRatio: null,
      assumptions: agent.assumptions ?? [],
    },
  };
}

/** One storm. @throws {RangeError} where the input cannot be simulated: says which field and why. */
export function projectSeed(input: StormInput, seed: number): ProjectedStorm {
  const { verdict, drain, totals, neighbours, agents, peaks, assumptions } = simulateStorm({
    ...input,
    seed,
  });
  return {
    verdict,
    outcome: drain.outcome,
    drainSeconds: drain.seconds,
    rejected: totals.rejectedAll,
    neighbourWaitSeconds: highest(
      neighbours.filter(({ isOwnFlow }) => !isOwnFlow).map(({ waitSecondsP99 }) => waitSecondsP99),
    ),
    ownWaitSeconds: highest(agents.map(({ waitSeconds }) => waitSeconds?.p99 ?? null)),
    linkRatio: peaks.linkRatio,
    assumptions,
  };
}

const HARM: readonly VerdictName[] = ["unsafe", "inconclusive", "visible", "invisible"];
/** Reasons kept: the table shows the first, a panel the rest. */
const REASONS_MAX = 8;

/** What the storms of several seeds come to; at least one. */
export function joinSeeds(agentId: string, storms: readonly ProjectedStorm[]): AgentProjection {
  const worst = storms.reduce<ProjectedStorm | null>(
    (a, b) => (a === null || harmOf(b) < harmOf(a) ? b : a),
    null,
  );
  const band = (read: (storm: ProjectedStorm) => number | null) =>
    bandOf(storms.flatMap((storm) => read(storm) ?? []));
  return {
    agentId,
    verdict: worst?.verdict.verdict ?? "inconclusive",
    simulated: worst?.verdict.simulated ?? null,
    reasons: (worst?.verdict.reasons ?? []).slice(0, REASONS_MAX),
    skipped: null,
    seeds: storms.length,
    undrained: storms.filter(({ outcome }) => outcome !== "drained").length,
    collapsed: storms.filter(({ outcome }) => outcome === "collapse").length,
    drainSeconds: band(({ drainSeconds }) => drainSeconds),
    rejected: band(({ rejected }) => rejected),
    neighbourWaitSeconds: band(({ neighbourWaitSeconds }) => neighbourWaitSeconds),
    ownWaitSeconds: band(({ ownWaitSeconds }) => ownWaitSeconds),
    linkRatio: band(({ linkRatio }) => linkRatio),
    assumptions: worst?.assumptions ?? [],
  };
}

const harmOf = ({ verdict }: ProjectedStorm): number =>
  10 * HARM.indexOf(verdict.verdict) + HARM.indexOf(verdict.simulated);

const highest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? Number.NEGATIVE_INFINITY, b)), null);

/** An agent that the simulation cannot take: says why, decides nothing. */
export function unprojectable(agent: Agent, why: string): AgentProjection {
  const prepared = settled(agent, "inconclusive", why, [why]);
  if (prepared.kind !== "settled") throw new Error("settled");
  return prepared.projection;
}
