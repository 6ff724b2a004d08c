/** Points further apart than this are not joined: a bucket is half an hour. */
const GAP_SECONDS = 45 * 60;

/**
 * An SVG path over the time axis from `fromAt` to `toAt` (seconds): ratio 0 at the bottom, 1 three pixels below the
 * top, more than 1 cut off there. A missing bucket lifts the pen; a lone point is a short dash.
 */
export function sparklinePath(
  points: readonly (readonly [number, number])[],
  frame: { readonly fromAt: number; readonly toAt: number; readonly width: number; readonly height: number },
): string {
  const { fromAt, toAt, width, height } = frame;
  const x = (at: number) => round(((Math.max(fromAt, at) - fromAt) / (toAt - fromAt)) * width);
  const y = (ratio: number) => round(height - 1 - Math.min(1, Math.max(0, ratio)) * (height - 4));
  return points
    .map(([at, ratio], index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      const isJoined = before !== undefined && at - before[0] <= GAP_SECONDS;
      const isAlone = !isJoined && (after === undefined || after[0] - at > GAP_SECONDS);
      return `${isJoined ? "L" : "M"}${x(at)} ${y(ratio)}${isAlone ? "h1" : ""}`;
    })
    .join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
