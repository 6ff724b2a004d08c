import { parseImageReference } from "../image-reference.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";

/**
 * The entry whose pattern fits an image best: the pattern with most path segments, then most characters that are no
 * wildcard, then the entry given first. `null`: none fits.
 */
export function matchImage(catalogue: readonly CatalogueEntry[], image: string): CatalogueEntry | null {
  const repository = parseImageReference(image)?.repository.toLowerCase() ?? null;
  if (repository === null) return null;
  let best: CatalogueEntry | null = null;
  let bestRank = 0;
  for (const entry of catalogue) {
    for (const pattern of entry.images) {
      const rank = matchesRepository(pattern, repository) ? rankOf(pattern) : 0;
      if (rank <= bestRank) continue;
      best = entry;
      bestRank = rank;
    }
  }
  return best;
}

/** Segments count more than any number of characters. */
const rankOf = (pattern: string) => pattern.split("/").length * 1000 + pattern.replaceAll("*", "").length + 1;

function matchesRepository(pattern: string, repository: string): boolean {
  const wanted = pattern.split("/");
  const given = repository.split("/");
  if (given.length < wanted.length) return false;
  return given
    .slice(given.length - wanted.length)
    .every((segment, at) => matchesSegment(wanted[at] ?? "", segment));
}

/** Every part between wildcards in its order: linear in the segment for each part, whatever the pattern. */
function matchesSegment(pattern: string, segment: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (!segment.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return segment === first;
  let at = first.length;
  for (const part of rest) {
    const found = segment.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return segment.length - last.length >= at && segment.endsWith(last);
}
