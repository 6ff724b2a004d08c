import { type GateSettings, isGateEnabled } from "../kubernetes/feature-gates.ts";
import type { ListOptions } from "../kubernetes/list-options.ts";
import { isAtLeast } from "../kubernetes/version.ts";
import { continueResourceVersion } from "./continue-token.ts";
import { hasSelector, predictsStorage } from "./list-seats.ts";
import type { SeatRules } from "./seat-rules.ts";
import type { CacheState, Freshness, Refusal, ServingSource, VersionState } from "./serving.ts";

type ListFreshness = Exclude<Freshness, "after">;

export interface SourceInput {
  readonly rules: SeatRules;
  readonly gates: GateSettings;
  /** Not refused by `refusalOfOptions`. */
  readonly options: ListOptions;
  readonly isCached: boolean;
  readonly isSingleKey: boolean;
  readonly cacheState: CacheState;
  readonly isSnapshotHeld: boolean;
  readonly versionState: VersionState;
}

export interface SourceDecision {
  readonly source: ServingSource;
  readonly freshness: Freshness | null;
  readonly refusal: Refusal | null;
  readonly steps: readonly string[];
}

/**
 * Where a LIST is read from, by the rules of the cacher and not by the guess of the estimator.
 * Source: apiserver pkg/storage/cacher/{cacher,delegator}.go and delegator/interface.go, v0.26 to v0.37.
 */
export function decideSource(input: SourceInput): SourceDecision {
  const { versionState } = input;
  const decision = decideForHeld(input);
  if (decision.source !== "etcd" && decision.source !== "etcd-page") return decision;
  if (versionState === "compacted" && decision.freshness === "exact") return expired();
  if (versionState !== "future") return decision;
  if (decision.freshness === "at-least") return refusal(504, "Too large resource version", null);
  return decision.freshness === "exact" ? refusedByEtcd(input) : decision;
}

/** The same without a look at what etcd has of the resource version. */
function decideForHeld(input: SourceInput): SourceDecision {
  const { rules, options } = input;
  const freshness = freshnessOf(input);
  if (!input.isCached)
    return fromEtcd(input, freshness, "The resource is not cached: everything is read from etcd.");
  if (freshness === "exact") return exactSource(input);
  if (isDelegated(input)) {
    const why =
      options.resourceVersion === "" && !rules.readsConsistentlyFromCache
        ? "The latest state is read from etcd: this API server does not read it from its cache."
        : "The cache of this version does not serve such a LIST: it is read from etcd.";
    return fromEtcd(input, freshness, why);
  }
  return cacheSource(input, freshness);
}

/** What state is asked for, by resource version, match, limit and continue. */
function freshnessOf({ rules, options, isSingleKey }: SourceInput): ListFreshness {
  const { resourceVersion: rv, resourceVersionMatch: match } = options;
  if (rules.isPaged && options.continue !== "") {
    const at = continueResourceVersion(options.continue);
    return at !== null && at < 0 ? "latest" : "exact";
  }
  if (match === "Exact") return "exact";
  if (rv === "") return "latest";
  if (rv === "0") return "any";
  // A single object is read as it is now, whatever its limit.
  return match === "" && rules.isPaged && options.limit > 0 && !isSingleKey ? "exact" : "at-least";
}

/** One state of the past: a snapshot in memory where there are such and this one is held, else etcd. */
function exactSource(input: SourceInput): SourceDecision {
  const { rules, gates } = input;
  const wanted =
    input.options.continue === "" ? "One resource version exactly" : "The state of the first page";
  if (!isGateEnabled("ListFromCacheSnapshot", rules.version, gates)) {
    return fromEtcd(input, "exact", `${wanted}: only etcd has it.`);
  }
  if (input.isSingleKey) return fromEtcd(input, "exact", `${wanted}, of a single object: etcd.`);
  if (rules.readsConsistentlyFromCache && !isCacheThere(input)) {
    // A version that the cache has not seen yet is waited for, and a cache that is being filled has seen none.
    if (input.cacheState === "initializing") return unreadySource(input, "exact");
    return tooLarge();
  }
  if (!input.isSnapshotHeld || !isCacheThere(input)) {
    return fromEtcd(
      input,
      "exact",
      `${wanted}: no snapshot of it is held, so etcd, or 410 where etcd has compacted it.`,
    );
  }
  return {
    source: "snapshot",
    freshness: "exact",
    refusal: null,
    steps: [`${wanted}: from a snapshot in memory, as long as one is held.`],
  };
}

