import { z } from "zod";
import { AgentQuerySchema, AgentResponseSchema, AgentsResponseSchema } from "../../contracts/agent-pages.ts";
import { AuditEventListSchema, AuditEventsResponseSchema } from "../../contracts/audit-events.ts";
import { FairnessResponseSchema, OverviewResponseSchema } from "../../contracts/cluster.ts";
import {
  ClustersQuerySchema,
  ClustersResponseSchema,
  IncidentPaceResponseSchema,
} from "../../contracts/clusters.ts";
import { FrameSchema } from "../../contracts/common.ts";
import { EventsQuerySchema, EventsResponseSchema } from "../../contracts/events.ts";
import { FanOutResponseSchema } from "../../contracts/fan-out.ts";
import {
  AcknowledgeRequestSchema,
  AcknowledgeResponseSchema,
  ChangesResponseSchema,
  FleetResponseSchema,
  PaletteResponseSchema,
  UndoAcknowledgeRequestSchema,
} from "../../contracts/fleet.ts";
import { FlowControlResponseSchema } from "../../contracts/flow-control.ts";
import { HistoryQuerySchema, HistoryResponseSchema } from "../../contracts/history.ts";
import {
  AddTargetRequestSchema,
  AddTargetResponseSchema,
  ConnectionTestRequestSchema,
  ConnectionTestResponseSchema,
  SettingsClustersResponseSchema,
} from "../../contracts/settings.ts";

/** One method at one path of the API: what it takes and gives. The OpenAPI document is made of these. */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "DELETE";
  /** As OpenAPI writes it: `/api/clusters/{clusterId}/events`. */
  readonly path: string;
  readonly summary: string;
  readonly params: Params;
  readonly query: Query;
  /** `NO_BODY` where it takes none. */
  readonly body: Body;
  readonly response: Result;
  /** Asked for again and again: carries an ETag, answers 304. */
  readonly isPolled: boolean;
  readonly maxBodyBytes: number;
}

const NOTHING = z.object({});
/** The body of an operation that takes none. */
export const NO_BODY = z.undefined();
const BODY_BYTES = 64 * 1024;
/** 10,000 ids of events. */
const LONG_BODY_BYTES = 1024 * 1024;

/** Batches are of 400 events at most by default, 1 MB or so; Next hands on 10 MB, and what is more would be cut. */
const AUDIT_BODY_BYTES = 8 * 1024 * 1024;

const IdSchema = z.string().min(1).max(253);
const ClusterParamsSchema = z.object({ clusterId: IdSchema });
const AgentParamsSchema = z.object({ agentId: z.string().min(1).max(512) });
const TargetParamsSchema = z.object({ targetId: IdSchema });
const TestParamsSchema = z.object({ testId: IdSchema });

interface Read<P, Q, R> {
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly response: R;
}

function read<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
  given: Read<P, Q, R>,
): Operation<P, Q, typeof NO_BODY, R> {
  return { ...given, method: "GET", body: NO_BODY, isPolled: true, maxBodyBytes: 0 };
}

interface Change<P, B, R> {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly body: B;
  readonly response: R;
  readonly maxBodyBytes?: number;
}

function change<P extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  given: Change<P, B, R>,
): Operation<P, typeof NOTHING, B, R> {
  return { maxBodyBytes: BODY_BYTES, ...given, query: NOTHING, isPolled: false };
}

