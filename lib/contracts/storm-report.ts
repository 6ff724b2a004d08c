import { z } from "zod";
import { REPRESENTATIONS } from "../domain/agents/agent.ts";
import {
  BAND_FIGURES,
  type Band,
  type CollapseEstimate,
  type FlowSchemaCheck,
  type LargestInvisible,
  REMEDY_EFFORTS,
  type RemedySavings,
  type RolloutTimeline,
  type SafePace,
  STORM_SCENARIO_KINDS,
  type StartFigures,
  type StormBandSeries,
  type StormNeighbour,
  type UsedCoefficients,
  VERDICT_REASONS,
  VERDICTS,
  type VerdictReason,
} from "../domain/storm/index.ts";

const number = () => z.number();
const sentences = (what: string) => z.array(z.string()).describe(what);
const verdict = () => z.enum(VERDICTS);

const BandSchema = z
  .object({ p5: number(), p50: number(), p95: number(), seeds: z.int() })
  .meta({ id: "Band" }) satisfies z.ZodType<Band>;

const FiguresSchema = z
  .object(
    Object.fromEntries(BAND_FIGURES.map((name) => [name, BandSchema.nullable()])) as Record<
      (typeof BAND_FIGURES)[number],
      z.ZodNullable<typeof BandSchema>
    >,
  )
  .describe("null: no seed has the figure. Units end the names.");

const SeriesSchema = z
  .object({
    stepSeconds: number(),
    executingSeats: z.array(BandSchema),
    limitSeats: z.array(BandSchema),
    waitingRequests: z.array(BandSchema),
    rejected: z.array(BandSchema),
    bytesPerSecond: z.array(BandSchema),
    memoryBytes: z.array(BandSchema),
  })
  .describe(
    "Of the busiest level on the busiest API server, one band a step.",
  ) satisfies z.ZodType<StormBandSeries>;

const ReasonSchema = z.object({
  reason: z.enum(VERDICT_REASONS),
  verdict: verdict(),
  text: z.string(),
}) satisfies z.ZodType<VerdictReason>;

const VerdictCounts = z.partialRecord(verdict(), z.int()).describe("Seeds by verdict.");

const StartSchema = z.object({
  copies: number(),
  requests: number(),
  seats: number(),
  wireBytes: number(),
  cpuSeconds: number(),
}) satisfies z.ZodType<StartFigures>;

const SavingsSchema = z
  .object({
    wireBytes: number(),
    wireBytesRatio: number().nullable(),
    seats: number(),
    cpuSeconds: number(),
    drainSeconds: number().nullable(),
    rejected: number().nullable(),
    neighbourWaitSeconds: number().nullable(),
    memoryBytes: number().nullable(),
  })
  .describe("Less than the storm as it is; negative: more.") satisfies z.ZodType<RemedySavings>;

const RowSchema = z.object({
  id: z.string().describe("As --remedy reads it; several joined by +."),
  title: z.string(),
  costs: sentences("What is lost or has to be borne."),
  effort: z.enum(REMEDY_EFFORTS).nullable().describe("Who has to change what, cheapest first."),
  verdict: verdict(),
  start: StartSchema,
  undrained: z.int(),
  verdicts: VerdictCounts,
  figures: FiguresSchema,
  saves: SavingsSchema,
  assumptions: sentences("What was assumed for it."),
});

const NeighbourSchema = z.object({
  priorityLevelName: z.string(),
  flowSchemaName: z.string(),
  flowDistinguisher: z.string(),
  sharesLevel: z.boolean(),
  isProbe: z.boolean(),
  queuesShared: z.int().nullable(),
  handSize: z.int().nullable(),
  isOwnFlow: z.boolean(),
  requests: z.int(),
  waitSecondsP50: number().nullable(),
  waitSecondsP99: number().nullable(),
  rejected: z.record(z.string(), z.int()),
  rejectedAll: z.int(),
}) satisfies z.ZodType<StormNeighbour>;

const CollapseSchema = z.object({
  priorityLevelName: z.string(),
  resource: z.string(),
  limitSeats: number(),
  seatsPerList: number(),
  executingAtOnce: number(),
  secondsPerList: number(),
  deadlineSeconds: number(),
  isPredicted: z.boolean(),
}) satisfies z.ZodType<CollapseEstimate>;

const CoefficientsSchema = z.object({
  resource: z.string(),
  representation: z.enum(REPRESENTATIONS),
  secondsPerList: number(),
  errorRatio: number(),
  provenance: z.string(),
  calibratedAt: number().nullable().describe("Milliseconds since the epoch; null: a default."),
}) satisfies z.ZodType<UsedCoefficients>;

const LargestSchema = z.object({
  by: z.enum(["share", "nodes"]),
  largest: number().nullable(),
  share: number().nullable(),
  next: number().nullable(),
  nextVerdict: verdict().nullable(),
  isExact: z.boolean(),
  simulations: z.int(),
}) satisfies z.ZodType<LargestInvisible>;

const PaceSchema = z.object({
  podsPerMinute: number().nullable(),
  isAtLeast: z.boolean(),
  next: number().nullable(),
  nextVerdict: verdict().nullable(),
  isExact: z.boolean(),
  scenarioPodsPerMinute: number().nullable(),
  isWithin: z.boolean().nullable(),
  maxUnavailable: number().nullable(),
  secondsPerPod: number().nullable(),
  simulations: z.int(),
}) satisfies z.ZodType<SafePace>;

