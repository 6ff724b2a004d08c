import { z } from "zod";
import type { ClusterSummary } from "../../domain/clusters/summarise-cluster.ts";

/** Labels of a cluster or a target, as stored. */
export const StoredLabelsSchema = z.record(z.string(), z.string());

/** Permissions of the minimal ClusterRole as last met, by permission id, as stored. Instants in milliseconds. */
export const StoredPermissionsSchema = z.record(
  z.string(),
  z.object({ state: z.enum(["granted", "refused"]), at: z.number() }),
);

/** What a connection test found, as stored. */
export const StoredConnectionTestResultSchema = z.object({
  error: z.string().nullable(),
  gitVersion: z.string().nullable(),
  clusterUid: z.string().nullable(),
  knownClusterId: z.string().nullable(),
  contexts: z.array(z.string()),
  permissions: StoredPermissionsSchema,
  isInsecure: z.boolean(),
});

/** Small figures of a cluster for the fleet table, as stored. */
export const StoredClusterSummarySchema = z.object({
  gitVersion: z.string().nullable(),
  nodes: z.number().nullable(),
  pods: z.number().nullable(),
  apiServers: z.number().nullable(),
  apiServersRead: z.number().nullable(),
  busiest: z
    .object({
      serverId: z.string(),
      serverName: z.string(),
      priorityLevelName: z.string(),
      executingSeats: z.number(),
      currentLimitSeats: z.number(),
    })
    .nullable(),
  fairnessFindings: z.array(
    z.object({
      severity: z.enum(["error", "warning"]),
      serverName: z.string(),
      priorityLevelName: z.string(),
      text: z.string(),
    }),
  ),
  recentRejections: z.array(
    z.object({ serverId: z.string(), priorityLevelName: z.string(), at: z.number() }),
  ),
}) satisfies z.ZodType<ClusterSummary>;
