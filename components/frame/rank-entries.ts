import { defaultFilter } from "cmdk";
import type { ClusterState } from "@/lib/contracts/fleet";

/** Something that the palette opens. */
export interface PaletteEntry {
  readonly href: string;
  readonly name: string;
  /** What it is: `cluster`, `page`. */
  readonly kind: string;
  /** Further words it is found by. */
  readonly keywords: readonly string[];
  /** State of a cluster; absent for a page. */
  readonly state?: ClusterState;
}

/** Entries shown at once; typing finds the rest. */
export const PALETTE_SHOWN = 50;

/**
 * Entries that fit the query, best first; equal ones, and all of them without a query, with the recently opened first
 * and then in the order given. At most `PALETTE_SHOWN`.
 */
export function rankEntries(
  entries: readonly PaletteEntry[],
  query: string,
  recentHrefs: readonly string[],
): readonly PaletteEntry[] {
  const recency = (entry: PaletteEntry) => {
    const index = recentHrefs.indexOf(entry.href);
    return index < 0 ? recentHrefs.length : index;
  };
  const wanted = query.trim();
  return entries
    .map((entry) => ({
      entry,
      score: wanted === "" ? 1 : defaultFilter(entry.name, wanted, [...entry.keywords]),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || recency(a.entry) - recency(b.entry))
    .slice(0, PALETTE_SHOWN)
    .map(({ entry }) => entry);
}
