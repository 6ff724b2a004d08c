/**
 * An oracle for the sharing of seats: it knows nothing of the points at which levels meet their bounds, but narrows f
 * down by halving until two neighbouring doubles are left. For tests alone, and without any code of what it checks.
 */
export interface OracleLevel {
  readonly target: number;
  readonly low: number;
  readonly high: number;
}

/** The smallest f at which the levels take at least `required`; infinite where they never do. */
export function bisectFairFrac(required: number, levels: readonly OracleLevel[]): number {
  const taken = (f: number) => levels.reduce((sum, level) => sum + takenBy(level, f), 0);
  // Rounding may leave the sum a little short of what it reaches.
  const isEnough = (f: number) => taken(f) >= required - 1e-9 * required;
  let above = 1;
  while (!isEnough(above)) {
    above *= 2;
    if (above > 1e15) return Number.POSITIVE_INFINITY;
  }
  let below = 0;
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) return above;
    if (isEnough(middle)) above = middle;
    else below = middle;
  }
}

/** What a level takes at f. */
export function takenBy({ target, low, high }: OracleLevel, f: number): number {
  const wanted = f * (target > 0.001 ? target : 0.001);
  if (wanted < low) return low;
  return wanted > high ? high : wanted;
}
