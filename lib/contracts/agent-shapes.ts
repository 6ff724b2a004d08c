import { z } from "zod";
import {
  AGENT_KINDS,
  type Agent,
  type AgentClient,
  type AgentInformer,
  REPRESENTATIONS,
} from "../domain/agents/agent.ts";
import { EVIDENCE_GRADES, type Evidence } from "../domain/agents/evidence.ts";
import { INFORMER_CLIENTS } from "../domain/informers/clients.ts";

/** Agents as commands print them and as they are stored. */

const count = () => z.int().min(0);
const seconds = () => z.number().min(0);
const instant = () => z.number().describe("Milliseconds since the epoch.");
const nullableText = () => z.string().nullable();

export const EvidenceSchema = z.object({
  grade: z.enum(EVIDENCE_GRADES),
  source: z.string(),
  observedAt: instant().nullable(),
  citation: nullableText(),
  raisedBy: nullableText().describe("What would make it better known."),
  otherVersion: nullableText().optional(),
}) satisfies z.ZodType<Evidence>;

const ClientSchema = z.object({
  library: z.enum([...INFORMER_CLIENTS, "other"]),
  version: nullableText(),
  qps: z.number().nullable(),
  burst: z.number().nullable(),
  acceptsGzip: z.boolean().nullable(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentClient>;

export const AgentInformerSchema = z.object({
  apiGroup: z.string().describe("Empty for the core group."),
  resource: z.string(),
  scope: z.enum(["cluster", "namespace", "own-node", "single-object"]),
  namespace: nullableText(),
  fieldSelector: nullableText().describe("$(NODE_NAME) stands for the copy's node."),
  labelSelector: nullableText(),
  representation: z
    .enum(REPRESENTATIONS)
    .nullable()
    .describe("The form asked for; null: audit logs do not show it."),
  mode: z.enum(["informer", "list", "poll", "watch", "get"]),
  periodSeconds: seconds().nullable(),
  resourceVersion: z.enum(["0", ""]).nullable(),
  pageSize: count().nullable(),
  watchList: z.boolean().nullable(),
  isLeaderOnly: z.boolean().optional(),
  container: nullableText().optional(),
  evidence: EvidenceSchema,
}) satisfies z.ZodType<AgentInformer>;

export const AgentSchema = z.object({
  id: z.string(),
  kind: z.enum(AGENT_KINDS),
  namespace: nullableText(),
  name: z.string(),
  userName: nullableText(),
  userGroups: z.array(z.string()),
  userAgent: nullableText(),
  image: nullableText(),
  version: nullableText(),
  replicas: z.union([
    z.object({ kind: z.literal("per-node"), count: count().nullable() }),
    z.object({ kind: z.literal("fixed"), count: count() }),
    z.object({ kind: z.literal("unknown") }),
  ]),
  client: ClientSchema,
  informers: z.array(AgentInformerSchema),
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
