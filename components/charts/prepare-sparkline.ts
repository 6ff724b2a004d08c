/** A bucket is half an hour where finer samples are kept, an hour in older history. */
const BUCKET_SECONDS = 30 * 60;

/**
 * An SVG path over the time axis from `fromAt` to `toAt` (seconds): ratio 0 at the bottom, 1 three pixels below the
 * top, more than 1 cut off there. A gap of one and a half of the usual steps lifts the pen; a lone point is a short dash.
 */
export function sparklinePath(
  points: readonly (readonly [number, number])[],
  frame: { readonly fromAt: number; readonly toAt: number; readonly width: number; readonly height: number },
): string {
  const { fromAt, toAt, width, height } = frame;
  const x = (at: number) => round(((Math.max(fromAt, at) - fromAt) / (toAt - fromAt)) * width);
  const gapSeconds = 1.5 * usualStep(points);
  const y = (ratio: number) => round(height - 1 - Math.min(1, Math.max(0, ratio)) * (height - 4));
  return points
    .map(([at, ratio], index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      const isJoined = before !== undefined && at - before[0] <= gapSeconds;
      const isAlone = !isJoined && (after === undefined || after[0] - at > gapSeconds);
      return `${isJoined ? "L" : "M"}${x(at)} ${y(ratio)}${isAlone ? "h1" : ""}`;
    })
    .join("");
}

/** The median distance of neighbours, at least one bucket. */
function usualStep(points: readonly (readonly [number, number])[]): number {
  const steps = points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? at));
  steps.sort((a, b) => a - b);
  return Math.max(BUCKET_SECONDS, steps[Math.floor(steps.length / 2)] ?? 0);
}

const round = (value: number): number => Math.round(value * 10) / 10;
