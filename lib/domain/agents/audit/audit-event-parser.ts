import type { AuditEvent, AuditObjectRef, AuditStage } from "../audit-event.ts";
import {
  type AuditUser,
  NO_USER,
  readAuditLatency,
  readAuditObjectRef,
  readAuditUser,
  textOf,
  textsOf,
} from "./audit-event-fields.ts";
import { KnownTexts } from "./known-texts.ts";
import { type AuditProblem, parseAuditEvent } from "./parse-audit-event.ts";
import { parseInstant } from "./parse-instant.ts";

/** Text without quotes and escapes. */
const TEXT = '[^"\\\\]*';
const ESCAPED_TEXT = '(?:[^"\\\\]|\\\\.)*';
/** As Go writes a query: `&` is its one escape. */
const URI_TEXT = '(?:[^"\\\\]|\\\\u0026)*';
/** Without brackets inside, escapes or text that looks like one. */
const FLAT_OBJECT = "\\{[^{}\\\\]*\\}";
const FLAT_ARRAY = "\\[[^\\[\\]\\\\]*\\]";

/** An event without bodies, field after field as API servers write it; every optional one may be missing. */
const PLAIN_EVENT = new RegExp(
  `^\\{"kind":"Event","apiVersion":"audit\\.k8s\\.io/v1","level":"${TEXT}","auditID":"(${TEXT})"` +
    `,"stage":"(RequestReceived|ResponseStarted|ResponseComplete|Panic)","requestURI":"(${URI_TEXT})","verb":"(${TEXT})"` +
    `,"user":(\\{"username":"${TEXT}"(?:,"uid":"${TEXT}")?(?:,"groups":${FLAT_ARRAY})?(?:,"extra":${FLAT_OBJECT})?\\})` +
    `((?:,"sourceIPs":${FLAT_ARRAY})?(?:,"userAgent":"${TEXT}")?)(?:,"objectRef":(${FLAT_OBJECT}))?` +
    `(?:,"responseStatus":\\{"metadata":\\{\\}(?:,"status":"${TEXT}")?(?:,"message":"${ESCAPED_TEXT}")?` +
    `(?:,"reason":"(${TEXT})")?(?:,"details":${FLAT_OBJECT})?,"code":(\\d{1,3})\\})?` +
    `,"requestReceivedTimestamp":"(${TEXT})","stageTimestamp":"(${TEXT})"` +
    `(?:,"annotations":(\\{(?:"${TEXT}":"${ESCAPED_TEXT}",?)*\\}))?\\}\\s*$`,
);

/** Longer texts hold bodies, and are read in another way. */
const MAX_PLAIN_CHARACTERS = 3000;
const KNOWN = 16_384;
const LATENCY = '"apiserver.latency.k8s.io/';

/**
 * Reads the events of one log. What `parseAuditEvent` does for any JSON it does in half the time for nearly every event
 * there is: those of level Metadata, written as API servers write them. Such a text is matched by one expression, which
 * takes nothing that could mean something else, and everything it does not match is parsed as JSON; the parts that come
 * again and again are parsed once. Texts of an event may be parts of the line it came in: who keeps many of them for
 * long copies them (`keptText`).
 */
export class AuditEventParser {
  readonly #texts = new KnownTexts<string>(KNOWN, (text) => text);
  readonly #users = new KnownTexts<AuditUser>(KNOWN, (json) => readAuditUser(JSON.parse(json)) ?? NO_USER);
  readonly #senders = new KnownTexts<Sender>(KNOWN, readSender);
  readonly #objectRefs = new KnownTexts<AuditObjectRef | null>(KNOWN, (json) =>
    readAuditObjectRef(JSON.parse(json)),
  );

  /** `isItem`: of an EventList, whose items need not say their kind and version. */
  parse(text: string, isItem = false): AuditEvent | AuditProblem {
    const match = text.length <= MAX_PLAIN_CHARACTERS ? PLAIN_EVENT.exec(text) : null;
    return (match === null ? null : this.#read(match)) ?? parseAuditEvent(text, isItem);
  }

  /** Of collections there are few; single objects hardly come again. */
  #objectRef(json: string): AuditObjectRef | null {
    return json.includes('"name":') ? readAuditObjectRef(JSON.parse(json)) : this.#objectRefs.get(json);
  }

  /** `null` where a part is no JSON after all. */
  #read(match: RegExpExecArray): AuditEvent | null {
    const auditId = match[1] ?? "";
    const uri = match[3] ?? "";
    const objectRef = match[7];
    const reason = match[8];
    const code = match[9];
    const annotations = match[12];
    if (auditId === "" || uri === "") return null;
    try {
      const user = this.#users.get(match[5] ?? "");
      const sender = this.#senders.get(match[6] ?? "");
      return {
        auditId,
        stage: match[2] as AuditStage,
        verb: this.#texts.get(match[4] ?? ""),
        requestUri: uri.includes("\\") ? uri.replaceAll("\\u0026", "&") : uri,
        userName: user.name,
        userGroups: user.groups,
        impersonatorName: null,
        podName: user.podName,
        nodeName: user.nodeName,
        sourceIps: sender.sourceIps,
        userAgent: sender.userAgent,
        objectRef: objectRef === undefined ? null : this.#objectRef(objectRef),
        responseCode: code === undefined ? null : Number(code),
        responseReason: reason === undefined || reason === "" ? null : this.#texts.get(reason),
        receivedAt: parseInstant(match[10] ?? ""),
        stageAt: parseInstant(match[11] ?? ""),
        latency:
          annotations === undefined || !annotations.includes(LATENCY)
            ? null
            : readAuditLatency(JSON.parse(annotations)),
      };
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }
}

type Sender = Pick<AuditEvent, "sourceIps" | "userAgent">;

/** Of the text between the user and what the request is about, which begins with a comma or is empty. */
function readSender(text: string): Sender {
  const { sourceIPs, userAgent } = JSON.parse(`{${text.slice(1)}}`) as Readonly<Record<string, unknown>>;
  return { sourceIps: textsOf(sourceIPs), userAgent: textOf(userAgent) };
}
