import type { PreparedChart } from "./prepare-chart";

/** What every drawing of a chart takes: prepared data, the place of the crosshair, and whom to tell of a new one. */
export interface DrawingProps {
  readonly chart: PreparedChart;
  readonly height: number;
  readonly timeZone: string;
  /** Index into the chart's times; `null` without a crosshair. */
  readonly index: number | null;
  readonly onIndex: (index: number | null) => void;
}

/** Room for the labels of the y axis, pixels. */
export const AXIS_WIDTH = 76;

/** What is written above one or more change marks that stand too close for letters of their own. */
export interface MarkLabel {
  readonly at: number;
  readonly text: string;
}

/** Marks closer than this share of the time axis share a label. */
const CLOSE_SHARE = 1 / 50;

/** `A`, or `A–D` for marks that stand close together; at the place of the first. Marks are sorted by time. */
export function labelMarks({
  marks,
  fromAt,
  toAt,
}: Pick<PreparedChart, "marks" | "fromAt" | "toAt">): readonly MarkLabel[] {
  const groups: { at: number; first: string; last: string }[] = [];
  for (const { at, letter } of marks) {
    const group = groups.at(-1);
    if (group !== undefined && at - group.at < (toAt - fromAt) * CLOSE_SHARE) group.last = letter;
    else groups.push({ at, first: letter, last: letter });
  }
  return groups.map(({ at, first, last }) => ({ at, text: first === last ? first : `${first}–${last}` }));
}
