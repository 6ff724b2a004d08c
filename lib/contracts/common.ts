import { z } from "zod";
import { EVENT_KINDS, SEVERITIES } from "../domain/clusters/event.ts";
import { PART_NAMES, READ_FAILURE_REASONS } from "../domain/clusters/part.ts";

/** Milliseconds since the epoch. */
export const InstantSchema = z.number().int().nonnegative();
export const SeveritySchema = z.enum(SEVERITIES);
export type SeverityValue = z.infer<typeof SeveritySchema>;
export const PartNameSchema = z.enum(PART_NAMES);

export const ReadFailureSchema = z.object({
  reason: z.enum(READ_FAILURE_REASONS),
  verb: z.string().nullable(),
  path: z.string().nullable(),
  status: z.number().int().nullable(),
  message: z.string(),
  retryAfterSeconds: z.number().nullable(),
});

export const NotReadSchema = z.object({
  what: z.string(),
  serverId: z.string().nullable(),
  failure: ReadFailureSchema,
});

/** What requests of Headroom's own cost by the rules of the API server's version, see the stored outcome. */
export const OwnSeatsSchema = z.object({
  /** Of the widest request; 0: none could be priced. */
  widestSeats: z.number(),
  seatSeconds: z.number(),
  notPriced: z.number().int(),
});

/** One part of the collector's work on a cluster, as the pages show it. */
export const PartReportSchema = z.object({
  part: PartNameSchema,
  status: z.enum(["ok", "partial", "failed", "skipped"]),
  attemptedAt: InstantSchema,
  durationSeconds: z.number(),
  requests: z.number().int(),
  wireBytes: z.number().int(),
  /** `null` where the version of the API server is not known. */
  seats: OwnSeatsSchema.nullable(),
  answer: z.string(),
  failure: ReadFailureSchema.nullable(),
  notRead: z.array(NotReadSchema),
  /** When the value on the page was read; `null` where nothing usable was ever read. */
  valueAt: InstantSchema.nullable(),
  nextAttemptAt: InstantSchema.nullable(),
  periodSeconds: z.number(),
  isStale: z.boolean(),
});
export type PartReport = z.infer<typeof PartReportSchema>;

export const EventSchema = z.object({
  id: z.string(),
  clusterId: z.string(),
  clusterName: z.string(),
  kind: z.enum(EVENT_KINDS),
  severity: SeveritySchema,
  at: InstantSchema,
  subject: z.string(),
  lead: z.string(),
  text: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Written as history of the demo fleet, not observed. */
  isGenerated: z.boolean(),
});
export type EventItem = z.infer<typeof EventSchema>;

/** What the page frame needs on every page. */
export const FrameSchema = z.object({
  now: InstantSchema,
  version: z.string(),
  isDemo: z.boolean(),
  clusters: z.number().int(),
  freshClusters: z.number().int(),
  collector: z.object({
    /** `starting`: forked, no heartbeat yet. `restarting`: it crashed and is being started again. */
    state: z.enum(["running", "starting", "restarting", "stopped", "external-absent"]),
    message: z.string().nullable(),
    heartbeatAt: InstantSchema.nullable(),
  }),
  /** Set when the store is in trouble (read-only, full, a corrupt file kept aside). */
  storeNotice: z.string().nullable(),
});
export type Frame = z.infer<typeof FrameSchema>;

/** RFC 9457 problem document; `application/problem+json`. */
export const ProblemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  issues: z.array(z.object({ where: z.string(), expected: z.string() })).optional(),
});
export type Problem = z.infer<typeof ProblemSchema>;

/** Busiest level on the busiest server, in use against its current limit. */
export const BusiestLevelSchema = z.object({
  serverId: z.string(),
  serverName: z.string(),
  priorityLevelName: z.string(),
  executingSeats: z.number(),
  currentLimitSeats: z.number(),
});

/** A drawn series: measured unless `isGenerated`. Points are `[atSeconds, min, avg, max]`, sorted; a gap is absent. */
export const ChartSeriesSchema = z.object({
  metric: z.string(),
  serverId: z.string().nullable(),
  serverName: z.string().nullable(),
  priorityLevelName: z.string().nullable(),
  rejectReason: z.string().nullable(),
  unit: z.enum([
    "seats",
    "requests",
    "per-second",
    "bytes",
    "cores",
    "count",
    "per-minute",
    "bytes-per-minute",
  ]),
  resolution: z.enum(["fine", "five-minutes", "hourly"]),
  stepSeconds: z.number(),
  isGenerated: z.boolean(),
  points: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
});
export type ChartSeries = z.infer<typeof ChartSeriesSchema>;

export const OwnCostSchema = z.object({
  requestsPerMinute: z.number(),
  wireBytesPerMinute: z.number(),
  /** Length of the window these are measured over, seconds; shorter than 300 after a start. */
  windowSeconds: z.number(),
});
