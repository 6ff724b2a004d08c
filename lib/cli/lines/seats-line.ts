import { z } from "zod";
import { type PricedRequest, priceRequest } from "../../domain/cost/index.ts";
import { type RequestInfo, SERVER_GATES } from "../../domain/kubernetes/index.ts";
import type { LineObject } from "../json-lines.ts";
import { count, flag, ignoredFields, oneOf, optional, readFields, text, versionText } from "./read-fields.ts";

const INTEGER = "a whole number";

/** What is known of a collection and of the request, beside method, path and query. */
export const costFields = {
  gates: optional(z.record(z.string(), flag(), { error: 'feature gates as {"NAME": true or false}' })),
  etcdProgress: optional(flag()),
  stats: optional(oneOf(["ok", "stale", "notfound", "error"])),
  objects: optional(count()),
  size: optional(z.int({ error: INTEGER })),
  watchers: optional(count()),
  isCached: optional(flag()),
  isNamespaced: optional(flag()),
  cacheState: optional(oneOf(["ready", "behind", "initializing"])),
  isSnapshotHeld: optional(flag()),
  versionState: optional(oneOf(["held", "compacted", "future"])),
  changesSince: optional(count()),
  namespaceObjects: optional(count()),
  matchingObjects: optional(count()),
  objectResponseBytes: optional(count()),
};

/** Gates that a price may depend on. Others are no fault, but a misspelt one looks like them. */
export const KNOWN_GATES: LineObject = Object.fromEntries(SERVER_GATES.map((gate) => [gate, true]));

export const METHOD = "an HTTP method in capitals, such as GET";
export const method = () => z.string({ error: METHOD }).regex(/^[A-Z]+$/, { error: METHOD });
export const path = () => z.string({ error: PATH }).startsWith("/", { error: PATH });
const PATH = "a path that begins with /";

const Line = z.object({
  v: versionText(),
  method: method(),
  path: path(),
  query: optional(text()),
  plMax: optional(count()),
  ...costFields,
});

const KNOWN = new Set([
  ...Object.keys(Line.shape),
  ...["requestInfo", "initialSeats", "finalSeats", "additionalLatencyMs"],
]);

/** A request in the fields of the vector sets `seats-list`, `seats-watch` and `seats-mutating`. */
export function answerSeatsLine(line: LineObject): LineObject {
  const priced = priceRequest(definedOf(readFields(Line, line)));
  return {
    ...priceOutputs(priced),
    ...priceReasons(priced),
    ...ignoredFields(line, KNOWN, { gates: KNOWN_GATES }),
  };
}

/** The outputs of the vector sets. */
export function priceOutputs(priced: PricedRequest): LineObject {
  const { initialSeats, finalSeats, additionalLatencyMs } = priced;
  return { requestInfo: shortInfo(priced.requestInfo), initialSeats, finalSeats, additionalLatencyMs };
}

/** What an answer carries beside: why, and for a LIST or WATCH where it is served. */
export function priceReasons({
  summary,
  maximumSeats,
  serving,
  gaps,
  isSubjectToFairness,
  rule,
}: PricedRequest): LineObject {
  return {
    explanation: summary,
    maximumSeats,
    ...(isSubjectToFairness ? {} : { isSubjectToFairness }),
    ...(serving === null ? {} : { serving }),
    ...(gaps.length === 0 ? {} : { gaps }),
    ...(rule.note === null ? {} : { note: rule.note }),
  };
}

/** The fields that the vector sets record of a resolved request. */
export function shortInfo({
  verb,
  apiGroup,
  resource,
  subresource,
  namespace,
  name,
}: RequestInfo): LineObject {
  return { verb, apiGroup, resource, subresource, namespace, name };
}

/** Absent fields are left out: they mean the default of the version. */
export function definedOf<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