const CaughtSchema = z.object({
  userName: z.string(),
  what: z.string(),
  requests: z.int(),
  peakSeats: number().nullable(),
  fromFlowSchemaName: z.string(),
  fromPriorityLevelName: z.string(),
});

const CheckSchema = z.object({
  requests: z.int(),
  caught: z.array(CaughtSchema.extend({ isIntended: z.boolean() })),
  missed: z.array(CaughtSchema),
  peakSeats: number().nullable(),
  nominalSeats: number(),
  isThrottled: z.boolean().nullable(),
}) satisfies z.ZodType<FlowSchemaCheck>;

const instant = () => z.iso.datetime().nullable();

const ClusterSchema = z.object({
  name: z.string().nullable(),
  source: z.string().describe("context prod, store, cluster.yaml."),
  kubernetesVersion: z.string().nullable(),
  nodes: number().nullable().describe("As they are."),
  apiServers: number().nullable(),
  observedAt: instant(),
  simulatedNodes: number().nullable().describe("As they were simulated."),
  verdict: verdict().nullable().describe("Worst of the seeds; null: it could not be simulated."),
  simulated: z
    .enum(["invisible", "visible", "unsafe"])
    .nullable()
    .describe("What the figures say by themselves, whatever the evidence."),
  reasons: z.array(ReasonSchema).describe("Of the first seed with the worst figures."),
  rollNormally: z.string().nullable().describe("The one line where nothing is seen."),
  agents: z.array(z.object({ id: z.string(), name: z.string(), copies: z.int() })),
  seeds: z.array(z.int()),
  undrained: z.int().describe("Seeds that do not drain."),
  verdicts: VerdictCounts,
  figures: FiguresSchema.nullable(),
  series: SeriesSchema.nullable(),
  start: StartSchema.nullable().describe("First requests of all copies."),
  neighbours: z.array(NeighbourSchema).describe("Of the first seed."),
  exempt: z
    .object({ p50Seconds: number(), p99Seconds: number(), maxSeconds: number() })
    .nullable()
    .describe("Latency of requests that skip the queues, first seed."),
  collapse: z.array(CollapseSchema),
  coefficients: z.array(CoefficientsSchema).describe("What the work of LISTs was reckoned with."),
  doubts: sentences("Why the evidence carries no verdict."),
  assumptions: sentences("What was assumed."),
  comparison: z
    .object({
      seeds: z.array(z.int()),
      asItIs: RowSchema,
      rows: z.array(RowSchema).describe("Best first."),
      notApplicable: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
    })
    .nullable()
    .describe("With --remedies."),
  largest: z
    .object({ share: LargestSchema, nodes: LargestSchema.nullable() })
    .nullable()
    .describe("With --solve."),
  pace: PaceSchema.nullable().describe("With --solve."),
  ownLevel: z
    .object({ nominalSeats: number(), manifests: z.array(z.record(z.string(), z.unknown())) })
    .nullable()
    .describe("With --remedy own-level: API objects."),
  check: CheckSchema.nullable().describe(
    "With --remedy own-level and --learned: whom they would have caught.",
  ),
  failure: z.string().nullable().describe("Why it could not be simulated."),
});

const TimelineSchema = z.object({
  stages: z.array(
    z.object({
      startsAtSeconds: number(),
      clusters: z.array(z.string()),
      breaksAtSeconds: number().nullable(),
      noticedAtSeconds: number().nullable(),
      noticedBy: z.string().nullable(),
      soakSeconds: number(),
      isFoundInSoak: z.boolean().nullable(),
    }),
  ),
  noticedAtSeconds: number().nullable(),
  brokenWhenNoticed: z.array(z.string()),
  neededSoakSeconds: number(),
}) satisfies z.ZodType<RolloutTimeline>;

/** What `headroom storm` prints as JSON. Fields are added without a new `schemaVersion`, never taken away. */
export const StormReportSchema = z
  .object({
    schemaVersion: z.literal(1),
    tool: z.object({ name: z.literal("headroom"), version: z.string() }),
    verdict: verdict().nullable().describe("The worst of all clusters; null: none could be simulated."),
    scenario: z.looseObject({ kind: z.enum(STORM_SCENARIO_KINDS), text: z.string() }),
    remedies: z.array(z.string()).describe("Applied before it was simulated, in this order."),
    clusters: z.array(ClusterSchema),
    replay: z
      .object({
        name: z.string(),
        title: z.string(),
        lines: sentences("What happened when, for people."),
        timeline: TimelineSchema.nullable(),
        staged: TimelineSchema.nullable().describe("The same with one cluster after the other."),
      })
      .nullable()
      .describe("With --example."),
    problems: z
      .array(
        z.object({
          file: z.string(),
          line: z.int().nullable(),
          column: z.int().nullable(),
          message: z.string(),
        }),
      )
      .describe("Inputs that could not be read, or only in part."),
    notRead: z
      .array(z.object({ cluster: z.string(), part: z.string(), message: z.string() }))
      .describe("Parts of clusters that could not be read."),
  })
  .meta({ title: "A simulated storm" });
export type StormReport = z.output<typeof StormReportSchema>;
