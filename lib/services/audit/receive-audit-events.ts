import type { AuditEventList, AuditEventsResponse } from "../../contracts/audit-events.ts";
import { isAuditEvent, readAuditEvent } from "../../domain/agents/audit/parse-audit-event.ts";
import { RecentKeys } from "../../domain/agents/audit/recent-keys.ts";
import { stageKey } from "../../domain/agents/audit/request-stages.ts";
import { AgentLearner, type LearnLimits } from "../../domain/agents/learn/agent-learner.ts";
import { requireCluster } from "../clusters/require-cluster.ts";
import type { ServiceContext } from "../context.ts";

/** What was learned is stored this often at most; what came after the last time is lost with the process. */
export const STORED_EVERY_MS = 60_000;
/** Then learning begins anew: what an agent no longer does is not told of for ever. */
export const SPAN_MS = 24 * 3_600_000;

/** For one of many clusters: a tenth of what a log by itself may take. */
const LIMITS: Partial<LearnLimits> = {
  agents: 1000,
  reads: 4000,
  copies: 200_000,
  timedCopies: 30_000,
  names: 40_000,
  longRequests: 1 << 14,
};
const REMEMBERED_EVENTS = 1 << 15;

interface Span {
  readonly startedAt: number;
  readonly learner: AgentLearner;
  readonly seen: RecentKeys;
  storedAt: number;
}

/** One per process and store, whatever a bundler makes of this module. */
const global = globalThis as { __headroomAuditSpans?: WeakMap<object, Map<string, Span>> };

/**
 * Learns from a batch of audit events of one cluster and stores what was learned so far, once a minute. Of the events
 * nothing is stored. A store that takes no writes costs nothing but that: learning goes on.
 */
export async function receiveAuditEvents(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
  { items }: AuditEventList,
): Promise<AuditEventsResponse> {
  await requireCluster(context, clusterId);
  const now = context.clock.now();
  const spans = spansOf(context);
  let span = spans.get(clusterId) ?? null;
  if (span !== null && now - span.startedAt >= SPAN_MS) {
    await storeSpan(context, clusterId, span);
    span = null;
  }
  if (span === null) {
    span = {
      startedAt: now,
      learner: new AgentLearner(LIMITS),
      seen: new RecentKeys(REMEMBERED_EVENTS),
      storedAt: Number.NEGATIVE_INFINITY,
    };
    spans.set(clusterId, span);
  }
  const counts = { accepted: 0, duplicates: 0, refused: 0 };
  for (const item of items) counts[learn(span, item)]++;
  if (counts.accepted > 0 && now - span.storedAt >= STORED_EVERY_MS)
    await storeSpan(context, clusterId, span);
  return counts;
}

function learn({ learner, seen }: Span, item: unknown): "accepted" | "duplicates" | "refused" {
  const event = readAuditEvent(item, true);
  if (!isAuditEvent(event)) return "refused";
  // An API server that got no answer sends its batch again.
  if (!seen.add(event.auditId, stageKey(event))) return "duplicates";
  learner.observe(event);
  return "accepted";
}

function spansOf({ store }: ServiceContext): Map<string, Span> {
  global.__headroomAuditSpans ??= new WeakMap();
  let spans = global.__headroomAuditSpans.get(store);
  if (spans === undefined) {
    spans = new Map();
    global.__headroomAuditSpans.set(store, spans);
  }
  return spans;
}

async function storeSpan(
  { store, clock, logger }: ServiceContext,
  clusterId: string,
  span: Span,
): Promise<void> {
  const now = clock.now();
  // Also where storing fails: it is tried again in a minute, not with each batch.
  span.storedAt = now;
  try {
    await store.learnedAgents.record(
      clusterId,
      { source: "webhook", startedAt: span.startedAt, storedAt: now },
      span.learner.finish("audit webhook"),
    );
  } catch (error) {
    logger.error("what audit events taught could not be stored", { clusterId, err: error });
  }
}
