/**
 * Splits a growing total over buckets so that every cumulative count grows with it: each bucket's bound takes the
 * floor of its cumulative share.
 */
export function spread(total: number, shares: readonly number[]): number[] {
  let share = 0;
  let before = 0;
  return shares.map((part, index) => {
    share += part;
    const upTo = index === shares.length - 1 ? total : Math.floor(total * Math.min(1, share + 1e-9));
    const count = upTo - before;
    before = upTo;
    return count;
  });
}
