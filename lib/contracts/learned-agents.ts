import { z } from "zod";
import type {
  AgentObservation,
  InformerObservation,
  LearnedAgent,
  LearnedInformer,
} from "../domain/agents/learn/learned-agents.ts";
import { AgentInformerSchema, AgentSchema } from "./agent-shapes.ts";

const count = () => z.int().min(0);
const seconds = () => z.number().min(0);
const instant = () => z.number().describe("Milliseconds since the epoch.");

const CodesSchema = z.array(z.object({ code: z.int(), requests: count() }));
const PeakSchema = z.object({ requestsPerSecond: z.number(), at: instant() });
const RequestsSchema = z.array(z.object({ what: z.string(), requests: count() }));
const range = { firstAt: instant().nullable(), lastAt: instant().nullable() };

const InformerObservationSchema = z.object({
  ...range,
  lists: count().describe("Further pages apart."),
  pages: count(),
  watches: count(),
  watchLists: count(),
  gets: count(),
  resourceVersions: z.object({ zero: count(), unset: count(), exact: count() }),
  limits: z.array(z.object({ limit: z.int(), requests: count() })),
  copies: count(),
  isCopiesAtLeast: z.boolean(),
  namespaces: count(),
  names: count(),
  relists: count().describe("LISTs beyond the first of each copy."),
  expired: count().describe("410 Gone."),
  throttled: count().describe("429 Too Many Requests."),
  codes: CodesSchema,
  period: z
    .object({
      medianSeconds: seconds(),
      secondsP10: seconds(),
      secondsP90: seconds(),
      intervals: count(),
      isRegular: z.boolean(),
    })
    .nullable(),
  peak: PeakSchema.nullable(),
  peakOfOneCopy: PeakSchema.nullable(),
  durationSecondsP50: seconds().nullable(),
  durationSecondsP99: seconds().nullable(),
  queueWaitSecondsMax: seconds().nullable(),
}) satisfies z.ZodType<InformerObservation>;

const LearnedInformerSchema = AgentInformerSchema.extend({
  observed: InformerObservationSchema,
}) satisfies z.ZodType<LearnedInformer>;

const AgentObservationSchema = z.object({
  ...range,
  family: z.string().describe("The program of its user agent, without the version."),
  requests: count(),
  requestsPerSecond: z.number().nullable(),
  copiesBy: z.enum(["pod", "node", "address"]),
  copies: count(),
  isCopiesAtLeast: z.boolean(),
  userAgents: z.array(z.string()),
  workload: z
    .object({ kind: z.enum(["DaemonSet", "Deployment", "StatefulSet", "StaticPod"]), name: z.string() })
    .nullable(),
  make: z.string(),
  codes: CodesSchema,
  throttled: count(),
  throttledPeak: PeakSchema.nullable(),
  loops: z.array(
    z.object({ what: z.string(), requestsPerSecond: z.number(), at: instant(), seconds: count() }),
  ),
  writes: RequestsSchema,
  others: RequestsSchema,
  impersonated: count(),
  isComplete: z.boolean(),
}) satisfies z.ZodType<AgentObservation>;

/** An agent as an audit log shows it, as it is written and stored. */
export const LearnedAgentSchema = AgentSchema.extend({
  informers: z.array(LearnedInformerSchema),
  observed: AgentObservationSchema,
  notes: z.array(z.string()),
}) satisfies z.ZodType<LearnedAgent>;

/** What `headroom agents learn --output json` prints. Fields are added without a new `schemaVersion`, never taken away. */
export const LearnedAgentsFileSchema = z
  .object({
    schemaVersion: z.literal(1),
    tool: z.object({ name: z.literal("headroom"), version: z.string() }),
    ...range,
    log: z.object({
      files: z.array(z.object({ path: z.string(), events: count() })),
      skippedFiles: z.array(z.object({ path: z.string(), reason: z.string() })),
      bytes: count(),
      events: count(),
      duplicates: count().describe("Events that had come before: rotated files that overlap."),
      behindOtherText: count(),
      cutOffFiles: count(),
      problems: z
        .array(z.object({ file: z.string(), line: z.int().nullable(), problem: z.string() }))
        .describe("The first ones; problemCounts has all."),
      problemCounts: z.array(z.object({ problem: z.string(), count: count() })),
    }),
    requests: count().describe("Each counted once, whatever its stages."),
    otherEvents: count(),
    beyond: z
      .object({ agentRequests: count(), readRequests: count() })
      .describe("Requests beyond the bounds of memory: counted, but not learned from."),
    agents: z.array(LearnedAgentSchema).describe("Those who list most first."),
  })
  .meta({ title: "Agents learned from an audit log" });

export type LearnedAgentsFile = z.output<typeof LearnedAgentsFileSchema>;
