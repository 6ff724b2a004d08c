import type { PreparedChart, PreparedSeries } from "./prepare-chart";

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

/** What stands on a limit's line, at the end of its longest level stretch. */
export interface LimitLabel {
  readonly key: string;
  readonly at: number;
  readonly value: number;
  readonly text: string;
  /** Below the line where there is no room above it. */
  readonly isBelow: boolean;
  /** Whether the text ends at the place, as it does unless that is near the left edge. */
  readonly isBefore: boolean;
}

/** Shares of the axes that a label takes up. */
const LABEL_HEIGHT_SHARE = 0.12;
const LABEL_WIDTH_SHARE = 0.3;
/** Steps smaller than this share of the axis leave the line level enough for a label. */
const LEVEL_SHARE = 0.03;

/** `current limit`; of limits that would be labelled too close to each other only the highest is, the key names all. */
export function labelLimits(
  chart: Pick<PreparedChart, "series" | "times" | "fromAt" | "toAt" | "yMax">,
): readonly LimitLabel[] {
  const { fromAt, toAt, yMax, times } = chart;
  const limits = chart.series.filter(({ colour }) => colour === "limit");
  const places = limits.flatMap(({ key, label, values }) => {
    const stretch = longestLevel(times, values, yMax * LEVEL_SHARE);
    return stretch === null ? [] : [{ key, label, at: stretch.toAt, value: stretch.highest }];
  });
  let lowest = Number.POSITIVE_INFINITY;
  return places
    .toSorted((a, b) => b.value - a.value)
    .flatMap(({ key, label, at, value }) => {
      if (lowest - value < yMax * LABEL_HEIGHT_SHARE) return [];
      lowest = value;
      return {
        key,
        at,
        value,
        text: limits.length === 1 ? (label.split(",", 1)[0] ?? label) : label,
        isBelow: value > yMax * (1 - LABEL_HEIGHT_SHARE),
        isBefore: at - fromAt > (toAt - fromAt) * LABEL_WIDTH_SHARE,
      };
    });
}

interface Stretch {
  readonly fromAt: number;
  toAt: number;
  readonly first: number;
  /** A label above this value is clear of the line. */
  highest: number;
}

/** The longest time without a gap in which the values stay within `tolerance` of the first; of equal ones the latest. */
function longestLevel(
  times: PreparedChart["times"],
  values: PreparedSeries["values"],
  tolerance: number,
): Stretch | null {
  const stretches: Stretch[] = [];
  let isOpen = false;
  for (const [index, at] of times.entries()) {
    const value = values[index];
    const last = stretches.at(-1);
    if (value === undefined) continue;
    if (
      typeof value === "number" &&
      isOpen &&
      last !== undefined &&
      Math.abs(value - last.first) <= tolerance
    ) {
      last.toAt = at;
      last.highest = Math.max(last.highest, value);
    } else if (value !== null) stretches.push({ fromAt: at, toAt: at, first: value, highest: value });
    isOpen = value !== null;
  }
  const spans = stretches.map(({ fromAt, toAt }) => toAt - fromAt);
  return stretches[spans.lastIndexOf(Math.max(...spans))] ?? null;
}
