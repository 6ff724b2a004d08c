import { z } from "zod";
import {
  AGENT_KINDS,
  type Agent,
  type AgentClient,
  type AgentInformer,
  REPRESENTATIONS,
} from "../domain/agents/agent.ts";
import { EVIDENCE_GRADES, type Evidence } from "../domain/agents/evidence.ts";
import type {
  AgentObservation,
  InformerObservation,
  LearnedAgent,
  LearnedInformer,
} from "../domain/agents/learn/learned-agents.ts";
import { INFORMER_CLIENTS } from "../domain/informers/clients.ts";

const count = () => z.int().min(0);
const seconds = () => z.number().min(0);
const instant = () => z.number().describe("Milliseconds since the epoch.");
const nullableText = () => z.string().nullable();

const EvidenceSchema = z.object({
  grade: z.enum(EVIDENCE_GRADES),
  source: z.string(),
  observedAt: instant().nullable(),
  citation: nullableText(),
  raisedBy: nullableText().describe("What would make it better known."),
  otherVersion: nullableText().optional(),
}) satisfies z.ZodType<Evidence>;

const ClientSchema = z.object({
  library: z.enum([...INFORMER_CLIENTS, "other"]),
  version: nullableText(),
  qps: z.number().nullable(),
  burst: z.number().nullable(),
  acceptsGzip: z.boolean().nullable(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentClient>;

const AgentInformerSchema = z.object({
  apiGroup: z.string().describe("Empty for the core group."),
  resource: z.string(),
  scope: z.enum(["cluster", "namespace", "own-node", "single-object"]),
  namespace: nullableText(),
  fieldSelector: nullableText().describe("$(NODE_NAME) stands for the copy's node."),
  labelSelector: nullableText(),
  representation: z
    .enum(REPRESENTATIONS)
    .nullable()
    .describe("The form asked for; null: audit logs do not show it."),
  mode: z.enum(["informer", "list", "poll", "watch", "get"]),
  periodSeconds: seconds().nullable(),
  resourceVersion: z.enum(["0", ""]).nullable(),
  pageSize: count().nullable(),
  watchList: z.boolean().nullable(),
  isLeaderOnly: z.boolean().optional(),
  container: nullableText().optional(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentInformer>;

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

const AgentSchema = z.object({
  id: z.string(),
  kind: z.enum(AGENT_KINDS),
  namespace: nullableText(),
  name: z.string(),
  userName: nullableText(),
  userGroups: z.array(z.string()),
  userAgent: nullableText(),
  image: nullableText(),
  version: nullableText(),
  replicas: z.union([
    z.object({ kind: z.literal("per-node"), count: count().nullable() }),
    z.object({ kind: z.literal("fixed"), count: count() }),
    z.object({ kind: z.literal("unknown") }),
  ]),
  client: ClientSchema,
  informers: z.array(AgentInformerSchema),
  isKnown: z.boolean(),
  conflicts: z.array(
    z.object({
      subject: z.string(),
      claims: z.array(z.object({ says: z.string(), evidence: EvidenceSchema })),
    }),
  ),
  labels: z.record(z.string(), z.string()).optional(),
  catalogueIds: z.array(z.string()).optional(),
  assumptions: z.array(z.string()).optional(),
}) satisfies z.ZodType<Agent>;

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
