/** Nine in ten and more. */
export const isMostly = (part: number, whole: number): boolean => whole > 0 && part >= 0.9 * whole;

/** Counts by name, most frequent first, of like ones by name; at most `most`. */
export function topCounts(
  counts: ReadonlyMap<string, number>,
  most: number,
): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most);
}
