import { z } from "zod";
import { InstantSchema } from "./common.ts";
import { CursorSchema, PageLimitSchema } from "./events.ts";
import { ClusterStateSchema } from "./fleet.ts";

export const ClustersQuerySchema = z.object({
  cursor: CursorSchema.optional(),
  limit: PageLimitSchema.default(100),
});
export type ClustersQuery = z.infer<typeof ClustersQuerySchema>;

/** A cluster in the list for programs; pages use the fleet. */
export const ClusterItemSchema = z.object({
  clusterId: z.string(),
  /** UID of its kube-system namespace; `null` until it was read once. */
  uid: z.string().nullable(),
  name: z.string(),
  role: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  isDemo: z.boolean(),
  state: ClusterStateSchema,
  version: z.string().nullable(),
  nodes: z.number().int().nullable(),
  dataAt: InstantSchema.nullable(),
  unreachableSince: InstantSchema.nullable(),
});

export const ClustersResponseSchema = z.object({
  now: InstantSchema,
  /** Sorted by name, then id: an order that does not move between two pages. */
  clusters: z.array(ClusterItemSchema),
  /** `null` on the last page. */
  nextCursor: z.string().nullable(),
});
export type ClustersResponse = z.infer<typeof ClustersResponseSchema>;

/** Until when a cluster is read at the pace of an incident. */
export const IncidentPaceResponseSchema = z.object({ untilAt: InstantSchema });
export type IncidentPaceResponse = z.infer<typeof IncidentPaceResponseSchema>;
