import { z } from "zod";
import { AGENT_KINDS } from "../domain/agents/agent.ts";
import { VERDICTS } from "../domain/storm/verdict.ts";
import { AgentSchema, ClusterFactsSchema, EvidenceGradeSchema } from "./agents.ts";
import { ChartSeriesSchema, FrameSchema, InstantSchema } from "./common.ts";
import { AmountSchema } from "./fan-out.ts";

const VerdictSchema = z.enum(VERDICTS);

/** How many clusters have each verdict. */
const VerdictCountsSchema = z.object({
  unsafe: z.number().int(),
  visible: z.number().int(),
  inconclusive: z.number().int(),
  invisible: z.number().int(),
});
export type VerdictCounts = z.infer<typeof VerdictCountsSchema>;

/** An agent on one cluster, as last simulated there: start-all, every copy at once. */
export const AgentClusterRowSchema = z.object({
  clusterId: z.string(),
  clusterName: z.string(),
  nodes: z.number().nullable(),
  version: z.string().nullable(),
  copies: z.number().nullable(),
  /** Of one copy: total ÷ copies; `null`: not known. */
  perStartBytes: z.number().nullable(),
  perStartSeats: z.number().nullable(),
  /** Of all copies. */
  bytes: z.number().nullable(),
  verdict: VerdictSchema,
  simulated: VerdictSchema.nullable(),
  /** Medians over the seeds; `null`: not simulated, or it does not drain. */
  drainSeconds: z.number().nullable(),
  rejected: z.number().nullable(),
  neighbourWaitSeconds: z.number().nullable(),
  /** Seeds in which it does not drain. */
  undrained: z.number().int(),
  /** What decided, one sentence; `null`: nothing did, or it was not read. */
  reason: z.string().nullable(),
  /** When it was simulated. */
  at: InstantSchema,
});
export type AgentClusterRow = z.infer<typeof AgentClusterRowSchema>;

export const FleetAgentRowSchema = z.object({
  agentId: z.string(),
  /** `namespace/name`, or the name alone. */
  title: z.string(),
  kind: z.enum(AGENT_KINDS),
  /** Most copies first. */
  versions: z.array(
    z.object({ version: z.string().nullable(), clusters: z.number().int(), copies: z.number() }),
  ),
  /** Of the clusters where they are known. */
  copies: z.number(),
  clustersWithoutCopies: z.number().int(),
  verdicts: VerdictCountsSchema,
  /** Where it is worst. */
  worst: AgentClusterRowSchema,
});
export type FleetAgentRow = z.infer<typeof FleetAgentRowSchema>;

/** Agents of the fleet, worst verdict first. */
export const AgentsResponseSchema = z.object({
  frame: FrameSchema,
  agents: z.array(FleetAgentRowSchema),
  clusters: z.number().int(),
  /** Clusters of which a simulation is stored; the others are in no row. */
  clustersSimulated: z.number().int(),
});
export type AgentsResponse = z.infer<typeof AgentsResponseSchema>;

export const AgentQuerySchema = z.object({
  /** Id of the cluster to simulate on; absent: where it is worst. */
  cluster: z.string().min(1).max(253).optional(),
});
export type AgentQuery = z.infer<typeof AgentQuerySchema>;

/** What a browser simulates on. */
export const AgentSubjectSchema = z.object({
  clusterId: z.string(),
  clusterName: z.string(),
  agent: AgentSchema,
  facts: ClusterFactsSchema,
  copies: z.number().nullable(),
  perStart: z.object({ seats: AmountSchema, bytes: AmountSchema }),
  total: z.object({ seats: AmountSchema, bytes: AmountSchema }).nullable(),
  /** Where its requests fall, most seats first. */
  levels: z.array(
    z.object({ priorityLevelName: z.string(), flowSchemaName: z.string(), isOneFlow: z.boolean() }),
  ),
  grade: EvidenceGradeSchema.nullable(),
  /** What of its cost is not known, one phrase each. */
  unknown: z.array(z.string()),
  /** Why no verdict should rest on the cluster's figures, one sentence each. */
  doubts: z.array(z.string()),
  /** When the oldest of the figures was read. */
  observedAt: InstantSchema.nullable(),
  isStale: z.boolean(),
  /** Nodes of the cluster over 30 days; `null`: none is stored. */
  nodeHistory: ChartSeriesSchema.nullable(),
});
export type AgentSubject = z.infer<typeof AgentSubjectSchema>;

/** One agent over the fleet, and all that is needed to simulate it on one cluster. */
export const AgentResponseSchema = z.object({
  frame: FrameSchema,
  agentId: z.string(),
  title: z.string(),
  kind: z.enum(AGENT_KINDS),
  /** Worst verdict first. */
  clusters: z.array(AgentClusterRowSchema),
  verdicts: VerdictCountsSchema,
  /** `null`: the workloads of the cluster that was asked for were never read, or it does not run there. */
  subject: AgentSubjectSchema.nullable(),
  /** Cluster that was asked for or chosen; `null`: there is none. */
  clusterId: z.string().nullable(),
});
export type AgentResponse = z.infer<typeof AgentResponseSchema>;
