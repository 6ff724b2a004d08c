/**
 * Kubernetes versions of the test bed, one patch release for each minor. Every one is served by the Go
 * module proxy with all its staging modules, which is not true of all patch releases.
 */
const PATCH_OF_MINOR: Readonly<Record<string, string>> = {
  "1.33": "1.33.13",
  "1.34": "1.34.4",
  "1.35": "1.35.4",
  "1.36": "1.36.3",
  "1.37": "1.37.2",
};

export const NEWEST_VERSION = "1.37.2";
export const ETCD_VERSION = "3.7.3";
export const KWOK_VERSION = "0.8.0";

/**
 * The full version for `1.33`, `v1.33` or `1.33.13`.
 *
 * @throws Error when the text is no version, or a minor without a known patch release.
 */
export function resolveVersion(text: string): string {
  const version = text.trim().replace(/^v/, "");
  if (/^1\.\d+\.\d+$/.test(version)) return version;
  const known = PATCH_OF_MINOR[version];
  if (known !== undefined) return known;
  throw new Error(
    `Kubernetes version "${text}" is not known: give a full version such as 1.33.13, or one of ` +
      Object.keys(PATCH_OF_MINOR).join(", "),
  );
}

/** The minor number: 33 of `1.33.13`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

/** Full versions named by a comma-separated list, in order, each once; the newest when it is empty. */
export function resolveVersions(list: string | undefined): readonly string[] {
  const parts = (list ?? "").split(",").filter((part) => part.trim() !== "");
  if (parts.length === 0) return [NEWEST_VERSION];
  return [...new Set(parts.map(resolveVersion))];
}
