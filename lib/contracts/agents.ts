import { z } from "zod";
import {
  AGENT_KINDS,
  type Agent,
  type AgentClient,
  type AgentInformer,
  REPRESENTATIONS,
} from "../domain/agents/agent.ts";
import { EVIDENCE_GRADES, type Evidence } from "../domain/agents/evidence.ts";
import type { BackgroundFlow, ClusterFacts, CollectionFacts } from "../domain/clusters/cluster-facts.ts";
import { INFORMER_CLIENTS } from "../domain/informers/clients.ts";
import { InstantSchema } from "./common.ts";
import { FlowSchemaObjectSchema, PriorityLevelObjectSchema } from "./stored/fairness.ts";

export const EvidenceGradeSchema = z.enum(EVIDENCE_GRADES);

export const EvidenceSchema = z.object({
  grade: EvidenceGradeSchema,
  source: z.string(),
  observedAt: InstantSchema.nullable(),
  citation: z.string().nullable(),
  raisedBy: z.string().nullable(),
  otherVersion: z.string().nullish(),
}) satisfies z.ZodType<Evidence>;

const InformerSchema = z.object({
  apiGroup: z.string(),
  resource: z.string(),
  scope: z.enum(["cluster", "namespace", "own-node", "single-object"]),
  namespace: z.string().nullable(),
  fieldSelector: z.string().nullable(),
  labelSelector: z.string().nullable(),
  representation: z.enum(REPRESENTATIONS).nullable(),
  mode: z.enum(["informer", "list", "poll", "watch", "get"]),
  periodSeconds: z.number().nullable(),
  resourceVersion: z.enum(["0", ""]).nullable(),
  pageSize: z.number().nullable(),
  watchList: z.boolean().nullable(),
  isLeaderOnly: z.boolean().optional(),
  container: z.string().nullish(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentInformer>;

const ClientSchema = z.object({
  library: z.enum([...INFORMER_CLIENTS, "other"]),
  version: z.string().nullable(),
  qps: z.number().nullable(),
  burst: z.number().nullable(),
  acceptsGzip: z.boolean().nullable(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentClient>;

/** An agent on one cluster, with what it reads and how that is known. */
export const AgentSchema = z.object({
  id: z.string(),
  kind: z.enum(AGENT_KINDS),
  namespace: z.string().nullable(),
  name: z.string(),
  userName: z.string().nullable(),
  userGroups: z.array(z.string()),
  userAgent: z.string().nullable(),
  image: z.string().nullable(),
  version: z.string().nullable(),
  replicas: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("per-node"), count: z.number().nullable() }),
    z.object({ kind: z.literal("fixed"), count: z.number() }),
    z.object({ kind: z.literal("unknown") }),
  ]),
  client: ClientSchema,
  informers: z.array(InformerSchema),
  isKnown: z.boolean(),
  conflicts: z.array(
    z.object({
      subject: z.string(),
      claims: z.array(z.object({ says: z.string(), evidence: EvidenceSchema })),
    }),
  ),
  labels: z.record(z.string(), z.string()).optional(),
  catalogueIds: z.array(z.string()).optional(),
  assumptions: z.array(z.string()).optional(),
}) satisfies z.ZodType<Agent>;

const CollectionSchema = z.object({
  apiGroup: z.string(),
  resource: z.string(),
  objects: z.number().nullable(),
  storedBytes: z.number().nullable(),
  jsonObjectBytes: z.number().nullable(),
  protobufObjectBytes: z.number().nullable(),
  metadataObjectBytes: z.number().nullable(),
  objectsPerNode: z.number().nullable(),
  changesPerSecond: z.number().nullish(),
  gzipRatio: z.number().nullish(),
  nodeElasticity: z.number().nullish(),
}) satisfies z.ZodType<CollectionFacts>;

const BackgroundSchema = z.object({
  priorityLevelName: z.string(),
  flowSchemaName: z.string(),
  flowDistinguisher: z.string(),
  requestsPerSecond: z.number(),
  seats: z.number(),
  serviceSeconds: z.number(),
}) satisfies z.ZodType<BackgroundFlow>;

/** What is known of a cluster for projections: what a browser simulates on. */
export const ClusterFactsSchema = z.object({
  name: z.string().nullable(),
  kubernetesVersion: z.string().nullable(),
  featureGates: z.record(z.string(), z.boolean()),
  etcdVersion: z.string().nullable(),
  apiServers: z.number().nullable(),
  nodes: z.number().nullable(),
  nodesNotReady: z.number().nullable(),
  collections: z.array(CollectionSchema),
  flowSchemas: z.array(FlowSchemaObjectSchema).nullable(),
  priorityLevels: z.array(PriorityLevelObjectSchema).nullable(),
  totalConcurrencySeats: z.number().nullable(),
  server: z.object({
    cores: z.number().nullable(),
    memoryBytes: z.number().nullable(),
    linkBytesPerSecond: z.number().nullable(),
  }),
  background: z.array(BackgroundSchema),
  observedAt: z.number().nullable(),
}) satisfies z.ZodType<ClusterFacts>;
