import { z } from "zod";
import { ReadingSchema } from "./cluster.ts";
import { InstantSchema, ReadFailureSchema } from "./common.ts";
import { FlowSchemaObjectSchema, PriorityLevelObjectSchema } from "./stored/fairness.ts";

/** One API server as far as it decides where a request goes and what it costs. */
export const PricingServerSchema = z.object({
  id: z.string(),
  name: z.string(),
  gitVersion: z.string().nullable(),
  /** Those that change a price or where a LIST is served; `null` where they were not read. */
  gates: z.record(z.string(), z.boolean()).nullable(),
  /** By priority level; a level without a known limit is absent. */
  nominalSeats: z.record(z.string(), z.number()),
  /** Counts and sizes as this server publishes them. `metrics`: a resource that is absent is not tracked by it. */
  countsFrom: z.enum(["metrics", "lists"]).nullable(),
  resources: z.array(
    z.object({
      group: z.string(),
      resource: z.string(),
      objects: ReadingSchema,
      storedBytes: ReadingSchema,
    }),
  ),
});
export type PricingServer = z.infer<typeof PricingServerSchema>;

/** Pods that run as one ServiceAccount, as their workloads want them. */
export const AccountSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  pods: z.number().int(),
  /** `DaemonSet/name`, the one with most pods first; at most 3 of `workloadsTotal`. */
  workloads: z.array(z.string()),
  workloadsTotal: z.number().int(),
});
export type Account = z.infer<typeof AccountSchema>;

/** What can be missing as a whole; `failure` is `null` where it was not tried, or another try succeeded since. */
const MissingSchema = z.object({
  what: z.enum(["FlowSchemas", "priority levels", "version", "workloads"]),
  failure: ReadFailureSchema.nullable(),
});
export type MissingObjects = z.infer<typeof MissingSchema>;

/**
 * What a browser needs to say where a request goes, what it costs and where it is served, without asking the cluster:
 * the stored flow control objects, counts, sizes and accounts. `null`: not read.
 */
export const FlowControlResponseSchema = z.object({
  now: InstantSchema,
  clusterName: z.string(),
  /** Lowest version among the servers read, as published. */
  gitVersion: z.string().nullable(),
  /** By matchingPrecedence, then name. */
  flowSchemas: z.array(FlowSchemaObjectSchema).nullable(),
  priorityLevels: z.array(PriorityLevelObjectSchema).nullable(),
  configurationReadAt: InstantSchema.nullable(),
  configurationApiVersion: z.string().nullable(),
  /** Known servers, by name. */
  servers: z.array(PricingServerSchema),
  busiestServerId: z.string().nullable(),
  sizesReadAt: InstantSchema.nullable(),
  /** Mean bytes of an object in a JSON answer, where a page of them was sampled. */
  samples: z.array(z.object({ group: z.string(), resource: z.string(), jsonBytes: z.number() })),
  /** API groups that another server answers, by group; `null`: not read. */
  aggregated: z.array(z.object({ group: z.string(), service: z.string() })).nullable(),
  /** Most pods first. */
  accounts: z.array(AccountSchema).nullable(),
  /** Pods of the cluster, whoever they run as. */
  podsTotal: z.number().int().nullable(),
  accountsReadAt: InstantSchema.nullable(),
  /** Kinds of workload that could not be listed, and why. */
  accountsNotRead: z.array(z.object({ what: z.string(), failure: ReadFailureSchema })),
  /** Those of the values above that are `null`, and why. */
  missing: z.array(MissingSchema),
});
export type FlowControlResponse = z.infer<typeof FlowControlResponseSchema>;
