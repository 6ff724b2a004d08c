import { type ChartMark, type PreparedChart, prepareChart } from "@/components/charts/prepare-chart";
import type { HistoryResponse } from "@/lib/contracts/history";

/** More points than this go to the canvas. */
const DENSE_FROM_POINTS = 200;

export interface HistoryChart {
  readonly key: string;
  readonly chart: PreparedChart;
  readonly drawing: "small" | "dense";
}

/** Charts that are drawn as SVG: slow figures of the cluster itself, few series. */
const SMALL_CHARTS: ReadonlySet<HistoryResponse["charts"][number]["id"]> = new Set(["nodes", "own-cost"]);

/**
 * Every chart prepared on the same time axis. A chart whose series have two units becomes two, one per unit, since no
 * axis fits both. Charts without a series are left out: that metric was never stored.
 */
export function prepareHistoryCharts(
  response: HistoryResponse,
  marks: readonly ChartMark[],
): readonly HistoryChart[] {
  const entities = response.servers.map(({ name }) => name);
  return response.charts.flatMap(({ id, title, series, seriesTotal }) => {
    const units = [...new Set(series.map(({ unit }) => unit))];
    return units.map((unit): HistoryChart => {
      const same = series.filter((one) => one.unit === unit);
      const chart = prepareChart({
        title: units.length === 1 ? title : `${title}, ${unit === "bytes-per-minute" ? "bytes" : "requests"}`,
        series: same,
        ...(units.length === 1 ? { seriesTotal } : {}),
        fromAt: response.fromAt,
        toAt: response.toAt,
        entities,
        marks,
      });
      const isSmall = SMALL_CHARTS.has(id) && chart.times.length <= DENSE_FROM_POINTS;
      return { key: `${id}|${unit}`, chart, drawing: isSmall ? "small" : "dense" };
    });
  });
}

/** The range before or after the one shown, of the same length; `null` where it would reach into the future. */
export function neighbourAt(
  response: Pick<HistoryResponse, "fromAt" | "toAt">,
  direction: "earlier" | "later",
  now: number,
): number | null {
  if (direction === "earlier") return response.fromAt;
  const next = response.toAt + (response.toAt - response.fromAt);
  return next >= now ? null : next;
}