/** Whether the cache has come as far as the resource version asked for. */
const isCacheThere = ({ cacheState, versionState }: SourceInput) =>
  cacheState === "ready" && versionState !== "future";

/** Whether the cacher hands the request on, one for the latest state, for any or for one not older. */
function isDelegated({ rules, gates, options, isSingleKey }: SourceInput): boolean {
  if (rules.prediction !== "match-first") return predictsStorage(rules, options);
  // Taken for a page of one state, which the cache has of no single object.
  if (isSingleKey && options.limit > 0 && isLegacyExact(options)) return true;
  if (options.continue !== "") {
    // A continuation at the latest state. Without snapshots the cacher looks into no token.
    const hasSnapshots = isGateEnabled("ListFromCacheSnapshot", rules.version, gates);
    return !hasSnapshots || !rules.readsConsistentlyFromCache;
  }
  if (options.resourceVersion !== "") return false;
  return !rules.readsConsistentlyFromCache || (options.limit > 0 && hasPageRegression(rules));
}

const isLegacyExact = ({ resourceVersion: rv, resourceVersionMatch: match }: ListOptions) =>
  match === "" && rv !== "" && rv !== "0";

/** 1.33.0 to 1.33.2 read pages of the latest state from etcd. Source: kubernetes#132132, fixed by #132244. */
const hasPageRegression = ({ version }: SeatRules) => version.minor === 33 && !isAtLeast(version, 33, 3);

function cacheSource(input: SourceInput, freshness: keyof typeof CACHE_STEPS): SourceDecision {
  const { cacheState } = input;
  if (cacheState === "initializing") return unreadySource(input, freshness);
  if (freshness === "at-least" && !isCacheThere(input)) return tooLarge();
  if (freshness === "latest" && cacheState === "behind") return staleSource(input);
  return { source: "cache", freshness, refusal: null, steps: [CACHE_STEPS[freshness]] };
}

const CACHE_STEPS: Readonly<Record<Exclude<ListFreshness, "exact">, string>> = {
  any: "Any age will do: from the cache at once.",
  "at-least": "Not older than the resource version: from the cache once it is there, within 3 s.",
  latest: "The latest state: from the cache once it has reached the current revision of etcd, within 3 s.",
};

/** The cache did not reach the current revision within 3 s. */
function staleSource(input: SourceInput): SourceDecision {
  if (isGateEnabled("ConsistentListFromCacheSkipTimeoutFallback", input.rules.version, input.gates)) {
    return refusal(429, "The cache did not reach the current revision within 3 s", 1);
  }
  return fromEtcd(
    input,
    "latest",
    "The cache did not reach the current revision within 3 s: falls back to etcd.",
  );
}

function unreadySource(input: SourceInput, freshness: Freshness): SourceDecision {
  const { rules, options, gates } = input;
  if (isGateEnabled("ResilientWatchCacheInitialization", rules.version, gates)) {
    if (options.limit > 0 && !hasSelector(options)) {
      return fromEtcd(
        input,
        freshness,
        "The cache is being filled: a page without selector is read from etcd.",
      );
    }
    const growth = rules.version.minor >= 33 ? "; Retry-After grows to 30 s with the time it takes" : "";
    return refusal(429, `storage is (re)initializing${growth}`, 1);
  }
  if (options.resourceVersion === "" || options.resourceVersion === "0") {
    return fromEtcd(
      input,
      freshness,
      "The cache is being filled: etcd serves what names no resource version.",
    );
  }
  return {
    source: "cache",
    freshness,
    refusal: null,
    steps: ["The cache is being filled: the request waits until that is done."],
  };
}

function fromEtcd(input: SourceInput, freshness: Freshness, why: string): SourceDecision {
  const isPage = input.rules.isPaged && input.options.limit > 0 && !input.isSingleKey;
  return { source: isPage ? "etcd-page" : "etcd", freshness, refusal: null, steps: [why] };
}

const tooLarge = () => refusal(504, "Too large resource version: the cache did not get there within 3 s", 1);

const expired = () => refusal(410, "The resource version is too old: etcd has compacted it", null);

/** Up to 1.36 the API server passes on what etcd says. */
function refusedByEtcd({ rules }: SourceInput): SourceDecision {
  return rules.version.minor >= 37
    ? refusal(504, "Too large resource version", null)
    : refusal(500, "etcdserver: mvcc: required revision is a future revision", null);
}

function refusal(status: number, message: string, retryAfterSeconds: number | null): SourceDecision {
  return {
    source: "none",
    freshness: null,
    refusal: { status, message, retryAfterSeconds },
    steps: [`Refused with ${status}: ${message}.`],
  };
}
