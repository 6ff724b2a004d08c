/** An image reference taken apart. */
export interface ImageReference {
  /** `docker.io`, `registry.k8s.io`, `10.0.0.1:5000`; empty where the reference names none. */
  readonly registry: string;
  /** Path without registry, tag and digest: `fluent/fluent-bit`, `nginx`. */
  readonly repository: string;
  /** `null`: no tag. */
  readonly tag: string | null;
  /** `sha256:…`; `null`: none. */
  readonly digest: string | null;
}

/** Longer references are no references: the API server refuses names of repositories above 255 characters. */
const LONGEST = 1024;

/** Takes an image reference apart; `null` where the text is none (empty, with white space, or far too long). */
export function parseImageReference(text: string): ImageReference | null {
  const image = text.trim();
  if (image === "" || image.length > LONGEST || /\s/.test(image)) return null;
  const [named = "", digest] = splitOnce(image, "@");
  const firstSlash = named.indexOf("/");
  const host = firstSlash < 0 ? "" : named.slice(0, firstSlash);
  // As container runtimes tell a registry from the first part of a path: by a dot, a port, or the name localhost.
  const hasRegistry = host === "localhost" || host.includes(".") || host.includes(":");
  const path = hasRegistry ? named.slice(firstSlash + 1) : named;
  const colon = path.lastIndexOf(":");
  const hasTag = colon > path.lastIndexOf("/");
  const repository = hasTag ? path.slice(0, colon) : path;
  if (repository === "") return null;
  const tag = hasTag ? path.slice(colon + 1) : null;
  return {
    registry: hasRegistry ? host : "",
    repository,
    tag: tag === "" ? null : tag,
    digest: digest ?? null,
  };
}

const VERSION_IN_TAG = /(?:^|[-_])v?(\d{1,9}(?:\.\d{1,9}){1,3}(?:-(?:alpha|beta|rc|pre)[.\d-]*)?)/i;

/**
 * The version that a tag names: `v1.17.4` and `1.17.4-alpine` are 1.17.4, `agent-7.62.0` is 7.62.0. `null` for `latest`,
 * a commit, or no tag.
 */
export function versionOfTag(tag: string | null): string | null {
  return tag === null ? null : (VERSION_IN_TAG.exec(tag)?.[1]?.toLowerCase().replace(/[.-]$/, "") ?? null);
}

/**
 * Order of two versions of agents, which have any number of parts; a part that is missing counts as 0, a pre-release
 * precedes its release. `null` where one is no version.
 */
export function compareAgentVersions(a: string, b: string): number | null {
  const left = partsOf(a);
  const right = partsOf(b);
  if (left === null || right === null) return null;
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(right.isPreRelease) - Number(left.isPreRelease);
}

function partsOf(
  text: string,
): { readonly numbers: readonly number[]; readonly isPreRelease: boolean } | null {
  const match = /^v?(\d{1,9}(?:\.\d{1,9})*)(.*)$/i.exec(text.trim());
  if (match === null) return null;
  return {
    numbers: (match[1] ?? "").split(".").map(Number),
    isPreRelease: /^-?(alpha|beta|rc|pre)/i.test(match[2] ?? ""),
  };
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
