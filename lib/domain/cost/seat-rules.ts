import { type GateSettings, isGateEnabled } from "../kubernetes/feature-gates.ts";
import { type RuleVersion, ruleVersion } from "../kubernetes/version.ts";
import { hasLevelCap } from "./level-cap.ts";

/**
 * How the estimator guesses whether a LIST is read from etcd. `first-rules`: 1.26. `other-matches`: 1.27 to 1.30.
 * `legacy-exact`: 1.31 and 1.32. `match-first`: from 1.33, code shared with the cacher.
 */
export type SourcePrediction = "first-rules" | "other-matches" | "legacy-exact" | "match-first";

/** What a version, its feature gates and its etcd make of the price of a request. */
export interface SeatRules {
  readonly version: RuleVersion;
  readonly prediction: SourcePrediction;
  /** False where APIListChunking is off: `limit` and `continue` are passed over. */
  readonly isPaged: boolean;
  /** A LIST of the latest state is taken to be served from the cache. */
  readonly readsConsistentlyFromCache: boolean;
  /** 100,000 bytes a seat instead of 100 objects a seat. */
  readonly isSizeBased: boolean;
  /** Watches that ask for initial events are priced like a LIST. */
  readonly pricesInitialEvents: boolean;
  /** So are watches from resource version "" or "0", which get the whole state as well. */
  readonly pricesLegacyWatches: boolean;
  /** The cap of the priority level is handed to the estimator. */
  readonly hasLevelCap: boolean;
  readonly listSeatsLimit: number;
  /** A request with a name costs 1 seat before anything else is looked at (up to 1.33). */
  readonly isNamePricedFirst: boolean;
  /** A stale count costs the maximum (up to 1.33); from 1.34 it stands for a huge collection. */
  readonly takesMaximumWhenStale: boolean;
}

/** Seats that a mutating request occupies at most, in every version. */
export const MUTATING_SEATS_LIMIT = 10;

const remembered = new Map<string, (SeatRules | undefined)[]>();
/** Versions remembered before all are forgotten: input may name any number of them. */
const REMEMBERED_VERSIONS = 1000;

/**
 * The rules of one API server. `v` as `ruleVersion` reads it; absent gates have the default of the version; absent
 * `etcdProgress` means an etcd with progress requests (3.4.31, 3.5.13 and later), which matters from 1.31 on. Equal
 * arguments give the same object.
 *
 * @throws {RangeError} where `v` is no version.
 * Source: apiserver pkg/util/flowcontrol/request/{width,list_work_estimator,config}.go, v0.26 to v0.37.
 */
export function seatRules(v: string, gates?: GateSettings | null, etcdProgress?: boolean | null): SeatRules {
  let ofVersion = remembered.get(v);
  if (ofVersion === undefined) {
    if (remembered.size >= REMEMBERED_VERSIONS) remembered.clear();
    ofVersion = [];
    remembered.set(v, ofVersion);
  }
  const key = settingsKey(gates ?? undefined, etcdProgress !== false);
  const known = ofVersion[key];
  if (known !== undefined) return known;
  const rules = resolve(ruleVersion(v), gates ?? {}, etcdProgress !== false);
  ofVersion[key] = rules;
  return rules;
}

/** A number for the settings that matter: three states of four gates, two of etcd. */
function settingsKey(gates: GateSettings | undefined, etcdProgress: boolean): number {
  const etcd = etcdProgress ? 1 : 0;
  if (gates === undefined) return etcd;
  const states =
    ((stateOf(gates.APIListChunking) * 3 + stateOf(gates.ConsistentListFromCache)) * 3 +
      stateOf(gates.SizeBasedListCostEstimate)) *
      3 +
    stateOf(gates.WatchList);
  return states * 2 + etcd;
}

function stateOf(gate: boolean | undefined): number {
  if (gate === undefined) return 0;
  return gate ? 1 : 2;
}

function resolve(version: RuleVersion, gates: GateSettings, etcdProgress: boolean): SeatRules {
  const { minor } = version;
  const isSizeBased = isGateEnabled("SizeBasedListCostEstimate", version, gates);
  return {
    version,
    prediction: predictionOf(minor),
    isPaged: isGateEnabled("APIListChunking", version, gates),
    // Up to 1.30 etcd was not asked whether it can do what the gate needs.
    readsConsistentlyFromCache:
      isGateEnabled("ConsistentListFromCache", version, gates) && (etcdProgress || minor < 31),
    isSizeBased,
    pricesInitialEvents: minor >= 28 && isGateEnabled("WatchList", version, gates),
    pricesLegacyWatches: minor >= 35,
    hasLevelCap: hasLevelCap(version),
    listSeatsLimit: isSizeBased ? 100 : 10,
    isNamePricedFirst: minor < 34,
    takesMaximumWhenStale: minor < 34,
  };
}

function predictionOf(minor: number): SourcePrediction {
  if (minor >= 33) return "match-first";
  if (minor >= 31) return "legacy-exact";
  return minor >= 27 ? "other-matches" : "first-rules";
}
