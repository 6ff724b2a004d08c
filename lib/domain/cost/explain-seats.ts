import type { RequestInfo } from "../kubernetes/request.ts";
import { estimateParsed, type SeatEstimate, type SeatsInput } from "./estimate-seats.ts";
import { formatBytes, formatCount, formatSeats } from "./format-figures.ts";
import {
  CACHED_LIST_BYTES_LIMIT,
  hasSelector,
  isPricedAsList,
  loadedObjects,
  maximumSeats,
  predictsStorage,
  pricedBytes,
  pricedObjects,
  STALE_OBJECTS,
  type StatisticsState,
  stateOf,
  UNKNOWN_OBJECT_BYTES,
} from "./list-seats.ts";
import { EVENT_MS, isTokenRequest, WATCHERS_PER_SEAT } from "./mutating-seats.ts";
import { MUTATING_SEATS_LIMIT, type SeatRules } from "./seat-rules.ts";

export interface SeatExplanation {
  /** One phrase each, in the order in which the API server goes; the last one ends in the seats. */
  readonly steps: readonly string[];
  /** The steps in one line: `1.34: size-based; from cache; 20 000 × 4.2 KB → capped at 1 MB → 10 seats`. */
  readonly summary: string;
  /** The cap that applies to this kind of request at its level. */
  readonly maximumSeats: number;
}

/** Why a request costs what it costs. The seats are those of `estimateParsed`, never worked out again. */
export function explainSeats(
  rules: SeatRules,
  request: RequestInfo,
  input: Omit<SeatsInput, "v" | "method" | "path">,
): SeatExplanation {
  const estimate = estimateParsed(rules, request, input);
  const isList = request.verb === "list" || (request.verb === "watch" && rules.pricesInitialEvents);
  const maximum = maximumSeats(isList ? rules.listSeatsLimit : MUTATING_SEATS_LIMIT, rules, input.plMax);
  const steps = isList
    ? explainList(rules, request, input, estimate, maximum)
    : explainOther(rules, request, input.watchers ?? 0, estimate);
  return { steps, summary: `1.${rules.version.minor}: ${steps.join("; ")}`, maximumSeats: maximum };
}

function explainOther(
  rules: SeatRules,
  request: RequestInfo,
  watchers: number,
  { finalSeats, additionalLatencyMs }: SeatEstimate,
): string[] {
  switch (request.verb) {
    case "watch":
      return [`watches are not priced${rules.version.minor < 28 ? "" : " (WatchList off)"} → 1 seat`];
    case "create":
    case "update":
    case "patch":
    case "delete":
      break;
    default:
      return [`${request.verb === "" ? "other methods" : request.verb} → 1 seat`];
  }
  if (isTokenRequest(request)) return ["a token is no change that watches see → 1 seat"];
  const interested = `${formatCount(watchers)} interested ${watchers === 1 ? "watch" : "watches"}`;
  if (finalSeats === 0) return [`${interested}, fewer than ${WATCHERS_PER_SEAT} → 1 seat`];
  const wanted = Math.ceil(watchers / WATCHERS_PER_SEAT);
  const cap = wanted > finalSeats ? ` → capped at ${formatSeats(finalSeats)}, the work kept` : "";
  return [
    "1 seat while it runs",
    `${interested}, ${WATCHERS_PER_SEAT} a seat for ${EVENT_MS} ms → ${formatSeats(wanted)}${cap} → ${formatSeats(finalSeats)} for ${Number(additionalLatencyMs.toPrecision(6))} ms more`,
  ];
}

function explainList(
  rules: SeatRules,
  request: RequestInfo,
  input: Omit<SeatsInput, "v" | "method" | "path">,
  { initialSeats }: SeatEstimate,
  maximum: number,
): string[] {
  const { options } = request;
  const isSingle = request.name !== "";
  if (isSingle && rules.isNamePricedFirst) return ["one object by its name → 1 seat"];
  const takesMaximum = `the maximum → ${formatSeats(maximum)}`;
  if (options === null || !options.isDecodable)
    return [`limit or timeoutSeconds is not an integer: ${takesMaximum}`];
  const isWatch = request.verb === "watch";
  if (isWatch && !isPricedAsList(rules, options)) return ["a watch without initial events → 1 seat"];
  const state = stateOf(input);
  if (state === "notfound") return ["the resource is not tracked (aggregated API, unknown) → 1 seat"];
  if (state !== "ok" && rules.takesMaximumWhenStale) return [`${describeState(state)}: ${takesMaximum}`];
  const isFromCache = isWatch || !predictsStorage(rules, options);
  const objects = state === "ok" ? (input.objects ?? 0) : STALE_OBJECTS;
  const size = state === "ok" ? (input.size ?? 0) : UNKNOWN_OBJECT_BYTES;
  const steps = [rules.isSizeBased ? "size-based" : "count-based"];
  if (isWatch) steps.push("a watch with initial events, priced like a LIST");
  steps.push(isFromCache ? "from cache" : "from etcd");
  if (state !== "ok") steps.push(`${describeState(state)}: taken for ${formatCount(STALE_OBJECTS)} objects`);
  if (isSingle) steps.push("one object by its name");
  steps.push(
    rules.isSizeBased
      ? explainBytes(loadedObjects(options, objects, isFromCache, isSingle), size, objects, isFromCache)
      : explainObjects(rules, options, objects, isFromCache, isSingle),
  );
  const raw = rules.isSizeBased
    ? pricedBytes(options, objects, size, isFromCache, isSingle) / 100_000
    : pricedObjects(rules, options, objects, isFromCache, isSingle) / 100;
  const cap = Math.ceil(raw) > maximum ? ` → ${formatSeats(Math.ceil(raw))}, capped at` : " →";
  const last = steps.pop() ?? "";
  return [...steps, `${last}${cap} ${formatSeats(initialSeats)}`];
}

function explainBytes(loaded: number, size: number, objects: number, isFromCache: boolean): string {
  const isUnknown = size <= 0 && objects !== 0;
  const objectBytes = isUnknown ? UNKNOWN_OBJECT_BYTES : size;
  const times = `${formatCount(loaded)} × ${formatBytes(objectBytes)}${isUnknown ? " (size not known)" : ""}`;
  const isCapped = isFromCache && loaded * objectBytes > CACHED_LIST_BYTES_LIMIT;
  return isCapped ? `${times} → capped at ${formatBytes(CACHED_LIST_BYTES_LIMIT)}` : times;
}

function explainObjects(
  rules: SeatRules,
  options: NonNullable<RequestInfo["options"]>,
  objects: number,
  isFromCache: boolean,
  isSingle: boolean,
): string {
  const priced = formatCount(pricedObjects(rules, options, objects, isFromCache, isSingle));
  if (isSingle || isFromCache) return `${priced} objects`;
  const how = hasSelector(options) ? "all, and the page once more" : "read and encoded";
  return `${priced} objects (${how})`;
}

function describeState(state: StatisticsState): string {
  return state === "stale" ? "the count is stale" : "the count cannot be read";
}
