import type { Agent } from "../../domain/agents/index.ts";
import { prepareStorm, trafficOfLearned } from "../../domain/scores/index.ts";
import {
  applyRemedies,
  type Band,
  type BandFigure,
  bandsOf,
  checkFlowSchema,
  compareRemedies,
  type FlowSchemaCheck,
  type LargestInvisible,
  largestInvisible,
  type OwnLevelObjects,
  ownLevelObjects,
  type RemedyComparison,
  rollNormally,
  type SafePace,
  type StartFigures,
  type StormBandSeries,
  type StormInput,
  type StormResult,
  safePace,
  simulateStorm,
  startFigures,
  summariseStorm,
  type VerdictName,
  type VerdictReason,
  worstVerdict,
} from "../../domain/storm/index.ts";
import type { StormFlags } from "../register/storm.ts";
import type { AgentSources, ReportCluster } from "./agents-sources.ts";
import type { NamedScenario } from "./storm-scenario.ts";

/** What a storm on one cluster came to. */
export interface StormAnswer {
  readonly cluster: ReportCluster;
  readonly nodes: number | null;
  /** Worst of the seeds; `null`: it could not be simulated. */
  readonly verdict: VerdictName | null;
  readonly simulated: Exclude<VerdictName, "inconclusive"> | null;
  /** Of the first seed with the worst verdict, without the doubts. */
  readonly reasons: readonly VerdictReason[];
  /** The one line for clusters on which nothing is seen. */
  readonly rollNormally: string | null;
  readonly agents: readonly { readonly id: string; readonly name: string; readonly copies: number }[];
  readonly seeds: readonly number[];
  readonly undrained: number;
  readonly verdicts: Readonly<Partial<Record<VerdictName, number>>>;
  readonly figures: Readonly<Record<BandFigure, Band | null>> | null;
  readonly series: StormBandSeries | null;
  readonly start: StartFigures | null;
  /** Of the first seed. */
  readonly neighbours: StormResult["neighbours"];
  readonly exempt: StormResult["exempt"];
  readonly collapse: StormResult["collapse"];
  readonly coefficients: StormResult["coefficients"];
  readonly doubts: readonly string[];
  readonly assumptions: readonly string[];
  readonly comparison: RemedyComparison | null;
  readonly largest: { readonly share: LargestInvisible; readonly nodes: LargestInvisible | null } | null;
  readonly pace: SafePace | null;
  readonly ownLevel: OwnLevelObjects | null;
  readonly check: FlowSchemaCheck | null;
  /** Why it could not be simulated. */
  readonly failure: string | null;
}

export interface StormQuestion {
  readonly cluster: ReportCluster;
  readonly agents: readonly Agent[];
  readonly learned: AgentSources["learned"];
  readonly scenario: NamedScenario;
  readonly flags: StormFlags;
  readonly now: number;
}

/** Simulates one cluster. What cannot be simulated is said in `failure`. */
export function answerStorm(question: StormQuestion): StormAnswer {
  const { cluster, flags } = question;
  const seeds = Array.from({ length: flags.seeds }, (_, index) => flags.seed + index);
  try {
    return simulated(question, seeds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...NOTHING, cluster, nodes: cluster.facts.nodes, seeds, failure: error.message };
  }
}

const NOTHING: Omit<StormAnswer, "cluster" | "nodes" | "seeds" | "failure"> = {
  verdict: null,
  simulated: null,
  reasons: [],
  rollNormally: null,
  agents: [],
  undrained: 0,
  verdicts: {},
  figures: null,
  series: null,
  start: null,
  neighbours: [],
  exempt: null,
  collapse: [],
  coefficients: [],
  doubts: [],
  assumptions: [],
  comparison: null,
  largest: null,
  pace: null,
  ownLevel: null,
  check: null,
};

function simulated(question: StormQuestion, seeds: readonly number[]): StormAnswer {
  const { cluster, agents, flags, scenario, learned } = question;
  const prepared = prepareStorm({
    agents,
    facts: cluster.facts,
    factDoubts: cluster.doubts,
    ...(flags.nodes === undefined ? {} : { nodes: flags.nodes }),
    now: question.now,
  });
  const { replicas } = flags;
  const asItIs: StormInput = {
    ...prepared.input,
    agents: prepared.input.agents.map((agent) => (replicas === undefined ? agent : { ...agent, replicas })),
    scenario: scenario.scenario,
    seed: flags.seed,
  };
  const remedied = applyRemedies(asItIs, flags.remedy ?? []);
  if (!remedied.isApplicable) throw new RangeError(remedied.reason);
  const { input } = remedied;
  const results = seeds.map((seed) => simulateStorm({ ...input, seed }));
  const bands = bandsOf(results.map(summariseStorm));
  const verdict = worstVerdict(bands);
  const figures = worstOf(results.map((each) => each.verdict.simulated));
  const decided = results.find((each) => each.verdict.simulated === figures);
  const [first] = results;
  const own = flags.remedy?.findLast((spec) => spec.name === "own-level");
  const ownLevel = own === undefined ? null : ownLevelObjects(asItIs, own.shares);
  const objects = typeof ownLevel === "string" ? null : ownLevel;
  const users = asItIs.agents.map(({ userName }) => userName);
  const traffic = trafficOfLearned(learned);
  return {
    ...NOTHING,
    cluster,
    nodes: flags.nodes ?? cluster.facts.nodes,
    verdict,
    simulated: figures,
    reasons: (decided?.verdict.reasons ?? []).filter(({ reason }) => reason !== "evidence"),
    rollNormally: rollNormally(bands),
    agents: input.agents.map((agent) => ({ id: agent.id, name: agent.name, copies: agent.replicas })),
    seeds,
    undrained: bands.undrained,
    verdicts: bands.verdicts,
    figures: bands.figures,
    series: bands.series,
    start: startFigures(input),
    neighbours: first?.neighbours ?? [],
    exempt: first?.exempt ?? null,
    collapse: first?.collapse ?? [],
    coefficients: first?.coefficients ?? [],
    doubts: input.doubts,
    assumptions: [...new Set([...(first?.assumptions ?? []), ...remedied.assumptions])],
    comparison: flags.remedies ? compareRemedies(input, seeds) : null,
    largest: flags.solve
      ? {
          share: largestInvisible(input, "share"),
          nodes: input.cluster.nodes > 0 ? largestInvisible(input, "nodes") : null,
        }
      : null,
    pace: flags.solve ? safePace(input) : null,
    ownLevel: objects,
    check:
      objects === null || traffic.length === 0
        ? null
        : checkFlowSchema(asItIs.cluster, objects, users, traffic),
    failure: null,
  };
}

type Simulated = Exclude<VerdictName, "inconclusive">;
const worstOf = (verdicts: readonly Simulated[]): Simulated =>
  (["unsafe", "visible"] as const).find((name) => verdicts.includes(name)) ?? "invisible";
