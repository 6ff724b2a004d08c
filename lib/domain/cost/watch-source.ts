import { type GateSettings, isGateEnabled } from "../kubernetes/feature-gates.ts";
import type { ListOptions } from "../kubernetes/list-options.ts";
import { isAtLeast } from "../kubernetes/version.ts";
import type { SeatRules } from "./seat-rules.ts";
import type { CacheState, Freshness, Refusal, ServingSource, VersionState } from "./serving.ts";

/** What a WATCH sends before the first live change: the whole state, the changes since its resource version, nothing. */
export type WatchBeginning = "state" | "changes" | "nothing";

export interface WatchSourceInput {
  readonly rules: SeatRules;
  readonly gates: GateSettings;
  /** Not refused by `refusalOfWatchOptions`. */
  readonly options: ListOptions;
  readonly isCached: boolean;
  readonly hasEtcdProgress: boolean;
  readonly cacheState: CacheState;
  /** Whether the cache remembers all changes since the resource version. */
  readonly isHistoryHeld: boolean;
  readonly versionState: VersionState;
}

export interface WatchDecision {
  readonly beginning: WatchBeginning;
  readonly source: ServingSource;
  readonly freshness: Freshness | null;
  readonly refusal: Refusal | null;
  readonly steps: readonly string[];
}

/**
 * What a WATCH begins with, and where that is taken from.
 * Source: apimachinery pkg/apis/meta/internalversion/defaults.go; apiserver pkg/storage/cacher/{cacher,watch_cache}.go,
 * pkg/storage/etcd3/watcher.go, v0.26 to v0.37.
 */
export function decideWatchSource(input: WatchSourceInput): WatchDecision {
  const sendsInitialEvents = initialEventsOf(input);
  const beginning = beginningOf(input, sendsInitialEvents);
  const isFromEtcd = !input.isCached || (sendsInitialEvents === null && readsUnsetFromEtcd(input));
  return isFromEtcd
    ? etcdSource(input, beginning, sendsInitialEvents)
    : cacheSource(input, beginning, sendsInitialEvents);
}

const isUnset = ({ resourceVersion: rv }: ListOptions) => rv === "" || rv === "0";

/** With WatchList a WATCH from resource version "" or "0" is taken for one that asks for its initial events. */
function initialEventsOf({ rules, gates, options }: WatchSourceInput): boolean | null {
  if (rules.version.minor < 27) return null;
  if (options.sendInitialEvents !== null) return options.sendInitialEvents;
  const isDefaulted = options.watch && isUnset(options) && isGateEnabled("WatchList", rules.version, gates);
  return isDefaulted ? true : null;
}

function beginningOf(
  { options, versionState }: WatchSourceInput,
  sendsInitialEvents: boolean | null,
): WatchBeginning {
  if (sendsInitialEvents ?? isUnset(options)) return "state";
  return isUnset(options) || versionState === "future" ? "nothing" : "changes";
}

/** 1.27.0 to 1.27.12, 1.28.0 to 1.28.8 and 1.29.0 to 1.29.3 handed a WATCH from resource version "" on to etcd. */
function readsUnsetFromEtcd({ rules: { version }, options }: WatchSourceInput): boolean {
  if (options.resourceVersion !== "") return false;
  const fixedIn = new Map([
    [27, 13],
    [28, 9],
    [29, 4],
  ]).get(version.minor);
  return fixedIn !== undefined && !isAtLeast(version, version.minor, fixedIn);
}

function freshnessOf(
  { options }: WatchSourceInput,
  beginning: WatchBeginning,
  isLatest: boolean,
): Exclude<Freshness, "exact"> {
  if (beginning !== "state") return "after";
  if (options.resourceVersion === "") return isLatest ? "latest" : "any";
  return options.resourceVersion === "0" ? "any" : "at-least";
}

function cacheSource(
  input: WatchSourceInput,
  beginning: WatchBeginning,
  sendsInitialEvents: boolean | null,
): WatchDecision {
  const { rules, gates, options, cacheState, versionState } = input;
  const isResilient = isGateEnabled("ResilientWatchCacheInitialization", rules.version, gates);
  if (cacheState === "initializing" && isResilient) {
    const growth = rules.version.minor >= 33 ? "; Retry-After grows to 30 s with the time it takes" : "";
    return refusal(beginning, 429, `storage is (re)initializing${growth}`, 1);
  }
  const waits = cacheState === "initializing" ? ["The cache is being filled: the request waits for it."] : [];
  if (beginning === "changes" && !input.isHistoryHeld) {
    return refusal(beginning, 410, "too old resource version: the cache does not remember all since", null);
  }
  // Without WatchList the latest state is that of the cache, however old.
  const freshness = freshnessOf(input, beginning, sendsInitialEvents === true);
  if (beginning === "state" && sendsInitialEvents === true) {
    if (options.allowWatchBookmarks && !input.hasEtcdProgress && rules.version.minor >= 31) {
      return refusal(
        beginning,
        500,
        "a watch stream was asked for and etcd has no RequestWatchProgress",
        null,
      );
    }
    const isThere = freshness === "at-least" ? versionState !== "future" : true;
    if (freshness !== "any" && (cacheState === "behind" || !isThere)) {
      return refusal(beginning, 504, "Too large resource version: the cache did not get there within 3 s", 1);
    }
  }
  const source = beginning === "state" ? "cache" : "history";
  return { beginning, source, freshness, refusal: null, steps: [...waits, CACHE_STEPS[freshness]] };
}

const CACHE_STEPS: Readonly<Record<Exclude<Freshness, "exact">, string>> = {
  any: "The whole state first, whatever age it has: from the cache at once.",
  "at-least":
    "The whole state first, not older than the resource version: from the cache once it is there, within 3 s.",
  latest:
    "The whole state first, as of now: from the cache once it has reached the current revision of etcd, within 3 s.",
  after: "No state first, but the changes after the resource version that the cache remembers.",
};

function etcdSource(
  input: WatchSourceInput,
  beginning: WatchBeginning,
  sendsInitialEvents: boolean | null,
): WatchDecision {
  const { versionState } = input;
  if (beginning === "changes" && versionState === "compacted") {
    return refusal(beginning, 410, "too old resource version: etcd has compacted it", null);
  }
  const freshness = freshnessOf(input, beginning, true);
  if (sendsInitialEvents === true && freshness === "at-least" && versionState === "future") {
    return refusal(beginning, 504, "Too large resource version, to be tried again after 1 to 3 s", null);
  }
  const why = input.isCached
    ? "This version hands a WATCH without resource version on to etcd."
    : "The resource is not cached: a watch of its own is opened on etcd.";
  return { beginning, source: "etcd", freshness, refusal: null, steps: [why, ETCD_STEPS[beginning]] };
}

const ETCD_STEPS: Readonly<Record<WatchBeginning, string>> = {
  state: "The whole state is read first, in pages of 10,000 or as one stream.",
  changes: "The changes after the resource version come from etcd.",
  nothing: "Only what changes from now on is sent.",
};

function refusal(
  beginning: WatchBeginning,
  status: number,
  message: string,
  retryAfterSeconds: number | null,
): WatchDecision {
  // Whatever fails once the watch is accepted is answered 200, and tells by its first event.
  const how = status === 429 ? "" : ", as an ERROR event";
  return {
    beginning,
    source: "none",
    freshness: null,
    refusal: { status, message, retryAfterSeconds },
    steps: [`Refused with ${status}${how}: ${message}.`],
  };
}
