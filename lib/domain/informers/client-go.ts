import {
  NEWEST_KNOWN_MINOR,
  OLDEST_KNOWN_MINOR,
  parseVersion,
  type RuleVersion,
  ruleVersion,
} from "../kubernetes/version.ts";

/** What a version of client-go does in its reflectors and its REST client. */
export interface ClientGoRules {
  readonly version: RuleVersion;
  /** WatchListClient where nobody set it: a WATCH with initial events in place of a LIST. */
  readonly watchListDefault: boolean;
  /** False in 1.26, whose reflectors know no WatchList. */
  readonly hasWatchList: boolean;
  /** How that gate is set: not at all, by a field in code, by an environment variable, by a gate. */
  readonly watchListSwitch: "none" | "field" | "environment" | "gate";
  /**
   * From which call the two minutes count after which back-off begins anew: the last one (up to 1.35), or the last one
   * that began anew (from 1.36), so that it begins anew every two minutes however long a failure lasts.
   */
  readonly backOffResetsSince: "last-call" | "last-reset";
  /** Up to 1.27 watches and cycles have a back-off each; since then they share one. */
  readonly hasSharedBackOff: boolean;
  /** Up to 1.31 opening a watch loses the cause of an error, so that "too large resource version" is not seen. */
  readonly seesCauseWhenOpening: boolean;
  /** A lost HTTP/2 connection under a LIST is retried from 1.32 on. */
  readonly retriesLostHttp2: boolean;
}

/**
 * The rules of a client-go version, written `v0.34.13`, `0.34` or as its Kubernetes release `1.34`. Versions outside
 * 1.26 to 1.37 are answered by the nearest, see `version.note`.
 *
 * @throws {RangeError} where the text is no version.
 * Source: client-go tools/cache/reflector.go, rest/request.go, features/known_features.go and apimachinery
 * pkg/util/wait/backoff.go, v0.26 to v0.37.
 */
export function clientGoRules(version: string): ClientGoRules {
  const parsed = parseVersion(version);
  if (parsed === null)
    throw new RangeError(`"${version}" is not a version of client-go such as v0.34.1 or 1.34.`);
  // client-go 0.N belongs to Kubernetes 1.N.
  const rule = ruleVersion({ ...parsed, major: parsed.major === 0 ? 1 : parsed.major });
  const { minor } = rule;
  return {
    version: rule,
    watchListDefault: minor >= 35,
    hasWatchList: minor >= 27,
    watchListSwitch: watchListSwitch(minor),
    backOffResetsSince: minor >= 36 ? "last-reset" : "last-call",
    hasSharedBackOff: minor >= 28,
    seesCauseWhenOpening: minor >= 32,
    retriesLostHttp2: minor >= 32,
  };
}

/** 1.28 to 1.30: `ENABLE_CLIENT_GO_WATCH_LIST_ALPHA`; 1.30 declares the gate and does not read it. */
function watchListSwitch(minor: number): ClientGoRules["watchListSwitch"] {
  if (minor >= 31) return "gate";
  if (minor >= 28) return "environment";
  return minor === 27 ? "field" : "none";
}

/** All minors whose reflectors are known. */
export const CLIENT_GO_MINORS: readonly number[] = Array.from(
  { length: NEWEST_KNOWN_MINOR - OLDEST_KNOWN_MINOR + 1 },
  (_, i) => OLDEST_KNOWN_MINOR + i,
);
