import {
  type Agent,
  type AgentCost,
  agentAtNodes,
  assessEvidence,
  costOfAgent,
  factsAtNodes,
} from "../agents/index.ts";
import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import {
  type Band,
  bandsOf,
  DEFAULT_STORM_MODEL,
  resolveStormAgent,
  resolveStormCluster,
  type StormInput,
  type StormModel,
  type StormResult,
  simulateStorm,
  summariseStorm,
  type VerdictName,
  type VerdictReason,
} from "../storm/index.ts";
import { SCORE_SCENARIOS, type ScoreScenario } from "./score-scenarios.ts";

/** What is asked: whether these agents, started together, may go to this cluster. */
export interface ScoreQuestion {
  /** At least one. */
  readonly agents: readonly Agent[];
  readonly facts: ClusterFacts;
  /** What else speaks against the facts, such as their age; one sentence each. */
  readonly factDoubts?: readonly string[] | undefined;
  /** Nodes that the cluster is to have; absent: as many as it has. */
  readonly nodes?: number | undefined;
  readonly scenarios: readonly ScoreScenario[];
  /** Integers, at least one: the same seeds give the same score. */
  readonly seeds: readonly number[];
  readonly model?: StormModel | undefined;
  /** Milliseconds since the epoch, by which evidence grows old. */
  readonly now: number;
}

/** One scenario over all seeds. */
export interface ScenarioScore {
  readonly scenario: ScoreScenario;
  /** The worst of the seeds; `null`: it cannot be simulated, see `failure`. */
  readonly verdict: VerdictName | null;
  /** What the figures say by themselves, whatever the evidence: the worst of the seeds. */
  readonly simulated: Exclude<VerdictName, "inconclusive"> | null;
  /** Of the first seed with the worst verdict, doubts about the evidence left out. */
  readonly reasons: readonly VerdictReason[];
  readonly figures: ScoreFigures | null;
  /** Seeds that do not drain. */
  readonly undrained: number;
  readonly failure: string | null;
}

/** Simulated throughout; each from the 5th to the 95th percentile of the seeds. `null`: no seed has it. */
export interface ScoreFigures {
  readonly drainSeconds: Band | null;
  readonly rejected: Band | null;
  readonly timeouts: Band | null;
  readonly neighbourWaitSecondsP99: Band | null;
  readonly ownWaitSecondsP99: Band | null;
  readonly linkRatio: Band | null;
  readonly memoryBytes: Band | null;
}

export interface AgentsScore {
  /** The worst of the scenarios. `inconclusive` where the evidence or the facts carry none, or none can be simulated. */
  readonly verdict: VerdictName;
  /** The worst of what the scenarios' figures say by themselves; `null`: none can be simulated. */
  readonly simulated: Exclude<VerdictName, "inconclusive"> | null;
  /** Why the evidence carries no verdict, one sentence each; empty where it does. */
  readonly doubts: readonly string[];
  /** One per agent, in their order, at the number of nodes that was asked for. */
  readonly costs: readonly AgentCost[];
  readonly scenarios: readonly ScenarioScore[];
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[];
}

/**
 * What becomes of a cluster on which these agents start: their costs, and a storm of each scenario and seed. Pure: equal
 * questions get equal answers.
 */
export function scoreAgents(question: ScoreQuestion): AgentsScore {
  const { input, costs } = prepareStorm(question);
  const { doubts } = input;
  const scenarios = question.scenarios.map((scenario) => scoreScenario(scenario, input, question.seeds));
  const verdicts = scenarios.flatMap(({ verdict }) => verdict ?? []);
  const isWhole = doubts.length === 0 && verdicts.length === scenarios.length && scenarios.length > 0;
  const simulated = worstVerdict(scenarios.flatMap((each) => each.simulated ?? []));
  return {
    verdict: isWhole ? (worstVerdict(verdicts) ?? "inconclusive") : "inconclusive",
    simulated: simulated === "inconclusive" ? null : simulated,
    doubts,
    costs,
    scenarios,
    assumptions: [
      ...new Set([
        ...costs.flatMap(({ assumptions }) => assumptions),
        ...input.cluster.assumptions,
        ...input.agents.flatMap(({ assumptions }) => assumptions),
        ...question.scenarios.map((scenario) => SCORE_SCENARIOS[scenario].assumption),
      ]),
    ],
  };
}

/** A storm of these agents on this cluster, but for the scenario and the seed. */
export interface PreparedStorm {
  readonly input: Omit<StormInput, "scenario" | "seed">;
  /** One per agent, in their order, at the number of nodes that was asked for. */
  readonly costs: readonly AgentCost[];
}

