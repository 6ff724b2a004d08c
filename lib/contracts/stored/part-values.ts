import { z } from "zod";
import type { InventoryPart, Workload } from "../../domain/clusters/inventory-part.ts";
import type { PartName } from "../../domain/clusters/part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import type { SizesPart, VersionPart } from "../../domain/clusters/version-part.ts";
import { StoredFairnessSchema } from "./fairness.ts";
import { StoredReadingSchema } from "./outcome.ts";

const nullableNumber = z.number().nullable();
const nullableString = z.string().nullable();
const stringMap = z.record(z.string(), z.string());

const VersionSchema = z.object({
  gitVersion: z.string(),
  major: z.number(),
  minor: z.number(),
  servers: z.array(
    z.object({
      serverId: z.string(),
      gitVersion: z.string(),
      platform: nullableString,
      gates: z.array(z.object({ name: z.string(), stage: z.string(), enabled: z.boolean() })).nullable(),
    }),
  ),
}) satisfies z.ZodType<VersionPart>;

const ServersSchema = z.object({
  servers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      hostname: nullableString,
      address: nullableString,
      access: z.enum(["direct", "shared-address", "not-read"]),
      processStartAt: nullableNumber,
      leaseRenewAt: nullableNumber,
      lastReadAt: nullableNumber,
      cores: z.number().nullish(),
    }),
  ),
  expectedServers: nullableNumber,
  expectedFrom: z.enum(["leases", "endpoint-slices"]).nullable(),
}) satisfies z.ZodType<ServersPart>;

const SizesSchema = z.object({
  resources: z.array(
    z.object({
      group: z.string(),
      resource: z.string(),
      serverId: z.string(),
      objects: StoredReadingSchema,
      storedBytes: StoredReadingSchema,
      objectsSource: z
        .enum(["apiserver_resource_objects", "apiserver_storage_objects", "remainingItemCount"])
        .nullable(),
    }),
  ),
  samples: z.array(
    z.object({
      group: z.string(),
      resource: z.string(),
      sampledObjects: z.number(),
      jsonBytes: nullableNumber,
      metadataBytes: nullableNumber,
      protobufBytes: nullableNumber,
    }),
  ),
}) satisfies z.ZodType<SizesPart>;

const WorkloadSchema = z.object({
  kind: z.enum(["DaemonSet", "Deployment", "StatefulSet"]),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  generation: nullableNumber,
  desiredReplicas: z.number(),
  readyReplicas: z.number(),
  updatedReplicas: nullableNumber,
  serviceAccountName: z.string(),
  images: z.array(z.object({ container: z.string(), image: z.string() })),
  labels: stringMap,
  maxUnavailable: nullableString,
  maxSurge: nullableString,
  updateStrategy: nullableString,
  minReadySeconds: z.number(),
  informersAnnotation: z.string().nullish(),
}) satisfies z.ZodType<Workload>;

const InventorySchema = z.object({
  workloads: z.array(WorkloadSchema),
  nodes: z
    .object({ total: z.number(), byLabel: z.record(z.string(), z.record(z.string(), z.number())) })
    .nullable(),
  pods: nullableNumber,
  controlPlanePods: z
    .array(
      z.object({
        name: z.string(),
        component: z.string(),
        nodeName: nullableString,
        image: nullableString,
        flags: z.array(z.string()),
      }),
    )
    .nullable(),
  webhooks: z
    .array(
      z.object({
        kind: z.enum(["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]),
        name: z.string(),
        webhooks: z.number(),
      }),
    )
    .nullable(),
  apiServices: z
    .array(
      z.object({
        name: z.string(),
        service: nullableString,
        isAvailable: z.boolean().nullable(),
        unavailableReason: nullableString,
      }),
    )
    .nullable(),
  customResourceDefinitions: z.array(z.string()).nullable(),
  clusterWideLists: z
    .array(
      z.object({ serviceAccount: z.string(), resources: z.array(z.string()), through: z.array(z.string()) }),
    )
    .nullable(),
}) satisfies z.ZodType<InventoryPart>;

/** The value of each part as stored. Unknown keys are left out, so that a later release may add some. */
export const STORED_PART_SCHEMAS: { readonly [P in PartName]: z.ZodType<PartValues[P]> } = {
  version: VersionSchema,
  servers: ServersSchema,
  sizes: SizesSchema,
  fairness: StoredFairnessSchema,
  inventory: InventorySchema,
};
