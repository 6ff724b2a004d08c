import { z } from "zod";
import {
  BusiestLevelSchema,
  ChartSeriesSchema,
  EventSchema,
  FrameSchema,
  InstantSchema,
  NotReadSchema,
  OwnCostSchema,
  OwnSeatsSchema,
  PartReportSchema,
  SeveritySchema,
} from "./common.ts";
import { ClusterStateSchema } from "./fleet.ts";

export const ServerSchema = z.object({
  id: z.string(),
  name: z.string(),
  hostname: z.string().nullable(),
  access: z.enum(["direct", "shared-address", "not-read"]),
  processStartAt: InstantSchema.nullable(),
  lastReadAt: InstantSchema.nullable(),
  gitVersion: z.string().nullable(),
});
export type Server = z.infer<typeof ServerSchema>;

/** Heads every cluster page: facts, tabs, what part is how old. */
export const ClusterHeaderSchema = z.object({
  clusterId: z.string(),
  name: z.string(),
  role: z.string().nullable(),
  state: ClusterStateSchema,
  version: z.string().nullable(),
  nodes: z.number().int().nullable(),
  pods: z.number().int().nullable(),
  apiServers: z.number().int().nullable(),
  apiServersRead: z.number().int().nullable(),
  dataAt: InstantSchema.nullable(),
  unreachableSince: InstantSchema.nullable(),
  isInsecure: z.boolean(),
  ownCost: OwnCostSchema.nullable(),
  /** Of the latest attempt at each part; `null` where nothing could be priced. */
  ownSeats: OwnSeatsSchema.nullable(),
  fairness: z.object({ severity: SeveritySchema, findings: z.number().int() }),
  /** Risk if all copies of an agent LIST at once, with how many agents decide it. */
  fanOut: z.object({ severity: SeveritySchema, findings: z.number().int() }),
  /** Names before and after in the fleet's order, for `[` and `]`. */
  previousClusterId: z.string().nullable(),
  nextClusterId: z.string().nullable(),
});
export type ClusterHeader = z.infer<typeof ClusterHeaderSchema>;

export const FindingSchema = z.object({
  severity: z.enum(["error", "warning", "info"]),
  /** Dotted rule name. */
  rule: z.string(),
  title: z.string(),
  subject: z.string(),
  happens: z.string(),
  sinceAt: InstantSchema.nullable(),
  href: z.string().nullable(),
});
export type Finding = z.infer<typeof FindingSchema>;

/** A figure that may not be known; says why, and what the API server assumes meanwhile. */
export const ReadingSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("known"), value: z.number() }),
  z.object({
    state: z.literal("unknown"),
    reason: z.enum(["minus-one", "absent", "not-published", "not-read"]),
    assumed: z.number().nullable(),
    assumedBecause: z.string().nullable(),
  }),
]);
export type ReadingValue = z.infer<typeof ReadingSchema>;

export const ResourceSizeRowSchema = z.object({
  group: z.string(),
  resource: z.string(),
  serverName: z.string(),
  objects: ReadingSchema,
  storedBytes: ReadingSchema,
});

