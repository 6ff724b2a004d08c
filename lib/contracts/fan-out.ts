import { z } from "zod";
import type { Amount } from "../domain/agents/cost/amount.ts";
import { AgentSchema, ClusterFactsSchema, EvidenceGradeSchema } from "./agents.ts";
import { ClusterHeaderSchema } from "./cluster.ts";
import { FrameSchema, InstantSchema, PartReportSchema, SeveritySchema } from "./common.ts";
import { AgentProjectionSchema } from "./stored/fan-out.ts";

/** A figure of the cost model: this much, `isComplete` false: or more; `isUpperBound`: or less. */
export const AmountSchema = z.object({
  value: z.number(),
  isComplete: z.boolean(),
  isUpperBound: z.boolean(),
}) satisfies z.ZodType<Amount>;
export type AmountValue = z.infer<typeof AmountSchema>;

/** What a start costs, of one copy or of all. */
const StartSchema = z.object({
  requests: AmountSchema,
  seats: AmountSchema,
  /** In answers, before compression. */
  bytes: AmountSchema,
});

const LevelCapacitySchema = z.object({
  priorityLevelName: z.string(),
  isExempt: z.boolean(),
  idleSeats: z.number(),
  nominalSeats: z.number(),
  ceilingSeats: z.number(),
  maxRequestSeats: z.number(),
});

export const FanOutAgentSchema = z.object({
  agent: AgentSchema,
  /** `namespace/name`, or the name alone. */
  title: z.string(),
  /** Copies that read; `null`: not known. */
  copies: z.number().nullable(),
  perStart: StartSchema,
  /** Copies × per start, from unrounded figures. */
  total: StartSchema.nullable(),
  /** Levels its requests fall to, most seats first. */
  levels: z.array(
    z.object({
      priorityLevelName: z.string(),
      flowSchemaName: z.string(),
      isOneFlow: z.boolean(),
      seatsAsked: AmountSchema,
      ofCeilingRatio: z.number().nullable(),
    }),
  ),
  /** Seconds for which the links of all API servers are full; `null`: the link is not known. */
  linkSeconds: z.number().nullable(),
  /** The weakest of its informers: what the sums are known by. */
  grade: EvidenceGradeSchema.nullable(),
  /** What is not known, one phrase each. */
  unknown: z.array(z.string()),
  /** What the cost model assumed, one sentence each. */
  assumptions: z.array(z.string()),
  /** `null`: not simulated yet. */
  projection: AgentProjectionSchema.nullable(),
});
export type FanOutAgent = z.infer<typeof FanOutAgentSchema>;

export const CapacityRowSchema = z.object({
  priorityLevelName: z.string(),
  flows: z.enum(["one-each", "one-per-agent", "mixed"]),
  agents: z.number().int(),
  seatsAsked: AmountSchema,
  /** Of one API server; `null`: the level does not exist there. */
  capacity: LevelCapacitySchema.nullable(),
  apiServers: z.number().int(),
  ofCeilingRatio: z.number().nullable(),
  bytes: AmountSchema,
  linkSeconds: z.number().nullable(),
});
export type CapacityRowValue = z.infer<typeof CapacityRowSchema>;

export const ListPriceRowSchema = z.object({
  apiGroup: z.string(),
  resource: z.string(),
  objects: z.number().nullable(),
  objectBytes: z.number().nullable(),
  storedBytes: z.number().nullable(),
  cacheSeats: z.number().nullable(),
  pageSeats: z.number().nullable(),
  agents: z.number().int(),
  /** How count and size are known: as metrics of the API servers, or as counted and sampled by LISTs. */
  source: z.string(),
});
export type ListPriceRowValue = z.infer<typeof ListPriceRowSchema>;

/** The same agent on another cluster, as projected there. */
const ElsewhereSchema = z.object({
  agentId: z.string(),
  clusterId: z.string(),
  clusterName: z.string(),
  nodes: z.number(),
  version: z.string().nullable(),
  /** `null`: it does not drain there. */
  drainSeconds: z.number().nullable(),
});
export type Elsewhere = z.infer<typeof ElsewhereSchema>;

/** What each agent would cost if all its copies LISTed at once, and how far that is from what the control plane can give. */
export const FanOutResponseSchema = z.object({
  frame: FrameSchema,
  header: ClusterHeaderSchema,
  notice: z
    .object({ severity: SeveritySchema, lead: z.string(), text: z.string(), agentId: z.string().nullable() })
    .nullable(),
  inventory: PartReportSchema.nullable(),
  sizes: PartReportSchema.nullable(),
  /** `null`: the workloads were never read, and nothing below is known. */
  facts: ClusterFactsSchema.nullable(),
  /** Worst verdict first, then bytes. */
  agents: z.array(FanOutAgentSchema),
  /** Workloads that are no agents. */
  otherWorkloads: z.number().int(),
  /** Resources that agents read and that are not installed here. */
  absent: z.array(z.string()),
  /** Why no verdict should rest on the figures of this cluster, one sentence each. */
  doubts: z.array(z.string()),
  /** The stored simulation; `null`: there is none yet. */
  projection: z
    .object({
      at: InstantSchema,
      model: z.string(),
      seedsWanted: z.number().int(),
      windowSeconds: z.number(),
      /** False where the figures have changed since, and another is on its way. */
      isCurrent: z.boolean(),
    })
    .nullable(),
  capacity: z.array(CapacityRowSchema),
  /** Sums of the rows: seats, bytes, seconds of the network; `null` where not known. */
  capacityTotal: z.object({
    seatsAsked: AmountSchema,
    bytes: AmountSchema,
    linkSeconds: z.number().nullable(),
    nominalSeats: z.number().nullable(),
  }),
  /** Resources that agents read, largest first; some of `listsTotal`. */
  lists: z.array(ListPriceRowSchema),
  listsTotal: z.number().int(),
  elsewhere: z.array(ElsewhereSchema),
  /** The longest that a request may wait in its queue, seconds. */
  queueWaitLimitSeconds: z.number(),
});
export type FanOutResponse = z.infer<typeof FanOutResponseSchema>;
