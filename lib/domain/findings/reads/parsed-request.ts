import type { AuditEvent } from "../../agents/audit-event.ts";
import { parseRequest, type RequestInfo, splitRequestUri } from "../../kubernetes/index.ts";

/** A request of an audit log, resolved as the API server resolves it. */
export interface ParsedRequest {
  readonly path: string;
  readonly query: string;
  readonly info: RequestInfo;
}

let last: { readonly event: AuditEvent; readonly parsed: ParsedRequest } | null = null;

/** The request of an event as a GET: of LISTs and WATCHes. Several rules ask of one event after the other: parsed once. */
export function requestOf(event: AuditEvent): ParsedRequest {
  if (last?.event === event) return last.parsed;
  const { path, query } = splitRequestUri(event.requestUri);
  const parsed = { path, query, info: parseRequest("GET", path, query) };
  last = { event, parsed };
  return parsed;
}
