import { AUDIT_STAGES, type AuditEvent, type AuditStage } from "../audit-event.ts";
import {
  isObject,
  NO_USER,
  readAuditLatency,
  readAuditObjectRef,
  readAuditResponse,
  readAuditUser,
  textOf,
  textsOf,
} from "./audit-event-fields.ts";
import { parseInstant } from "./parse-instant.ts";

/** Why a text gave no event: a clause for people, with nothing of what the text holds. */
export interface AuditProblem {
  readonly problem: string;
}

const NO_JSON: AuditProblem = { problem: "text that is not JSON, or not to its end" };
const NO_EVENT: AuditProblem = { problem: "JSON that is no audit event" };
const NO_STAGE: AuditProblem = { problem: "an audit event without a known stage" };
const NO_REQUEST: AuditProblem = { problem: "an audit event without auditID or requestURI" };
const OLD_VERSION: AuditProblem = {
  problem: "an audit event of a version other than audit.k8s.io/v1 and v1beta1",
};

/** Shorter texts are parsed whole: to look for bodies would cost more than they do. */
const SHORT_CHARACTERS = 3000;

/**
 * Reads one event from its JSON. Bodies (`requestObject`, `responseObject`) are not parsed where the text is written in
 * the order in which API servers write it; then what stands in them is not checked either. `isItem`: of an EventList,
 * whose items need not say their kind and version.
 */
export function parseAuditEvent(text: string, isItem = false): AuditEvent | AuditProblem {
  const value =
    (text.length > SHORT_CHARACTERS ? parseWithoutBodies(text, isItem) : undefined) ?? parseJson(text);
  return value === undefined ? NO_JSON : readAuditEvent(value, isItem);
}

/** The same of JSON that is parsed already. */
export function readAuditEvent(value: unknown, isItem: boolean): AuditEvent | AuditProblem {
  return isObject(value) ? toAuditEvent(value, isItem) : NO_EVENT;
}

/** Narrows what `parseAuditEvent` returns. */
export const isAuditEvent = (result: AuditEvent | AuditProblem): result is AuditEvent => "auditId" in result;

/** Where an event begins behind other text: what was cut off before it, or what a log collector wrote in front. */
export const EVENT_START = '{"kind":"Event","apiVersion":"audit.k8s.io/';

function toAuditEvent(value: Readonly<Record<string, unknown>>, isItem: boolean): AuditEvent | AuditProblem {
  const problem = findProblem(value, isItem);
  if (problem !== null) return problem;
  const user = readAuditUser(value.user) ?? NO_USER;
  const impersonated = value.impersonatedUser === undefined ? null : readAuditUser(value.impersonatedUser);
  const effective = impersonated ?? user;
  const response = readAuditResponse(value.responseStatus);
  return {
    auditId: textOf(value.auditID),
    stage: value.stage as AuditStage,
    verb: textOf(value.verb),
    requestUri: textOf(value.requestURI),
    userName: effective.name,
    userGroups: effective.groups,
    impersonatorName: impersonated === null ? null : user.name,
    podName: user.podName,
    nodeName: user.nodeName,
    sourceIps: textsOf(value.sourceIPs),
    userAgent: textOf(value.userAgent),
    objectRef: readAuditObjectRef(value.objectRef),
    responseCode: response.code,
    responseReason: response.reason,
    receivedAt: parseInstant(textOf(value.requestReceivedTimestamp)),
    stageAt: parseInstant(textOf(value.stageTimestamp)),
    latency: readAuditLatency(value.annotations),
  };
}

function findProblem(value: Readonly<Record<string, unknown>>, isItem: boolean): AuditProblem | null {
  const { kind, apiVersion, stage } = value;
  if (kind !== "Event" && !(isItem && kind === undefined)) return NO_EVENT;
  if (apiVersion !== "audit.k8s.io/v1" && apiVersion !== "audit.k8s.io/v1beta1") {
    const isAudit = typeof apiVersion === "string" && apiVersion.startsWith("audit.k8s.io/");
    if (isAudit) return OLD_VERSION;
    if (!(isItem && apiVersion === undefined)) return NO_EVENT;
  }
  if (!(AUDIT_STAGES as readonly unknown[]).includes(stage)) return NO_STAGE;
  return textOf(value.auditID) === "" || textOf(value.requestURI) === "" ? NO_REQUEST : null;
}

/** `undefined` for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BODIES = [',"requestObject":', ',"responseObject":'] as const;
const TAIL = ',"requestReceivedTimestamp":"';

/**
 * API servers write all fields but the times and annotations before the bodies. The text is cut at the first mark of a
 * body and at the last mark of the times. That both marks belong to the event itself and not to something inside of it
 * shows in that what remains on either side is a whole object once its bracket is put back: a mark found deeper leaves
 * a bracket too many. `undefined` where it is not so, or a field is missing that may then stand between the bodies.
 */
function parseWithoutBodies(text: string, isItem: boolean): unknown {
  const first = text.indexOf(BODIES[0]);
  const bodyAt = first < 0 ? text.indexOf(BODIES[1]) : first;
  if (bodyAt < 0) return undefined;
  const tailAt = text.lastIndexOf(TAIL);
  if (tailAt < bodyAt) return undefined;
  // The end of one event and the beginning of another on one line, as a crash leaves it.
  const next = text.indexOf(EVENT_START, bodyAt);
  if (next >= 0 && next < tailAt) return undefined;
  const head = parseJson(`${text.slice(0, bodyAt)}}`);
  const tail = parseJson(`{${text.slice(tailAt + 1)}`);
  if (!isObject(head) || !isObject(tail)) return undefined;
  const isWhole =
    REQUIRED.every((key) => key in head) && (isItem || ("kind" in head && "apiVersion" in head));
  return isWhole ? { ...head, ...tail } : undefined;
}

/** Without one of them the whole text is parsed; an event that has bodies has all of these. */
const REQUIRED = [
  "auditID",
  "stage",
  "requestURI",
  "verb",
  "user",
  "sourceIPs",
  "userAgent",
  "objectRef",
  "responseStatus",
] as const;
