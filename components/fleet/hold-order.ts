/** An order of rows that is kept while somebody points at them, and how many would move if it were given up. */
export interface HeldOrder {
  readonly keys: readonly string[];
  readonly moved: number;
}

/**
 * The order to draw. While held, rows that were there keep their places, new ones are added at the end, and those gone
 * are dropped; otherwise the new order is taken as it is.
 */
export function holdOrder(drawn: readonly string[], next: readonly string[], isHeld: boolean): HeldOrder {
  if (!isHeld || drawn.length === 0) return { keys: next, moved: 0 };
  const wanted = new Set(next);
  const kept = drawn.filter((key) => wanted.has(key));
  const known = new Set(kept);
  const keys = [...kept, ...next.filter((key) => !known.has(key))];
  return { keys, moved: countMoved(keys, next) };
}

/** The fewest rows that must be moved to get from one order to another of the same rows. */
export function countMoved(from: readonly string[], to: readonly string[]): number {
  const places = new Map(from.map((key, index) => [key, index]));
  return to.length - longestIncreasing(to.map((key) => places.get(key) ?? -1));
}

/** Length of the longest increasing subsequence: rows that can stay where they are. */
function longestIncreasing(values: readonly number[]): number {
  const ends: number[] = [];
  for (const value of values) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    ends[low] = value;
  }
  return ends.length;
}
