import { z } from "zod";
import type {
  FairnessPart,
  FlowSample,
  FlowSchemaObject,
  LevelSample,
  PriorityLevelObject,
} from "../../domain/fairness/fairness-part.ts";

const nullableNumber = z.number().nullable();

const LevelSchema = z.object({
  priorityLevelName: z.string(),
  nominalSeats: nullableNumber,
  minSeats: nullableNumber,
  maxSeats: nullableNumber,
  currentLimitSeats: nullableNumber,
  executingSeats: nullableNumber,
  executingRequests: nullableNumber,
  waitingRequests: nullableNumber,
  waitingSeats: nullableNumber,
  demandSeatsSmoothed: nullableNumber,
  rejectedTotal: z.record(z.string(), z.number()),
  dispatchedTotal: nullableNumber,
  rejectedPerSecond: nullableNumber,
  dispatchedPerSecond: nullableNumber,
  waitP99: z.object({ seconds: z.number(), isAtLeast: z.boolean(), windowSeconds: z.number() }).nullable(),
}) satisfies z.ZodType<LevelSample>;

const FlowSchema = z.object({
  priorityLevelName: z.string(),
  flowSchemaName: z.string(),
  flowDistinguisher: z.string(),
  executingRequests: z.number(),
  executingSeats: z.number(),
  waitingRequests: z.number(),
  waitingSeats: z.number(),
  queues: z.array(z.number()),
  longestWaitSeconds: nullableNumber,
  requestKinds: z.array(z.string()),
}) satisfies z.ZodType<FlowSample>;

export const PriorityLevelObjectSchema = z.object({
  name: z.string(),
  type: z.enum(["Exempt", "Limited"]),
  nominalConcurrencyShares: nullableNumber,
  lendablePercent: nullableNumber,
  borrowingLimitPercent: nullableNumber,
  limitResponse: z.enum(["Queue", "Reject"]).nullable(),
  queues: nullableNumber,
  handSize: nullableNumber,
  queueLengthLimit: nullableNumber,
  autoupdateSpec: z.string().nullable(),
  generation: nullableNumber,
  managers: z.array(z.string()).readonly().optional(),
}) satisfies z.ZodType<PriorityLevelObject>;

export const FlowSchemaObjectSchema = z.object({
  name: z.string(),
  matchingPrecedence: z.number(),
  priorityLevelName: z.string(),
  distinguisherMethod: z.enum(["ByUser", "ByNamespace"]).nullable(),
  rules: z.array(z.unknown()),
  autoupdateSpec: z.string().nullable(),
  isDangling: z.boolean(),
  generation: nullableNumber,
  managers: z.array(z.string()).readonly().optional(),
}) satisfies z.ZodType<FlowSchemaObject>;

/** The fairness part as stored. */
export const StoredFairnessSchema = z.object({
  servers: z.array(
    z.object({
      serverId: z.string(),
      observedAt: z.number(),
      isEnabled: z.boolean(),
      levels: z.array(LevelSchema),
      flows: z.array(FlowSchema).nullable(),
      flowsObservedAt: nullableNumber,
    }),
  ),
  priorityLevels: z.array(PriorityLevelObjectSchema).nullable(),
  flowSchemas: z.array(FlowSchemaObjectSchema).nullable(),
  configurationReadAt: nullableNumber,
  configurationApiVersion: z.string().nullable(),
}) satisfies z.ZodType<FairnessPart>;
