import { z } from "zod";

/** What an API server posts to its audit webhook. Items are looked at one by one: one that is no event costs only itself. */
export const AuditEventListSchema = z.looseObject({
  kind: z.literal("EventList", { error: "an EventList" }),
  apiVersion: z.enum(["audit.k8s.io/v1", "audit.k8s.io/v1beta1"], {
    error: "audit.k8s.io/v1 or v1beta1",
  }),
  items: z.array(z.unknown(), { error: "a list of events" }),
});
export type AuditEventList = z.output<typeof AuditEventListSchema>;

export const AuditEventsResponseSchema = z.object({
  /** Events that were learned from. */
  accepted: z.int().min(0),
  /** Events that had come before. */
  duplicates: z.int().min(0),
  /** Items that are no audit events. */
  refused: z.int().min(0),
});
export type AuditEventsResponse = z.output<typeof AuditEventsResponseSchema>;
