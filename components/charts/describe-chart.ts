import type { TimeZone } from "@/lib/format/instant";
import { formatDayAndMinute } from "@/lib/format/instant";
import { formatChartValue } from "./chart-value";
import type { PreparedChart, PreparedSeries } from "./prepare-chart";

/** A chart in words: per series its range, when it was highest, its latest value, and how often it was not read. */
export function describeChart(chart: PreparedChart, zone: TimeZone): string {
  if (chart.isEmpty) return `${chart.title}: nothing was read in this range.`;
  const cut =
    chart.seriesTotal > chart.series.length ? ` ${chart.series.length} of ${chart.seriesTotal} series.` : "";
  return `${chart.title}.${cut} ${chart.series.map((series) => describeSeries(chart, series, zone)).join(" ")}`;
}

/** How many stretches within the series have no value. */
export function countGaps({ values }: PreparedSeries): number {
  const first = values.findIndex((value) => typeof value === "number");
  const last = values.findLastIndex((value) => typeof value === "number");
  let gaps = 0;
  for (let index = first + 1; index < last; index += 1) {
    if (values[index] === null && values[index - 1] !== null) gaps += 1;
  }
  return gaps;
}

/** Index of the last value at or before the position; -1 where there is none. */
export function latestIndex(values: PreparedSeries["values"], from = values.length - 1): number {
  for (let index = from; index >= 0; index -= 1) if (typeof values[index] === "number") return index;
  return -1;
}

function describeSeries(chart: PreparedChart, series: PreparedSeries, zone: TimeZone): string {
  const { values, highs, label } = series;
  const lastIndex = latestIndex(values);
  const last = values[lastIndex];
  if (typeof last !== "number") return `${label}: not read.`;
  let lowest = last;
  let highest = last;
  let highestAt = lastIndex;
  for (const [index, value] of values.entries()) {
    if (typeof value !== "number") continue;
    lowest = Math.min(lowest, value);
    const high = highs[index] ?? value;
    if (high > highest) {
      highest = high;
      highestAt = index;
    }
  }
  const format = (value: number) => formatChartValue(chart.scale, value);
  const at = chart.times[highestAt];
  const when = at === undefined ? "" : ` at ${formatDayAndMinute(at * 1000, zone)}`;
  const gaps = countGaps(series);
  const missing = gaps === 0 ? "" : ` ${gaps} ${gaps === 1 ? "gap" : "gaps"}.`;
  return `${label}: from ${format(lowest)} to ${format(highest)}${when}, latest ${format(last)}.${missing}`;
}
