/**
 * Kubernetes versions: parsing, order, and the version whose rules answer for a given one. Rules are known for
 * 1.26 to 1.37; what lies outside is answered with the nearest of them, and says so.
 */

/** Minors of Kubernetes 1 whose rules are known, ascending and without a gap. */
export const OLDEST_KNOWN_MINOR = 26;
export const NEWEST_KNOWN_MINOR = 37;

export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** `null` where the text names none ("1.36", "1.36+"): the newest patch of the minor is meant. */
  readonly patch: number | null;
  /** `alpha.1`, `beta.0`, `rc.2`, or `null`. A vendor's suffix (`-gke.100`, `-eks-3025e55`, `+k3s1`) is none. */
  readonly preRelease: string | null;
}

/** The known version whose rules are used for a given one. */
export interface RuleVersion {
  /** Between `OLDEST_KNOWN_MINOR` and `NEWEST_KNOWN_MINOR`, of major 1. */
  readonly minor: number;
  /** `null`: the newest patch of the minor. */
  readonly patch: number | null;
  /** True where the given version is not among the known ones. */
  readonly isClamped: boolean;
  /** A sentence for people where `isClamped`, else `null`. */
  readonly note: string | null;
}

const VERSION = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9})|\+)?([-+].*)?$/;
const PRE_RELEASE = /^-((?:alpha|beta|rc)\.\d{1,9})(?:[-+].*)?$/;

/**
 * Reads a version as servers, metrics and people write it: `1.34.13`, `v1.34.2-gke.100`, `1.36`, `1.36+`,
 * `v1.37.0-beta.0`, `v1.31.4+k3s1`. White space around it is ignored. `null` for anything else.
 */
export function parseVersion(text: string): KubernetesVersion | null {
  const match = VERSION.exec(text.trim());
  if (match === null) return null;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: match[3] === undefined ? null : Number(match[3]),
    preRelease: PRE_RELEASE.exec(match[4] ?? "")?.[1] ?? null,
  };
}

/**
 * Order of two versions: negative, 0 or positive, for `sort`. A version without a patch follows all patches of its
 * minor; a pre-release precedes its release; vendors' suffixes play no role.
 */
export function compareVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    comparePatches(a.patch, b.patch) ||
    comparePreReleases(a.preRelease, b.preRelease)
  );
}

/**
 * The version whose rules answer for `version`: itself from 1.26 to 1.37, else the nearest known (1.26.0 for an older
 * one, the newest 1.37 for a newer one) with `isClamped` and a sentence.
 *
 * @throws {RangeError} where a text is no version; `parseVersion` tells beforehand.
 */
export function ruleVersion(version: string | KubernetesVersion): RuleVersion {
  const parsed = typeof version === "string" ? parseVersion(version) : version;
  if (parsed === null)
    throw new RangeError(`"${String(version)}" is not a Kubernetes version such as 1.34.2.`);
  const { major, minor, patch } = parsed;
  if (major < 1 || (major === 1 && minor < OLDEST_KNOWN_MINOR)) {
    return clamped(parsed, OLDEST_KNOWN_MINOR, 0, "older");
  }
  if (major > 1 || minor > NEWEST_KNOWN_MINOR) return clamped(parsed, NEWEST_KNOWN_MINOR, null, "newer");
  return { minor, patch, isClamped: false, note: null };
}

/** True where `version` is 1.`minor`.`patch` or later. No patch in `version` means the newest of its minor. */
export function isAtLeast(
  version: Pick<RuleVersion, "minor" | "patch">,
  minor: number,
  patch: number = 0,
): boolean {
  if (version.minor !== minor) return version.minor > minor;
  return version.patch === null || version.patch >= patch;
}

/** `1.34.13`, `1.36` where no patch is named, `1.37.0-beta.0`. */
export function formatVersion({ major, minor, patch, preRelease }: KubernetesVersion): string {
  return `${major}.${minor}${patch === null ? "" : `.${patch}`}${preRelease === null ? "" : `-${preRelease}`}`;
}

function clamped(
  given: KubernetesVersion,
  minor: number,
  patch: number | null,
  side: "older" | "newer",
): RuleVersion {
  const note = `${formatVersion(given)} is ${side} than the versions whose rules are known (1.${OLDEST_KNOWN_MINOR} to 1.${NEWEST_KNOWN_MINOR}): answered by the rules of 1.${minor}.`;
  return { minor, patch, isClamped: true, note };
}

function comparePatches(a: number | null, b: number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : a - b;
}

function comparePreReleases(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const [kindA = "", numberA = ""] = a.split(".");
  const [kindB = "", numberB = ""] = b.split(".");
  if (kindA !== kindB) return kindA < kindB ? -1 : 1;
  return Number(numberA) - Number(numberB);
}
