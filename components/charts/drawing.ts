import { formatChartValue } from "./chart-value";
import { latestIndex } from "./describe-chart";
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

/** What stands on a limit's line, at its latest point. */
export interface LimitLabel {
  readonly key: string;
  readonly at: number;
  readonly value: number;
  readonly text: string;
  /** Below the line where there is no room above it. */
  readonly isBelow: boolean;
  /** Whether the text ends at the point, as it does unless the point is near the left edge. */
  readonly isBefore: boolean;
}

/** Shares of the axes that a label takes up. */
const LABEL_HEIGHT_SHARE = 0.12;
const LABEL_WIDTH_SHARE = 0.3;

/** `current limit 368`; of limits that end too close to each other only the highest is labelled, the key names all. */
export function labelLimits(
  chart: Pick<PreparedChart, "series" | "times" | "fromAt" | "toAt" | "yMax" | "scale">,
): readonly LimitLabel[] {
  const { fromAt, toAt, yMax, scale } = chart;
  const limits = chart.series.filter(({ colour }) => colour === "limit");
  const ends = limits.flatMap(({ key, label, values }) => {
    const index = latestIndex(values);
    const at = chart.times[index];
    const value = values[index];
    return at === undefined || typeof value !== "number" ? [] : [{ key, label, at, value }];
  });
  let lowest = Number.POSITIVE_INFINITY;
  return ends
    .toSorted((a, b) => b.value - a.value)
    .flatMap(({ key, label, at, value }) => {
      if (lowest - value < yMax * LABEL_HEIGHT_SHARE) return [];
      lowest = value;
      const name = limits.length === 1 ? (label.split(",", 1)[0] ?? label) : label;
      return {
        key,
        at,
        value,
        text: `${name} ${formatChartValue(scale, value)}`,
        isBelow: value > yMax * (1 - LABEL_HEIGHT_SHARE),
        isBefore: at - fromAt > (toAt - fromAt) * LABEL_WIDTH_SHARE,
      };
    });
}
