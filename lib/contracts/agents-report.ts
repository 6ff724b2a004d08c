import { z } from "zod";
import { EVIDENCE_GRADES } from "../domain/agents/evidence.ts";
import type {
  AgentCost,
  Amount,
  EvidenceAssessment,
  InformerCost,
  LevelCapacity,
  LevelDemand,
  MemoryCost,
  PricedStartRequest,
  StartCost,
  SteadyCost,
} from "../domain/agents/index.ts";
import {
  type AgentsScore,
  SCORE_SCENARIO_NAMES,
  type ScenarioScore,
  type ScoreFigures,
} from "../domain/scores/index.ts";
import { type Band, VERDICT_REASONS, VERDICTS, type VerdictReason } from "../domain/storm/index.ts";
import { AgentInformerSchema, AgentSchema } from "./agent-shapes.ts";

const number = () => z.number();
const ratio = () =>
  z.number().nullable().describe("1 is all of it; null: it has no limit, or it is not known.");
const sentences = (what: string) => z.array(z.string()).describe(what);

const AmountSchema = z
  .object({
    value: number(),
    isComplete: z.boolean().describe("False: some of it is not known, so that it is this much or more."),
    isUpperBound: z.boolean().describe("True: it is this much or less."),
  })
  .meta({ id: "Amount" }) satisfies z.ZodType<Amount>;

const StartCostSchema = z
  .object({
    requests: AmountSchema,
    seats: AmountSchema,
    handledObjects: AmountSchema,
    handledBytes: AmountSchema,
    receivedObjects: AmountSchema,
    receivedBytes: AmountSchema,
    wireBytes: AmountSchema,
  })
  .meta({ id: "StartCost" }) satisfies z.ZodType<StartCost>;

const LevelCapacitySchema = z.object({
  priorityLevelName: z.string(),
  isExempt: z.boolean(),
  idleSeats: number(),
  nominalSeats: number(),
  ceilingSeats: number(),
  maxRequestSeats: number(),
}) satisfies z.ZodType<LevelCapacity>;

const LevelDemandSchema = z.object({
  flowSchemaName: z.string(),
  priorityLevelName: z.string(),
  isOneFlow: z.boolean(),
  seatsAsked: AmountSchema,
  capacity: LevelCapacitySchema.nullable().describe("Of one API server."),
  ofIdleRatio: ratio(),
  ofNominalRatio: ratio(),
  ofCeilingRatio: ratio(),
}) satisfies z.ZodType<LevelDemand>;

const PricedStartRequestSchema = z.object({
  kind: z.enum(["list", "watch-list", "watch", "refused", "get", "page"]),
  request: z.string(),
  count: AmountSchema,
  seats: AmountSchema,
  source: z.string().nullable(),
  summary: z.string(),
}) satisfies z.ZodType<Omit<PricedStartRequest, "source"> & { readonly source: string | null }>;

const InformerCostSchema = z.object({
  informer: AgentInformerSchema,
  start: StartCostSchema,
  flow: z.object({
    flowSchemaName: z.string(),
    priorityLevelName: z.string(),
    flowDistinguisher: z.string(),
    seats: AmountSchema,
  }),
  requests: z.array(PricedStartRequestSchema),
  unknown: sentences("What is not known."),
  assumptions: sentences("What was assumed."),
}) satisfies z.ZodType<Omit<InformerCost, "requests">>;

const MemoryCostSchema = z.object({
  allocatedBytesPerStart: number(),
  mostExecuting: number(),
  peakBytesLow: number(),
  peakBytesHigh: number(),
  peakRatio: ratio(),
}) satisfies z.ZodType<MemoryCost>;

const SteadyCostSchema = z.object({
  openWatches: AmountSchema,
  watchRenewalsPerSecond: AmountSchema,
  listsPerSecond: AmountSchema,
  listBytesPerSecond: AmountSchema,
  listObjectsPerSecond: AmountSchema,
  eventsPerSecond: AmountSchema,
  eventBytesPerSecond: AmountSchema,
  widenedWrites: z.array(
    z.object({
      subject: z.string(),
      watchersPerServer: number(),
      finalSeats: number(),
      additionalLatencyMs: number(),
      seatSecondsPerWrite: number(),
      meanSeats: number().nullable(),
    }),
  ),
  unknown: sentences("What is not known."),
}) satisfies z.ZodType<SteadyCost>;

const AgentCostSchema = z
  .object({
    agentId: z.string(),
    copies: number().nullable(),
    perStart: StartCostSchema,
    total: StartCostSchema.nullable().describe("Copies × perStart; null: the number of copies is not known."),
    informers: z.array(InformerCostSchema),
    levels: z.array(LevelDemandSchema).describe("Most seats first."),
    linkSeconds: number().nullable(),
    memory: MemoryCostSchema.nullable(),
    steady: SteadyCostSchema.nullable(),
    grade: z.enum(EVIDENCE_GRADES).nullable(),
    isKnown: z.boolean().describe("False: nothing is known of what it reads; no figure is zero then."),
    unknown: sentences("What is not known."),
    assumptions: sentences("What was assumed."),
  })
  .meta({ id: "AgentCost" }) satisfies z.ZodType<Omit<AgentCost, "informers">>;

