import {
  isAtLeast,
  type KubernetesVersion,
  parseVersion,
  type RuleVersion,
  ruleVersion,
} from "../kubernetes/version.ts";

/** Most pods that one call of the controller's sync creates, and most that it deletes. */
export const BURST_REPLICAS = 250;

/** What differs between versions of the DaemonSet controller. */
export interface DaemonSetRules {
  readonly version: RuleVersion;
  /**
   * An old pod that is not available counts against `maxUnavailable`, so that it leaves less for available pods. False
   * from 1.21 to 1.28.14, 1.29.9 and 1.30.5 (and in all of 1.27 and older): every such pod goes either way, but there
   * available pods go beside it.
   */
  readonly countsOldUnavailable: boolean;
  /** A pod Ready for exactly `minReadySeconds` is available. */
  readonly isAvailableAtMinReadySeconds: boolean;
  /** Sentences for people: where the version is not known itself, and which of the two countings holds. */
  readonly notes: readonly string[];
}

/** First patch of each minor that counts old unavailable pods again; what is not here and below 1.31 has none. */
const FIRST_FIXED_PATCH: Readonly<Record<number, number>> = { 28: 15, 29: 10, 30: 6 };
const REGRESSED_MINOR = 21;
const FIXED_MINOR = 31;
const INCLUSIVE_MINOR = 34;

/**
 * The rules of a version of kube-controller-manager.
 *
 * Source: kubernetes pkg/controller/daemon/update.go. Run at v1.30.4 (not counted) and v1.30.14, v1.34.4, v1.36.3
 * (counted); read at v1.26.15, v1.27.16, v1.28.14, v1.29.9, v1.30.5 (not counted) and v1.28.15, v1.29.10, v1.30.6,
 * v1.31.0, v1.33.13, v1.37.2 (counted). The regression came with the rework for maxSurge in 1.21
 * (kubernetes/kubernetes#123232); 1.22 to 1.25 are taken to be like 1.21 and 1.26.
 *
 * @throws {RangeError} where a text is no version.
 */
export function daemonSetRules(version: string | KubernetesVersion): DaemonSetRules {
  const parsed = typeof version === "string" ? parseVersion(version) : version;
  const rule = ruleVersion(parsed ?? String(version));
  const isBeforeRegression = parsed !== null && parsed.major === 1 && parsed.minor < REGRESSED_MINOR;
  const countsOldUnavailable = isBeforeRegression || isFixed(rule);
  const notes = rule.note === null ? [] : [rule.note];
  if (isBeforeRegression) {
    notes.push(
      "Before 1.21 old pods that are not available counted against maxUnavailable, as from 1.31 on.",
    );
  } else if (!countsOldUnavailable) {
    notes.push(
      "This version does not count old pods that are not available against maxUnavailable (a regression of 1.21, fixed in 1.28.15, 1.29.10, 1.30.6 and 1.31.0): available pods go beside them.",
    );
  } else if (FIRST_FIXED_PATCH[rule.minor] !== undefined && rule.patch === null) {
    notes.push(
      `No patch was given: answered as the newest of 1.${rule.minor}. Patches before 1.${rule.minor}.${FIRST_FIXED_PATCH[rule.minor]} do not count old unavailable pods against maxUnavailable.`,
    );
  }
  return {
    version: rule,
    countsOldUnavailable,
    isAvailableAtMinReadySeconds: isAtLeast(rule, INCLUSIVE_MINOR),
    notes,
  };
}

function isFixed(version: RuleVersion): boolean {
  if (version.minor >= FIXED_MINOR) return true;
  const patch = FIRST_FIXED_PATCH[version.minor];
  return patch !== undefined && isAtLeast(version, version.minor, patch);
}
