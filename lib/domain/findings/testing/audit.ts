import type { AuditEvent } from "../../agents/audit-event.ts";
import { parseRequest, splitRequestUri } from "../../kubernetes/index.ts";
import { RuleRun } from "../evaluate-rules.ts";
import type { Rule, ScannedMetricSample, ScannedWatchEvent } from "../rule.ts";
import { factsWith } from "./facts.ts";

export const START = Date.parse("2026-03-02T09:00:00Z");

let serial = 0;

/** One answered request: `GET` of a URI unless a verb is given, one millisecond long. */
export function request(
  requestUri: string,
  fields: Partial<AuditEvent> & { readonly ms?: number; readonly atMs?: number; readonly copy?: string } = {},
): AuditEvent {
  const { ms = 1, atMs = 0, copy, ...given } = fields;
  const { path, query } = splitRequestUri(requestUri);
  const info = parseRequest("GET", path, query);
  return {
    auditId: String(++serial),
    stage: "ResponseComplete",
    verb: info.verb,
    requestUri,
    userName: "system:serviceaccount:agents:agent",
    userGroups: ["system:serviceaccounts", "system:serviceaccounts:agents", "system:authenticated"],
    impersonatorName: null,
    podName: null,
    nodeName: null,
    sourceIps: [copy ?? "192.0.2.1"],
    userAgent: "agent/1.0",
    objectRef: info.isResourceRequest
      ? {
          apiGroup: info.apiGroup,
          apiVersion: info.apiVersion,
          resource: info.resource,
          namespace: info.namespace,
          name: info.name,
          subresource: info.subresource,
        }
      : null,
    responseCode: 200,
    responseReason: null,
    latency: null,
    receivedAt: START + atMs,
    stageAt: START + atMs + ms,
    ...given,
  };
}

export interface Streams {
  readonly events?: readonly AuditEvent[];
  readonly lines?: readonly string[];
  readonly watch?: readonly ScannedWatchEvent[];
  /** By file. */
  readonly metrics?: Readonly<Record<string, readonly ScannedMetricSample[]>>;
}

/** What one rule says of facts and streams. */
export function runRule(rule: Rule, facts: Parameters<typeof factsWith>[0], streams: Streams = {}) {
  const given = new Set(facts?.given ?? []);
  if (streams.events !== undefined) given.add("audit-log");
  const run = new RuleRun([rule], factsWith({ ...facts, given }));
  const hear = run.listener("auditEvent");
  for (const event of streams.events ?? []) hear?.(event, { file: "audit.jsonl", line: 1 });
  const read = run.listener("logLine");
  for (const [at, line] of (streams.lines ?? []).entries()) read?.(line, { file: "a.log", line: at + 1 });
  const see = run.listener("watchEvent");
  for (const event of streams.watch ?? []) see?.(event, { file: "watch-events.jsonl", line: 1 });
  const measure = run.listener("metricSample");
  for (const [file, samples] of Object.entries(streams.metrics ?? {})) {
    for (const sample of samples) measure?.(sample, { file, line: null });
  }
  return run.finish();
}

/** `error ServiceAccount agents/agent`, one for each finding. */
export const short = ({ findings }: ReturnType<typeof runRule>) =>
  findings.map(({ severity, subject }) => `${severity} ${subject}`);

/** So many copies, each at its own address. */
export const copies = (count: number, make: (copy: string, at: number) => AuditEvent) =>
  Array.from({ length: count }, (_, at) => make(`198.51.100.${at}`, at));

/** Counts and stored bytes of one resource. */
export const collection = (name: string, objects: number | null, storedBytes: number | null = null) => {
  const dot = name.indexOf(".");
  return {
    apiGroup: dot < 0 ? "" : name.slice(dot + 1),
    resource: dot < 0 ? name : name.slice(0, dot),
    objects,
    storedBytes,
    jsonObjectBytes: null,
    protobufObjectBytes: null,
    metadataObjectBytes: null,
    objectsPerNode: null,
  };
};
