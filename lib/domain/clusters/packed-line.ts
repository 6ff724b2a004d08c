/** A point of a line: seconds since the epoch and a value. */
export type LinePoint = readonly [atSeconds: number, value: number];

/**
 * A line on a regular grid: value `i` belongs to `fromSeconds + i * stepSeconds`, `null` is a gap. A third of the size
 * of the points one by one, which is what counts where a table has a thousand of them.
 */
export interface PackedLine {
  readonly fromSeconds: number;
  /** A whole number of seconds, at least 1. */
  readonly stepSeconds: number;
  /** At least one; neither the first nor the last is `null`. */
  readonly values: readonly (number | null)[];
}

/**
 * The points on the widest grid that holds all of them; `null` where there are none. `points` are sorted by time, at
 * whole seconds, no two at the same. `unpackLine` gives them back unchanged.
 */
export function packLine(points: readonly LinePoint[]): PackedLine | null {
  const first = points[0];
  if (first === undefined) return null;
  const [fromSeconds] = first;
  const stepSeconds = points.reduce((step, [at]) => greatestCommonDivisor(at - fromSeconds, step), 0) || 1;
  const last = points.at(-1)?.[0] ?? fromSeconds;
  const values = new Array<number | null>((last - fromSeconds) / stepSeconds + 1).fill(null);
  for (const [at, value] of points) values[(at - fromSeconds) / stepSeconds] = value;
  return { fromSeconds, stepSeconds, values };
}

/** The points of a packed line, sorted by time; none for `null`. */
export function unpackLine(line: PackedLine | null): readonly LinePoint[] {
  if (line === null) return [];
  const { fromSeconds, stepSeconds, values } = line;
  return values.flatMap((value, index): LinePoint[] =>
    value === null ? [] : [[fromSeconds + index * stepSeconds, value]],
  );
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
