import type { ListOptions } from "../kubernetes/list-options.ts";
import type { RequestInfo } from "../kubernetes/request.ts";
import type { SeatRules } from "./seat-rules.ts";

/**
 * `ok`: the count is fresh. `stale`: not renewed for over 3 min. `notfound`: not tracked (aggregated API, unknown or
 * pruned resource). `error`: the getter failed otherwise, which is priced as stale.
 */
export type StatisticsState = "ok" | "stale" | "notfound" | "error";

/** What the API server knows of a collection, cluster-wide, whatever namespace is asked for. */
export interface CollectionStatistics {
  /** Absent: `ok` where `objects` is given, else `notfound`. */
  readonly stats?: StatisticsState | null | undefined;
  /** Objects of the resource in the cluster, an integer. */
  readonly objects?: number | null | undefined;
  /** Mean bytes of an object as stored in etcd, an integer; absent, 0 or negative: unknown. Not used before 1.34. */
  readonly size?: number | null | undefined;
}

export const OBJECTS_PER_SEAT = 100;
export const BYTES_PER_SEAT = 100_000;
/** What a LIST from the cache is taken to hold in memory at most, since its encoding is streamed. */
export const CACHED_LIST_BYTES_LIMIT = 1_000_000;
/** Taken for an object of unknown size: the largest request etcd accepts. */
export const UNKNOWN_OBJECT_BYTES = 1_500_000;
/** Objects taken for a stale count, from 1.34. */
export const STALE_OBJECTS = 1_000_000_000;

/**
 * Seats of a LIST, or of a WATCH where the version prices watches, an integer in [1, maximum]. `request` has list
 * options; `plMax` is the cap of the priority level (0 or absent: none).
 * Source: apiserver pkg/util/flowcontrol/request/list_work_estimator.go, v0.26 to v0.37.
 */
export function listSeats(
  rules: SeatRules,
  request: RequestInfo,
  statistics: CollectionStatistics,
  plMax: number | null | undefined,
): number {
  const maximum = maximumSeats(rules.listSeatsLimit, rules, plMax);
  const { options } = request;
  const isSingle = request.name !== "";
  if (isSingle && rules.isNamePricedFirst) return 1;
  if (options === null || !options.isDecodable) return maximum;
  const isWatch = request.verb === "watch";
  if (isWatch && !isPricedAsList(rules, options)) return 1;
  let objects = statistics.objects ?? 0;
  let size = statistics.size ?? 0;
  const state = stateOf(statistics);
  if (state === "notfound") return 1;
  if (state !== "ok") {
    if (rules.takesMaximumWhenStale) return maximum;
    objects = STALE_OBJECTS;
    size = UNKNOWN_OBJECT_BYTES;
  }
  const isFromCache = isWatch || !predictsStorage(rules, options);
  const seats = rules.isSizeBased
    ? Math.ceil(pricedBytes(options, objects, size, isFromCache, isSingle) / BYTES_PER_SEAT)
    : Math.ceil(pricedObjects(rules, options, objects, isFromCache, isSingle) / OBJECTS_PER_SEAT);
  return seats < 1 ? 1 : Math.min(seats, maximum);
}

/** The cap that applies: of the level where it has one below `limit`, else `limit`. */
export function maximumSeats(limit: number, rules: SeatRules, plMax: number | null | undefined): number {
  return rules.hasLevelCap && plMax && plMax < limit ? plMax : limit;
}

/** The state of the statistics with its default. */
export function stateOf({ stats, objects }: CollectionStatistics): StatisticsState {
  return stats ?? (objects === undefined || objects === null ? "notfound" : "ok");
}

/** Whether a watch is priced like a LIST: it asks for the initial state, in words or by its resource version. */
export function isPricedAsList(
  rules: SeatRules,
  { sendInitialEvents, resourceVersion }: ListOptions,
): boolean {
  if (!rules.pricesInitialEvents) return false;
  if (sendInitialEvents === true) return true;
  return rules.pricesLegacyWatches && (resourceVersion === "" || resourceVersion === "0");
}

/**
 * Whether the estimator takes a LIST to be read from etcd. It is a guess of its own: snapshots, resources without a
 * cache and fallbacks are not part of it, see `serveList` for what happens.
 */
export function predictsStorage(rules: SeatRules, options: ListOptions): boolean {
  const { resourceVersion: rv, resourceVersionMatch: match } = options;
  const hasLimit = rules.isPaged && options.limit > 0;
  const hasContinue = rules.isPaged && options.continue !== "";
  const isConsistentFromStorage = rv === "" && !rules.readsConsistentlyFromCache;
  switch (rules.prediction) {
    case "first-rules":
      return rv === "" || hasContinue || (hasLimit && rv !== "0") || match === "Exact";
    case "other-matches":
      return isConsistentFromStorage || hasContinue || (hasLimit && rv !== "0") || isOtherMatch(match);
    case "legacy-exact":
      return (
        isConsistentFromStorage ||
        hasContinue ||
        isOtherMatch(match) ||
        (hasLimit && match === "" && rv !== "" && rv !== "0")
      );
    case "match-first":
      if (match !== "") return match !== "NotOlderThan";
      if (options.continue !== "") return true;
      if (options.limit > 0 && rv !== "" && rv !== "0") return true;
      return isConsistentFromStorage;
  }
}

/** The cache knows `NotOlderThan` and no match. */
const isOtherMatch = (match: string) => match !== "" && match !== "NotOlderThan";

/** Objects that the count formula prices. */
export function pricedObjects(
  rules: SeatRules,
  options: ListOptions,
  objects: number,
  isFromCache: boolean,
  isSingle: boolean,
): number {
  if (isSingle) return 1;
  if (isFromCache) return objects;
  const page = rules.isPaged ? pageOf(options, objects) : objects;
  // Read and decoded, then encoded; with a selector all may have to be read for one page.
  return hasSelector(options) ? objects + page : 2 * page;
}

/** Bytes that the size formula prices. `size` as stored; 0 or less means unknown. */
export function pricedBytes(
  options: ListOptions,
  objects: number,
  size: number,
  isFromCache: boolean,
  isSingle: boolean,
): number {
  const objectBytes = size <= 0 && objects !== 0 ? UNKNOWN_OBJECT_BYTES : size;
  const bytes = loadedObjects(options, objects, isFromCache, isSingle) * objectBytes;
  return isFromCache ? Math.min(bytes, CACHED_LIST_BYTES_LIMIT) : bytes;
}

/** Objects that the size formula takes to be in memory at once. */
export function loadedObjects(
  options: ListOptions,
  objects: number,
  isFromCache: boolean,
  isSingle: boolean,
): number {
  if (isSingle) return 1;
  const page = pageOf(options, objects);
  return !isFromCache && hasSelector(options) ? Math.max(page, Math.trunc(objects / 2)) : page;
}

/** True for any non-empty selector, a malformed one included. */
export const hasSelector = ({ fieldSelector, labelSelector }: ListOptions) =>
  fieldSelector !== "" || labelSelector !== "";

const pageOf = ({ limit }: ListOptions, objects: number) => (limit > 0 && limit < objects ? limit : objects);
