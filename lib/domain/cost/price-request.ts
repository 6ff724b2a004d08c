import type { ListOptions } from "../kubernetes/list-options.ts";
import { parseRequest, type RequestInfo } from "../kubernetes/request.ts";
import type { RuleVersion } from "../kubernetes/version.ts";
import { estimateParsed, type MutatingSeatsInput, type SeatEstimate } from "./estimate-seats.ts";
import { explainSeats } from "./explain-seats.ts";
import { isPricedAsList, predictsStorage } from "./list-seats.ts";
import { type SeatRules, seatRules } from "./seat-rules.ts";
import { serveParsed } from "./serve-list.ts";
import { serveParsedWatch } from "./serve-watch.ts";
import type { RequestServing, ServingInput } from "./serving.ts";

/** Any request, with all that may be known of it. Only version, method and path are needed. */
export interface PriceInput extends ServingInput, MutatingSeatsInput {}

export interface PricedRequest extends SeatEstimate {
  /** The version whose rules answered, with a note where the given one is not known. */
  readonly rule: RuleVersion;
  /** The cap that applies to this kind of request at its level. */
  readonly maximumSeats: number;
  /** False for what passes APF by: exec, log, port-forward, proxy, and paths that are answered 500 before. */
  readonly isSubjectToFairness: boolean;
  /** Why it costs what it costs, one phrase each. */
  readonly steps: readonly string[];
  /** The steps in one line. */
  readonly summary: string;
  /** Where a LIST is served, and what a WATCH begins with; `null` for other requests. */
  readonly serving: RequestServing | null;
  /** Where the price and the work differ, one sentence each. */
  readonly gaps: readonly string[];
}

/**
 * Prices a request of any kind, says why, and for a LIST or WATCH where it is served.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function priceRequest(input: PriceInput): PricedRequest {
  const rules = seatRules(input.v, input.gates, input.etcdProgress);
  const request = parseRequest(input.method, input.path, input.query ?? "", rules.version.minor);
  const estimate = estimateParsed(rules, request, input);
  const { steps, summary, maximumSeats } = explainSeats(rules, request, input);
  const serving = serveParsed(rules, request, input) ?? serveParsedWatch(rules, request, input);
  return {
    ...estimate,
    rule: rules.version,
    maximumSeats,
    isSubjectToFairness: request.error === null && !passesFairnessBy(request),
    steps,
    summary,
    serving,
    gaps: serving === null ? [] : priceGaps(rules, request, serving, input),
  };
}

const LONG_RUNNING_SUBRESOURCES = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/**
 * Long-running requests that are no watches get no seats at all.
 * Source: kubernetes pkg/controlplane/apiserver/config.go; apiserver pkg/server/filters/longrunning.go.
 */
export function passesFairnessBy({ verb, subresource, isResourceRequest, path }: RequestInfo): boolean {
  if (!isResourceRequest) return path.startsWith("/debug/pprof/");
  return verb === "proxy" || LONG_RUNNING_SUBRESOURCES.has(subresource);
}

/** Where the estimator and the cacher part ways. */
function priceGaps(
  rules: SeatRules,
  request: RequestInfo,
  serving: RequestServing,
  input: PriceInput,
): string[] {
  const { options } = request;
  if (options === null || !options.isDecodable) return [];
  if (serving.source === "none") return ["It is refused, and takes its seats all the same."];
  if (serving.isWatch) return watchGaps(rules, request, options, serving);
  const isPricedFromCache = !predictsStorage(rules, options);
  const isFromMemory = serving.source === "cache" || serving.source === "snapshot";
  const gaps: string[] = [];
  const isLimitPassedOver = options.limit > 0 && !serving.isLimitHonoured;
  if (isLimitPassedOver && rules.isSizeBased)
    gaps.push("It is priced by its limit, which is then passed over.");
  if (options.limit > 0 && serving.isLimitHonoured && !rules.isSizeBased && isPricedFromCache) {
    gaps.push("It is priced for the whole collection, though it returns a page.");
  }
  if (request.namespace !== "" && request.name === "")
    gaps.push("A namespace is priced like the whole cluster.");
  if (isFromMemory && !isPricedFromCache)
    gaps.push("It is priced as read from etcd, though memory serves it.");
  if (!isFromMemory && isPricedFromCache)
    gaps.push("It is priced as served from the cache, though etcd is read.");
  if (request.name !== "" && !serving.isSingleKey) {
    gaps.push(
      "It is priced as one object, though all are gone through: the namespace of the name is not given.",
    );
  }
  if (isNarrowed(serving, input))
    gaps.push("An index narrows what is looked at; the price does not know of it.");
  return gaps;
}

/** Where the price of a WATCH and what it begins with part ways. */
function watchGaps(
  rules: SeatRules,
  { name, namespace }: RequestInfo,
  options: ListOptions,
  { source, freshness, isSingleKey, handled }: RequestServing,
): string[] {
  const isPriced = isPricedAsList(rules, options);
  if (freshness === "after") {
    if (isPriced) return ["It is priced for the whole state, which is not sent."];
    return handled.objects === 0 ? [] : ["The changes that it begins with have no price."];
  }
  if (!isPriced) return ["It takes 1 seat, though the whole state is gone through first."];
  const gaps: string[] = [];
  if (source === "etcd") gaps.push("It is priced as served from the cache, though etcd is read.");
  if (source === "etcd" && namespace !== "" && name === "")
    gaps.push("A namespace is priced like the whole cluster.");
  if (name !== "" && !isSingleKey) {
    gaps.push(
      "It is priced as one object, though all are gone through: the namespace of the name is not given.",
    );
  }
  return gaps;
}

/** Fewer objects are looked at in memory than the namespace or the cluster has. */
function isNarrowed({ source, handled, isSingleKey }: RequestServing, input: PriceInput): boolean {
  const all = input.namespaceObjects ?? input.objects ?? null;
  return (
    source === "cache" && !isSingleKey && all !== null && handled.objects !== null && handled.objects < all
  );
}
