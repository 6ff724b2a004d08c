import { z } from "zod";
import { EVENT_KINDS } from "../domain/clusters/event.ts";
import { EventSchema, InstantSchema } from "./common.ts";

/** Opaque: what `nextCursor` of the page before said. */
export const CursorSchema = z.string().min(1).max(512);
export const PageLimitSchema = z.coerce.number().int().min(1).max(500);

export const EventsQuerySchema = z.object({
  cursor: CursorSchema.optional(),
  limit: PageLimitSchema.default(100),
  kind: z.enum(EVENT_KINDS).optional(),
  /** Only events from this instant on, milliseconds since the epoch. */
  from: z.coerce.number().int().nonnegative().optional(),
});
export type EventsQuery = z.infer<typeof EventsQuerySchema>;

export const EventsResponseSchema = z.object({
  now: InstantSchema,
  /** Newest first. */
  events: z.array(EventSchema),
  /** `null` on the last page. */
  nextCursor: z.string().nullable(),
});
export type EventsResponse = z.infer<typeof EventsResponseSchema>;