const AssessmentSchema = z.object({
  grade: z.enum(EVIDENCE_GRADES).nullable(),
  isInconclusive: z.boolean().describe("True: no verdict may rest on it."),
  doubts: z.array(
    z.object({
      reason: z.enum(["nothing-known", "bounded-only", "other-version", "too-old"]),
      text: z.string(),
    }),
  ),
  oldestAt: number().nullable(),
}) satisfies z.ZodType<EvidenceAssessment>;

const tool = z.object({ name: z.literal("headroom"), version: z.string() });
const instant = () => z.iso.datetime().nullable();

const ClusterOfReport = z.object({
  name: z.string().nullable().describe("null: no cluster was named, and nothing is known of one."),
  source: z.string().describe("context prod, store, cluster.yaml, none."),
  kubernetesVersion: z.string().nullable(),
  nodes: number().nullable(),
  apiServers: number().nullable(),
  observedAt: instant(),
  doubts: sentences("What speaks against its figures."),
});

const problems = z
  .array(
    z.object({
      file: z.string(),
      line: z.int().nullable(),
      column: z.int().nullable(),
      message: z.string(),
    }),
  )
  .describe("Inputs that could not be read, or only in part.");
const notRead = z
  .array(z.object({ cluster: z.string(), part: z.string(), message: z.string() }))
  .describe("Parts of clusters that could not be read.");

/** What `headroom agents list` and `show` print as JSON. Fields are added without a new `schemaVersion`, never taken away. */
export const AgentsReportSchema = z
  .object({
    schemaVersion: z.literal(1),
    tool,
    clusters: z.array(
      ClusterOfReport.extend({
        agents: z
          .array(
            z.object({
              agent: AgentSchema,
              assessment: AssessmentSchema,
              cost: AgentCostSchema,
              atNodes: z
                .array(z.object({ nodes: number(), cost: AgentCostSchema.nullable() }))
                .describe(
                  "At the numbers of nodes that were asked for; null: how many there are is not known.",
                ),
            }),
          )
          .describe("Most seats of all copies first; those whose cost is not known last."),
      }),
    ),
    problems,
    notRead,
  })
  .meta({ title: "Agents and what they cost" });
export type AgentsReport = z.output<typeof AgentsReportSchema>;

const BandSchema = z
  .object({ p5: number(), p50: number(), p95: number(), seeds: z.int() })
  .meta({ id: "Band" }) satisfies z.ZodType<Band>;

const ReasonSchema = z.object({
  reason: z.enum(VERDICT_REASONS),
  verdict: z.enum(VERDICTS),
  text: z.string(),
}) satisfies z.ZodType<VerdictReason>;

const simulated = z
  .enum(["invisible", "visible", "unsafe"])
  .nullable()
  .describe("What the figures say by themselves, whatever the evidence.");

const FiguresSchema = z.object({
  drainSeconds: BandSchema.nullable(),
  rejected: BandSchema.nullable(),
  timeouts: BandSchema.nullable(),
  neighbourWaitSecondsP99: BandSchema.nullable(),
  ownWaitSecondsP99: BandSchema.nullable(),
  linkRatio: BandSchema.nullable(),
  memoryBytes: BandSchema.nullable(),
}) satisfies z.ZodType<ScoreFigures>;

const ScenarioScoreSchema = z.object({
  scenario: z.enum(SCORE_SCENARIO_NAMES),
  verdict: z.enum(VERDICTS).nullable(),
  simulated,
  reasons: z.array(ReasonSchema),
  figures: FiguresSchema.nullable(),
  undrained: z.int().describe("Seeds that do not drain."),
  failure: z.string().nullable().describe("Why it cannot be simulated."),
}) satisfies z.ZodType<ScenarioScore>;

const ScoreSchema = z
  .object({
    verdict: z.enum(VERDICTS),
    simulated,
    doubts: sentences("Why the evidence carries no verdict."),
    costs: z.array(AgentCostSchema),
    scenarios: z.array(ScenarioScoreSchema),
    assumptions: sentences("What was assumed."),
  })
  .meta({ id: "Score" }) satisfies z.ZodType<Omit<AgentsScore, "costs">>;

/** What `headroom agents score` prints as JSON. Fields are added without a new `schemaVersion`, never taken away. */
export const AgentsScoreReportSchema = z
  .object({
    schemaVersion: z.literal(1),
    tool,
    verdict: z.enum(VERDICTS).describe("The worst of all clusters."),
    seeds: z.array(z.int()),
    agents: z.array(AgentSchema).describe("Those of the input, before they meet a cluster."),
    clusters: z.array(
      ClusterOfReport.extend({
        verdict: z.enum(VERDICTS),
        simulated,
        scores: z
          .array(
            z.object({
              nodes: number().nullable().describe("Nodes that the cluster is taken to have."),
              agents: z.array(z.string()).describe("Ids: one by itself, or all of the input together."),
              score: ScoreSchema,
            }),
          )
          .describe("Each agent by itself, then all together where there are several; by number of nodes."),
      }),
    ),
    problems,
    notRead,
  })
  .meta({ title: "Whether agents may go to clusters" });
export type AgentsScoreReport = z.output<typeof AgentsScoreReportSchema>;
