import type { FlowSample } from "../../domain/fairness/fairness-part.ts";
import type { RequestDumpRow } from "../../kube/fairness-dumps.ts";

/** Flows kept per server: those with the most seats. A server that is overrun can name thousands. */
export const FLOWS_KEPT = 200;
const REQUEST_KINDS_KEPT = 3;

interface Draft {
  readonly first: RequestDumpRow;
  executingRequests: number;
  executingSeats: number;
  waitingRequests: number;
  waitingSeats: number;
  readonly queues: Set<number>;
  earliestWaitingAt: number | null;
  readonly kinds: Map<string, number>;
}

/**
 * Requests summed by flow (priority level, FlowSchema, distinguisher), sorted by executing and waiting seats, then
 * waiting requests, then names; at most `FLOWS_KEPT`.
 * @param serverNow the server's own clock when it answered, since arrival times are on that clock
 */
export function decideFlows(
  requests: readonly RequestDumpRow[],
  serverNow: number,
): { readonly flows: readonly FlowSample[]; readonly total: number } {
  const drafts = new Map<string, Draft>();
  for (const request of requests) {
    const key = JSON.stringify([
      request.priorityLevelName,
      request.flowSchemaName,
      request.flowDistinguisher,
    ]);
    const draft = drafts.get(key) ?? emptyDraft(request);
    drafts.set(key, draft);
    addRequest(draft, request);
  }
  const flows = [...drafts.values()].map((draft) => finish(draft, serverNow)).sort(compareFlows);
  return { flows: flows.slice(0, FLOWS_KEPT), total: flows.length };
}

function emptyDraft(first: RequestDumpRow): Draft {
  return {
    first,
    executingRequests: 0,
    executingSeats: 0,
    waitingRequests: 0,
    waitingSeats: 0,
    queues: new Set(),
    earliestWaitingAt: null,
    kinds: new Map(),
  };
}

function addRequest(draft: Draft, request: RequestDumpRow): void {
  const seats = Math.max(request.initialSeats ?? 1, request.finalSeats ?? 0);
  if ((request.requestIndexInQueue ?? 0) < 0) {
    draft.executingRequests += 1;
    draft.executingSeats += seats;
  } else {
    draft.waitingRequests += 1;
    draft.waitingSeats += seats;
    if (request.arrivedAt !== null) {
      draft.earliestWaitingAt = Math.min(
        draft.earliestWaitingAt ?? Number.POSITIVE_INFINITY,
        request.arrivedAt,
      );
    }
  }
  if (request.queueIndex !== null && request.queueIndex >= 0) draft.queues.add(request.queueIndex);
  if (request.verb !== null) {
    const kind = [request.verb, request.resource ?? request.apiPath].filter(Boolean).join(" ");
    draft.kinds.set(kind, (draft.kinds.get(kind) ?? 0) + 1);
  }
}

function finish(draft: Draft, serverNow: number): FlowSample {
  return {
    priorityLevelName: draft.first.priorityLevelName,
    flowSchemaName: draft.first.flowSchemaName,
    flowDistinguisher: draft.first.flowDistinguisher,
    executingRequests: draft.executingRequests,
    executingSeats: draft.executingSeats,
    waitingRequests: draft.waitingRequests,
    waitingSeats: draft.waitingSeats,
    queues: [...draft.queues].sort((a, b) => a - b),
    longestWaitSeconds:
      draft.earliestWaitingAt === null ? null : Math.max(0, (serverNow - draft.earliestWaitingAt) / 1000),
    requestKinds: [...draft.kinds]
      .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
      .slice(0, REQUEST_KINDS_KEPT)
      .map(([kind]) => kind),
  };
}

function compareFlows(a: FlowSample, b: FlowSample): number {
  return (
    b.executingSeats + b.waitingSeats - (a.executingSeats + a.waitingSeats) ||
    b.waitingRequests - a.waitingRequests ||
    compareText(a.priorityLevelName, b.priorityLevelName) ||
    compareText(a.flowSchemaName, b.flowSchemaName) ||
    compareText(a.flowDistinguisher, b.flowDistinguisher)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
