import { z } from "zod";
import {
  type NotRead,
  PART_NAMES,
  type PartOutcome,
  READ_FAILURE_REASONS,
  type ReadFailure,
} from "../../domain/clusters/part.ts";
import type { Reading } from "../../domain/clusters/reading.ts";

/** A figure as stored. */
export const StoredReadingSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("known"), value: z.number() }),
  z.object({
    state: z.literal("unknown"),
    reason: z.enum(["minus-one", "absent", "not-published", "not-read"]),
    assumed: z.number().nullable(),
    assumedBecause: z.string().nullable(),
  }),
]) satisfies z.ZodType<Reading>;

export const StoredReadFailureSchema = z.object({
  reason: z.enum(READ_FAILURE_REASONS),
  verb: z.string().nullable(),
  path: z.string().nullable(),
  status: z.number().nullable(),
  message: z.string(),
  retryAfterSeconds: z.number().nullable(),
}) satisfies z.ZodType<ReadFailure>;

const NotReadSchema = z.object({
  what: z.string(),
  serverId: z.string().nullable(),
  failure: StoredReadFailureSchema,
}) satisfies z.ZodType<NotRead>;

/** What one attempt at a part came to, as stored with the part and with the scrape. */
export const StoredOutcomeSchema = z.object({
  part: z.enum(PART_NAMES),
  status: z.enum(["ok", "partial", "failed", "skipped"]),
  startedAt: z.number(),
  durationSeconds: z.number(),
  requests: z.number(),
  wireBytes: z.number(),
  answer: z.string(),
  failure: StoredReadFailureSchema.nullable(),
  notRead: z.array(NotReadSchema),
  seats: z.object({ widestSeats: z.number(), seatSeconds: z.number(), notPriced: z.number() }).optional(),
}) satisfies z.ZodType<PartOutcome>;
