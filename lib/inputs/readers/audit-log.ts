import type { AuditEvent, AuditObjectRef } from "../../domain/findings/index.ts";
import { listAt, numberAt, objectAt, textAt, textsAt } from "../../domain/findings/index.ts";
import { splitLines } from "../split-lines.ts";
import type { LineReader, StreamSummary } from "./stream-reader.ts";
import { readJsonLines } from "./stream-reader.ts";

/**
 * Reads an audit log as it comes, one event a line, or a list of events (`EventList`, as webhooks send them) a line.
 * Every stage is handed on. The one way by which audit logs come in.
 */
export const readAuditLog: LineReader<AuditEvent> = async (
  chunks,
  onEvent,
  options,
): Promise<StreamSummary> =>
  readJsonLines(splitLines(chunks, options.maxLineBytes), (value, line) => {
    if (textAt(value, "kind") === "EventList") {
      for (const item of listAt(value, "items")) onEvent(asAuditEvent(item), line);
      return true;
    }
    const isEvent =
      textAt(value, "kind") === "Event" && textAt(value, "apiVersion")?.startsWith("audit.k8s.io/");
    if (isEvent !== true) return false;
    onEvent(asAuditEvent(value), line);
    return true;
  });

/** An event of `audit.k8s.io/v1` as it stands in the log. */
export function asAuditEvent(value: unknown): AuditEvent {
  const user = objectAt(value, "impersonatedUser") ?? objectAt(value, "user");
  return {
    auditId: textAt(value, "auditID") ?? "",
    stage: textAt(value, "stage") ?? "",
    verb: textAt(value, "verb") ?? "",
    requestUri: textAt(value, "requestURI") ?? "",
    userName: textAt(user, "username") ?? "",
    userGroups: textsAt(user, "groups"),
    userAgent: textAt(value, "userAgent") ?? "",
    sourceIps: textsAt(value, "sourceIPs"),
    objectRef: asObjectRef(value),
    responseCode: numberAt(value, "responseStatus", "code"),
    receivedAt: parseInstant(textAt(value, "requestReceivedTimestamp")),
    stageAt: parseInstant(textAt(value, "stageTimestamp")),
    annotations: textFields(objectAt(value, "annotations")),
  };
}

function asObjectRef(value: unknown): AuditObjectRef | null {
  const ref = objectAt(value, "objectRef");
  if (ref === null) return null;
  return {
    apiGroup: textAt(ref, "apiGroup") ?? "",
    apiVersion: textAt(ref, "apiVersion") ?? "",
    resource: textAt(ref, "resource") ?? "",
    namespace: textAt(ref, "namespace") ?? "",
    name: textAt(ref, "name") ?? "",
    subresource: textAt(ref, "subresource") ?? "",
  };
}

/** Milliseconds with the microseconds as a fraction, which `Date.parse` drops; `NaN` for no instant. */
function parseInstant(text: string | null): number {
  if (text === null) return Number.NaN;
  const fraction = /\.\d{3}(\d{1,6})/.exec(text)?.[1];
  return Date.parse(text) + (fraction === undefined ? 0 : Number(`0.${fraction}`));
}

function textFields(value: Readonly<Record<string, unknown>> | null): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(value ?? {})) if (typeof text === "string") texts[name] = text;
  return texts;
}
