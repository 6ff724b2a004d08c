import { z } from "zod";
import { FrameSchema, InstantSchema } from "./common.ts";
import { ClusterStateSchema } from "./fleet.ts";

export const PermissionCheckSchema = z.object({
  id: z.string(),
  /** As a ClusterRole names it: `get /metrics`, `list daemonsets.apps`. */
  permission: z.string(),
  state: z.enum(["granted", "refused", "not-tried"]),
  at: InstantSchema.nullable(),
  /** What is missing on the pages without it. */
  withoutIt: z.string(),
});
export type PermissionCheck = z.infer<typeof PermissionCheckSchema>;

export const TargetRowSchema = z.object({
  targetId: z.string(),
  clusterId: z.string(),
  clusterName: z.string(),
  clusterUid: z.string().nullable(),
  source: z.enum(["flag", "environment", "configuration-file", "page", "in-cluster", "demo"]),
  kubeconfigPath: z.string().nullable(),
  context: z.string().nullable(),
  addedAt: InstantSchema,
  state: ClusterStateSchema,
  isInsecure: z.boolean(),
  /** Says which other source wins over this one for the same cluster; `null` when this one is used. */
  overriddenBy: z.string().nullable(),
  /** Only what the page added can be removed on the page. */
  canRemove: z.boolean(),
  permissions: z.array(PermissionCheckSchema),
});
export type TargetRow = z.infer<typeof TargetRowSchema>;

export const SettingsClustersResponseSchema = z.object({
  frame: FrameSchema,
  targets: z.array(TargetRowSchema),
  configurationFile: z.string().nullable(),
  /** The minimal ClusterRole and its binding, as YAML. */
  clusterRoleYaml: z.string(),
  budget: z.object({ requestsPerMinute: z.number(), bytesPerMinute: z.number() }),
  retention: z.object({ fine: z.number(), fiveMinutes: z.number(), hourly: z.number(), scrapes: z.number() }),
});
export type SettingsClustersResponse = z.infer<typeof SettingsClustersResponseSchema>;

const PathSchema = z
  .string()
  .trim()
  .min(1, "the path of a kubeconfig on the server")
  .max(4096)
  .refine((path) => !/[\n\r\0]/.test(path), "one path, without line breaks")
  .refine(
    (path) => path.startsWith("/") || path.startsWith("./") || path.startsWith("~/"),
    "a path that begins with /, ./ or ~/",
  );

export const ConnectionTestRequestSchema = z.strictObject({
  kubeconfigPath: PathSchema,
  context: z.string().trim().min(1).max(253).nullable(),
});
export type ConnectionTestRequest = z.infer<typeof ConnectionTestRequestSchema>;

export const ConnectionTestResponseSchema = z.object({
  id: z.string(),
  kubeconfigPath: z.string(),
  context: z.string().nullable(),
  state: z.enum(["waiting", "running", "succeeded", "failed", "timed-out", "no-collector"]),
  requestedAt: InstantSchema,
  answeredAt: InstantSchema.nullable(),
  result: z
    .object({
      error: z.string().nullable(),
      gitVersion: z.string().nullable(),
      clusterUid: z.string().nullable(),
      knownClusterId: z.string().nullable(),
      contexts: z.array(z.string()),
      permissions: z.array(PermissionCheckSchema),
      isInsecure: z.boolean(),
    })
    .nullable(),
});
export type ConnectionTestResponse = z.infer<typeof ConnectionTestResponseSchema>;

export const AddTargetRequestSchema = z.strictObject({
  kubeconfigPath: PathSchema,
  context: z.string().trim().min(1).max(253),
  name: z.string().trim().min(1).max(80).optional(),
  role: z.string().trim().min(1).max(40).optional(),
});
export type AddTargetRequest = z.infer<typeof AddTargetRequestSchema>;

export const AddTargetResponseSchema = z.object({ targetId: z.string(), clusterId: z.string() });
