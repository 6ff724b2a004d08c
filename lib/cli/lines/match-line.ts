import { z } from "zod";
import {
  DEFAULT_SERVER_CONCURRENCY_LIMIT,
  flowSchemas,
  priorityLevels,
  serverConcurrencyLimit,
} from "../../contracts/flow-control-objects.ts";
import { priceRequest } from "../../domain/cost/index.ts";
import {
  computeLimits,
  type FlowMatchAnswer,
  type FlowMatchInput,
  matchFlow,
} from "../../domain/fairness/index.ts";
import { explainVerdict } from "../../domain/fairness/matching/explain-trace.ts";
import type { LineObject } from "../json-lines.ts";
import { ignoredFields, list, optional, readFields, text, versionText } from "./read-fields.ts";
import {
  costFields,
  definedOf,
  KNOWN_GATES,
  method,
  path,
  priceOutputs,
  priceReasons,
} from "./seats-line.ts";

const matchFields = {
  v: versionText(),
  priorityLevels: priorityLevels(),
  flowSchemas: flowSchemas(),
  user: optional(text()),
  groups: optional(list(text(), "a list of group names")),
  method: optional(method()),
  path: path(),
  query: optional(text()),
};
const Line = z.object({ ...matchFields, scl: serverConcurrencyLimit(), ...costFields });

const KNOWN = new Set([
  ...Object.keys(Line.shape),
  ...["requestInfo", "flowSchema", "priorityLevel", "distinguisher"],
]);

/**
 * A request and a configuration in the fields of the vector set `flow-match`. With what is known of the collection
 * (`objects`, `size`, `stats`) or the object (`watchers`) the answer says what the request costs and where it is served.
 */
export function answerMatchLine(line: LineObject): LineObject {
  const fields = definedOf(readFields(Line, line));
  const answer = matchFlow(fields);
  const isPriced =
    fields.objects !== undefined || fields.stats !== undefined || fields.watchers !== undefined;
  const { flowSchemas, priorityLevels } = fields;
  return {
    ...matchOutputs(answer),
    explanation: explainMatch(answer),
    ...(isPriced ? { cost: costOf(fields, answer) } : {}),
    ...ignoredFields(line, KNOWN, { flowSchemas, priorityLevels, gates: KNOWN_GATES }),
  };
}

export function matchOutputs({
  requestInfo,
  flowSchema,
  priorityLevel,
  distinguisher,
}: FlowMatchAnswer): LineObject {
  return { requestInfo, flowSchema, priorityLevel, distinguisher };
}

/** A sentence for each FlowSchema that was tried, in order. */
export function explainMatch({ trace, error }: FlowMatchAnswer): readonly string[] {
  if (error !== null) return [error];
  return trace.map((entry) => {
    const { flowSchemaName, matchingPrecedence, verdict } = entry;
    const colon = verdict === "skipped" || verdict === "not-matched" ? ":" : "";
    return `${flowSchemaName} (${matchingPrecedence})${colon} ${explainVerdict(entry)}`;
  });
}

function costOf(fields: z.output<typeof Line>, answer: FlowMatchAnswer): LineObject {
  const { priced, plMax } = priceMatched(fields, answer);
  const { requestInfo: _, ...outputs } = priceOutputs(priced);
  return { plMax, ...outputs, ...priceReasons(priced) };
}

/** Prices a request at the level that takes it: the cap of one request follows from that level's nominal limit. */
export function priceMatched(
  fields: FlowMatchInput & { readonly scl?: number | undefined } & Omit<
      Parameters<typeof priceRequest>[0],
      "method"
    >,
  { priorityLevel }: FlowMatchAnswer,
) {
  const { limits } = computeLimits({
    v: fields.v,
    scl: fields.scl ?? DEFAULT_SERVER_CONCURRENCY_LIMIT,
    priorityLevels: fields.priorityLevels ?? ["defaults"],
  });
  const plMax = limits[priorityLevel ?? ""]?.maxSeats ?? 0;
  return { plMax, priced: priceRequest({ ...fields, method: fields.method ?? "GET", plMax }), limits };
}