/** Every operation of the API by its id. Nothing that mutates is a GET. */
export const OPERATIONS = {
  getFrame: read({
    path: "/api/frame",
    summary: "Freshness of the fleet, state of the collector, notices of the store",
    params: NOTHING,
    query: NOTHING,
    response: FrameSchema,
  }),
  getFleet: read({
    path: "/api/fleet",
    summary: "Every cluster, worst first, with what the fleet page shows of it",
    params: NOTHING,
    query: NOTHING,
    response: FleetResponseSchema,
  }),
  getChanges: read({
    path: "/api/changes",
    summary: "What changed since the last review",
    params: NOTHING,
    query: NOTHING,
    response: ChangesResponseSchema,
  }),
  acknowledge: change({
    method: "POST",
    path: "/api/changes/acknowledge",
    summary: "Acknowledge changes, by id or all up to an instant",
    params: NOTHING,
    body: AcknowledgeRequestSchema,
    response: AcknowledgeResponseSchema,
  }),
  undoAcknowledge: change({
    method: "POST",
    path: "/api/changes/undo",
    summary: "Take acknowledgements back",
    params: NOTHING,
    body: UndoAcknowledgeRequestSchema,
    response: AcknowledgeResponseSchema,
    maxBodyBytes: LONG_BODY_BYTES,
  }),
  listEvents: read({
    path: "/api/events",
    summary: "Events of the fleet, newest first, paged by cursor",
    params: NOTHING,
    query: EventsQuerySchema,
    response: EventsResponseSchema,
  }),
  listClusters: read({
    path: "/api/clusters",
    summary: "Clusters by name, paged by cursor",
    params: NOTHING,
    query: ClustersQuerySchema,
    response: ClustersResponseSchema,
  }),
  getOverview: read({
    path: "/api/clusters/{clusterId}/overview",
    summary: "What is wrong with a cluster, and what that rests on",
    params: ClusterParamsSchema,
    query: NOTHING,
    response: OverviewResponseSchema,
  }),
  getFairness: read({
    path: "/api/clusters/{clusterId}/fairness",
    summary: "Priority levels, flows and rejections per API server",
    params: ClusterParamsSchema,
    query: NOTHING,
    response: FairnessResponseSchema,
  }),
  getFlowControl: read({
    path: "/api/clusters/{clusterId}/flow-control",
    summary:
      "FlowSchemas, priority levels, counts and accounts: what decides where a request goes and its price",
    params: ClusterParamsSchema,
    query: NOTHING,
    response: FlowControlResponseSchema,
  }),
  getFanOut: read({
    path: "/api/clusters/{clusterId}/fan-out",
    summary: "What each agent costs if all its copies LIST at once, against what the control plane can give",
    params: ClusterParamsSchema,
    query: NOTHING,
    response: FanOutResponseSchema,
  }),
  getHistory: read({
    path: "/api/clusters/{clusterId}/history",
    summary: "Charts and events over a range",
    params: ClusterParamsSchema,
    query: HistoryQuerySchema,
    response: HistoryResponseSchema,
  }),
  listClusterEvents: read({
    path: "/api/clusters/{clusterId}/events",
    summary: "Events of a cluster, newest first, paged by cursor",
    params: ClusterParamsSchema,
    query: EventsQuerySchema,
    response: EventsResponseSchema,
  }),
  requestIncidentPace: change({
    method: "POST",
    path: "/api/clusters/{clusterId}/incident-pace",
    summary: "Read a cluster at the pace of an incident for the next minute",
    params: ClusterParamsSchema,
    body: z.strictObject({}),
    response: IncidentPaceResponseSchema,
  }),
  getAgents: read({
    path: "/api/agents",
    summary: "Agents of the fleet, worst verdict first",
    params: NOTHING,
    query: NOTHING,
    response: AgentsResponseSchema,
  }),
  getAgent: read({
    path: "/api/agents/{agentId}",
    summary: "One agent over the fleet, with all that simulating it on one cluster takes",
    params: AgentParamsSchema,
    query: AgentQuerySchema,
    response: AgentResponseSchema,
  }),
  receiveAuditEvents: change({
    method: "POST",
    path: "/api/clusters/{clusterId}/audit-events",
    summary: "Learn from audit events of a cluster: the webhook of its API servers, where it is turned on",
    params: ClusterParamsSchema,
    body: AuditEventListSchema,
    response: AuditEventsResponseSchema,
    maxBodyBytes: AUDIT_BODY_BYTES,
  }),
  getPalette: read({
    path: "/api/palette",
    summary: "What the command palette finds besides pages",
    params: NOTHING,
    query: NOTHING,
    response: PaletteResponseSchema,
  }),
  getSettingsClusters: read({
    path: "/api/settings/clusters",
    summary: "Connections, where each was named, what each may read, and the minimal ClusterRole",
    params: NOTHING,
    query: NOTHING,
    response: SettingsClustersResponseSchema,
  }),
  addTarget: change({
    method: "POST",
    path: "/api/settings/clusters",
    summary: "Add a cluster by the path of a kubeconfig on the server and a context",
    params: NOTHING,
    body: AddTargetRequestSchema,
    response: AddTargetResponseSchema,
  }),
  removeTarget: change({
    method: "DELETE",
    path: "/api/settings/clusters/{targetId}",
    summary: "Remove a connection that the page added",
    params: TargetParamsSchema,
    body: NO_BODY,
    response: z.object({ targetId: z.string() }),
  }),
  requestConnectionTest: change({
    method: "POST",
    path: "/api/settings/connection-tests",
    summary: "Ask the collector to try a connection",
    params: NOTHING,
    body: ConnectionTestRequestSchema,
    response: ConnectionTestResponseSchema,
  }),
  getConnectionTest: read({
    path: "/api/settings/connection-tests/{testId}",
    summary: "State and result of a connection test",
    params: TestParamsSchema,
    query: NOTHING,
    response: ConnectionTestResponseSchema,
  }),
} as const;

/** The id under which an operation is described, counted and logged. */
export function operationId(operation: Operation): string {
  return Object.entries(OPERATIONS).find(([, each]) => each === operation)?.[0] ?? operation.path;
}
