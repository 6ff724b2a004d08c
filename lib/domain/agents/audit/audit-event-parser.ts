import type { AuditEvent, AuditObjectRef, AuditStage } from "../audit-event.ts";
import { readAuditLatency, readAuditObjectRef, textsOf } from "./audit-event-fields.ts";
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
    `,"user":\\{"username":"(${TEXT})"(?:,"uid":"${TEXT}")?(?:,"groups":(${FLAT_ARRAY}))?(?:,"extra":(${FLAT_OBJECT}))?\\}` +
    `(?:,"sourceIPs":(${FLAT_ARRAY}))?(?:,"userAgent":"(${TEXT})")?(?:,"objectRef":(${FLAT_OBJECT}))?` +
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
  readonly #lists = new KnownTexts<readonly string[]>(KNOWN, (json) => textsOf(JSON.parse(json)));
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
    const [groups, extra, sourceIps] = [match[6], match[7] ?? "", match[8]];
    const [objectRef, reason, code, annotations] = [match[10], match[11], match[12], match[15]];
    if (auditId === "" || uri === "") return null;
    try {
      return {
        auditId,
        stage: match[2] as AuditStage,
        verb: this.#texts.get(match[4] ?? ""),
        requestUri: uri.includes("\\") ? uri.replaceAll("\\u0026", "&") : uri,
        userName: this.#texts.get(match[5] ?? ""),
        userGroups: groups === undefined ? NONE : this.#lists.get(groups),
        impersonatorName: null,
        podName: firstText(extra, POD_NAME),
        nodeName: firstText(extra, NODE_NAME),
        sourceIps: sourceIps === undefined ? NONE : this.#lists.get(sourceIps),
        userAgent: this.#texts.get(match[9] ?? ""),
        objectRef: objectRef === undefined ? null : this.#objectRef(objectRef),
        responseCode: code === undefined ? null : Number(code),
        responseReason: reason === undefined || reason === "" ? null : this.#texts.get(reason),
        receivedAt: parseInstant(match[13] ?? ""),
        stageAt: parseInstant(match[14] ?? ""),
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

const NONE: readonly string[] = [];
const POD_NAME = '"authentication.kubernetes.io/pod-name":["';
const NODE_NAME = '"authentication.kubernetes.io/node-name":["';

/** The first text of the array that a key of a flat object has. Without escapes a mark with quotes is a key and nothing else. */
function firstText(json: string, mark: string): string | null {
  const at = json.lastIndexOf(mark);
  if (at < 0) return null;
  const start = at + mark.length;
  return json.slice(start, json.indexOf('"', start));
}