/** Agents and facts made ready for simulations; what stands against a verdict is in `input.doubts`. */
export function prepareStorm(question: Omit<ScoreQuestion, "scenarios" | "seeds">): PreparedStorm {
  const { now } = question;
  const { facts, agents, doubts: nodeDoubts } = atNodes(question);
  const costs = agents.map((agent) => costOfAgent(agent, facts));
  const resolved = resolveStormCluster(wholeObjects(facts));
  const resolvedAgents = agents.map((agent, index) => {
    const { copies = null, informers = [] } = costs[index] ?? {};
    return resolveStormAgent({
      // A bound of everything is simulated as what the cluster is known to have.
      agent: { ...agent, informers: informers.map(({ informer }) => informer) },
      cluster: resolved.cluster,
      ...(copies === null ? {} : { replicas: copies }),
    });
  });
  const doubts = [
    ...new Set([
      ...(question.factDoubts ?? []),
      ...nodeDoubts,
      ...resolved.doubts,
      ...agents.flatMap((agent) => evidenceDoubts(agent, agents.length, now)),
      ...agents.flatMap(wildcardDoubts),
      ...resolvedAgents.flatMap((each) => each.doubts),
    ]),
  ];
  const input = {
    cluster: resolved.cluster,
    agents: resolvedAgents.map(({ agent }) => agent),
    model: question.model ?? DEFAULT_STORM_MODEL,
    patienceSeconds: null,
    stepSeconds: null,
    hasProbes: true,
    doubts,
  };
  return { input, costs };
}

interface AtNodes {
  readonly facts: ClusterFacts;
  readonly agents: readonly Agent[];
  readonly doubts: readonly string[];
}

function atNodes({ agents, facts, nodes }: Pick<ScoreQuestion, "agents" | "facts" | "nodes">): AtNodes {
  if (nodes === undefined) return { facts, agents, doubts: [] };
  const grown = factsAtNodes(facts, nodes);
  if (grown !== null) {
    return { facts: grown, agents: agents.map((agent) => agentAtNodes(agent, facts, nodes)), doubts: [] };
  }
  return {
    facts: { ...facts, nodes },
    agents,
    doubts: ["How many nodes the cluster has now is not known: its collections are taken as they are."],
  };
}

/** Growth leaves fractions of objects. */
const wholeObjects = (facts: ClusterFacts): ClusterFacts => ({
  ...facts,
  nodes: facts.nodes === null ? null : Math.round(facts.nodes),
  collections: facts.collections.map((each) => ({
    ...each,
    objects: each.objects === null ? null : Math.round(each.objects),
  })),
});

const wildcardDoubts = ({ name, informers }: Agent): readonly string[] =>
  informers.some(({ apiGroup, resource }) => apiGroup === "*" || resource === "*")
    ? [`${name} may read all there is: only what the cluster is known to have is simulated.`]
    : [];

function evidenceDoubts(agent: Agent, agents: number, now: number): readonly string[] {
  const { doubts } = assessEvidence(agent, now);
  return doubts.map(({ text }) => (agents === 1 ? text : `${agent.name}: ${text}`));
}

function scoreScenario(
  scenario: ScoreScenario,
  input: Omit<StormInput, "scenario" | "seed">,
  seeds: readonly number[],
): ScenarioScore {
  let results: readonly StormResult[];
  try {
    results = seeds.map((seed) =>
      simulateStorm({ ...input, scenario: SCORE_SCENARIOS[scenario].scenario, seed }),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      scenario,
      verdict: null,
      simulated: null,
      reasons: [],
      figures: null,
      undrained: 0,
      failure: error.message,
    };
  }
  const verdict = worstVerdict(results.map((result) => result.verdict.verdict));
  const simulated = worstVerdict(results.map((result) => result.verdict.simulated));
  const worst = results.find((result) => result.verdict.simulated === simulated);
  const { figures, undrained } = bandsOf(results.map(summariseStorm));
  return {
    scenario,
    verdict,
    simulated: simulated === "inconclusive" ? null : simulated,
    reasons: (worst?.verdict.reasons ?? []).filter(({ reason }) => reason !== "evidence"),
    figures: {
      drainSeconds: figures.drainSeconds,
      rejected: figures.rejected,
      timeouts: figures.timeouts,
      neighbourWaitSecondsP99: figures.neighbourWaitSecondsP99,
      ownWaitSecondsP99: figures.ownWaitSecondsP99,
      linkRatio: figures.linkRatio,
      memoryBytes: figures.memoryBytes,
    },
    undrained,
    failure: null,
  };
}

/** `inconclusive` stands behind `unsafe`: nobody knows that it is not. */
const WORST_FIRST = [
  "unsafe",
  "inconclusive",
  "visible",
  "invisible",
] as const satisfies readonly VerdictName[];

/** `null`: there are none. */
export const worstVerdict = (verdicts: readonly VerdictName[]): VerdictName | null =>
  WORST_FIRST.find((each) => verdicts.includes(each)) ?? null;