export const OverviewResponseSchema = z.object({
  frame: FrameSchema,
  header: ClusterHeaderSchema,
  /** The worst thing; `null` when there is nothing to say. */
  notice: z
    .object({
      severity: SeveritySchema,
      lead: z.string(),
      text: z.string(),
      actions: z.array(z.object({ label: z.string(), href: z.string() })).max(2),
    })
    .nullable(),
  findings: z.array(FindingSchema),
  /** Agents by verdict, and the worst in one line; `null`: not simulated yet. */
  fanOut: z
    .object({
      at: InstantSchema,
      unsafe: z.number().int(),
      visible: z.number().int(),
      inconclusive: z.number().int(),
      worst: z.string().nullable(),
    })
    .nullable(),
  parts: z.array(PartReportSchema),
  servers: z.array(ServerSchema),
  serversNotRead: z.array(NotReadSchema),
  busiest: BusiestLevelSchema.nullable(),
  /** Executing seats and current limit of the busiest level on the busiest server, 24 h. */
  busiestSeries: z.array(ChartSeriesSchema),
  recentChanges: z.array(EventSchema),
  /** Per API server; `null` where not known. */
  capacity: z.object({
    totalNominalSeats: z.number().nullable(),
    busiestLevel: z
      .object({
        idleSeats: z.number().nullable(),
        nominalSeats: z.number().nullable(),
        currentLimitSeats: z.number().nullable(),
      })
      .nullable(),
    residentMemoryBytes: z.number().nullable(),
    storageBytes: z.number().nullable(),
    listCostModel: z.string().nullable(),
    watchListServer: z.string().nullable(),
  }),
  /** The largest collections by stored bytes, then objects, as the busiest server knows them; at most 20 of `resourcesTotal`. */
  resources: z.array(ResourceSizeRowSchema),
  resourcesTotal: z.number().int(),
  /** Feature gates that differ from this version's default are not known yet; these are the gates as published. */
  gates: z.object({ enabled: z.number().int(), total: z.number().int() }).nullable(),
});
export type OverviewResponse = z.infer<typeof OverviewResponseSchema>;

export const FairnessLevelRowSchema = z.object({
  priorityLevelName: z.string(),
  type: z.enum(["Exempt", "Limited"]).nullable(),
  /** `Reject` levels do not queue. */
  limitResponse: z.enum(["Queue", "Reject"]).nullable(),
  severity: SeveritySchema,
  nominalSeats: z.number().nullable(),
  minSeats: z.number().nullable(),
  maxSeats: z.number().nullable(),
  currentLimitSeats: z.number().nullable(),
  executingSeats: z.number().nullable(),
  waitingRequests: z.number().nullable(),
  /** Rejections in the window by reason; a reason is `null` where it cannot occur at this level, 0 where it did not. */
  rejected: z.object({
    queueFull: z.number().nullable(),
    timeOut: z.number().nullable(),
    concurrencyLimit: z.number().nullable(),
    windowSeconds: z.number(),
  }),
  waitP99: z.object({ seconds: z.number(), isAtLeast: z.boolean(), windowSeconds: z.number() }).nullable(),
});
export type FairnessLevelRow = z.infer<typeof FairnessLevelRowSchema>;

export const FairnessFlowRowSchema = z.object({
  priorityLevelName: z.string(),
  flowSchemaName: z.string(),
  flowDistinguisher: z.string(),
  executingRequests: z.number(),
  executingSeats: z.number(),
  waitingRequests: z.number(),
  queues: z.array(z.number()),
  longestWaitSeconds: z.number().nullable(),
  requestKinds: z.array(z.string()),
});

export const FairnessServerSchema = z.object({
  server: ServerSchema,
  observedAt: InstantSchema.nullable(),
  isEnabled: z.boolean(),
  levels: z.array(FairnessLevelRowSchema),
  flows: z.array(FairnessFlowRowSchema).nullable(),
  flowsObservedAt: InstantSchema.nullable(),
  rejectedPerSecond: z.number().nullable(),
});
export type FairnessServer = z.infer<typeof FairnessServerSchema>;

export const FairnessResponseSchema = z.object({
  frame: FrameSchema,
  header: ClusterHeaderSchema,
  notice: z.object({ severity: SeveritySchema, lead: z.string(), text: z.string() }).nullable(),
  part: PartReportSchema.nullable(),
  /** Every server known, read or not; never a sum or an average. The busiest is named. */
  servers: z.array(FairnessServerSchema),
  busiestServerId: z.string().nullable(),
  priorityLevels: z.array(z.record(z.string(), z.unknown())).nullable(),
  flowSchemas: z
    .array(
      z.object({
        name: z.string(),
        matchingPrecedence: z.number(),
        priorityLevelName: z.string(),
        distinguisherMethod: z.string().nullable(),
        isDangling: z.boolean(),
        autoupdateSpec: z.string().nullable(),
      }),
    )
    .nullable(),
  configurationApiVersion: z.string().nullable(),
  configurationReadAt: InstantSchema.nullable(),
});
export type FairnessResponse = z.infer<typeof FairnessResponseSchema>;
