import { NOMINAL_METRIC, type PreparedChart, prepareChart } from "@/components/charts/prepare-chart";
import type { FairnessLevelRow } from "@/lib/contracts/cluster";
import type { ChartSeries } from "@/lib/contracts/common";
import type { HistoryResponse } from "@/lib/contracts/history";
import { formatCount, formatPlural } from "@/lib/format/number";

/** A level's current limit against its nominal one. The upper limit is a setting and plays no role here. */
export interface BorrowingRow {
  readonly priorityLevelName: string;
  readonly nominalSeats: number;
  readonly currentLimitSeats: number;
  /** Seats above nominal; negative: below it. */
  readonly borrowedSeats: number;
  /** Seats that it may lend at most; `null`: not published. */
  readonly lendableSeats: number | null;
}

/** Limited levels whose two limits are known, those that borrow first, then those that lend most. */
export function borrowingNow(levels: readonly FairnessLevelRow[]): readonly BorrowingRow[] {
  return levels
    .flatMap(({ priorityLevelName, type, nominalSeats, minSeats, currentLimitSeats }): BorrowingRow[] =>
      type === "Exempt" || nominalSeats === null || currentLimitSeats === null
        ? []
        : [
            {
              priorityLevelName,
              nominalSeats,
              currentLimitSeats,
              borrowedSeats: currentLimitSeats - nominalSeats,
              lendableSeats: minSeats === null ? null : nominalSeats - minSeats,
            },
          ],
    )
    .toSorted((a, b) => rank(b) - rank(a));
}

const rank = ({ borrowedSeats }: BorrowingRow) => (borrowedSeats > 0 ? 1e9 + borrowedSeats : -borrowedSeats);

/** `borrows 123`, `lends 24 of 24`, `lends nothing`, `at nominal`. */
export function borrowingText({ borrowedSeats, lendableSeats }: BorrowingRow): string {
  if (borrowedSeats > 0) return `borrows ${formatCount(borrowedSeats)}`;
  const of = lendableSeats === null ? "" : ` of ${formatCount(lendableSeats)}`;
  if (borrowedSeats < 0) return `lends ${formatCount(-borrowedSeats)}${of}`;
  return lendableSeats === 0 ? "has nothing to lend" : "at nominal";
}

/** The current limit over time beside the nominal one, with the seats in use. */
export interface BorrowingChart {
  readonly chart: PreparedChart;
  /** What it came to within the range, one sentence; `null` where it cannot be said. */
  readonly summary: string | null;
}

/** `nominalSeats` is that of now: history does not hold it. `null`: not known, and then not drawn. */
export function prepareBorrowing(
  response: Pick<HistoryResponse, "charts" | "fromAt" | "toAt">,
  nominalSeats: number | null,
): BorrowingChart {
  const series = response.charts.find(({ id }) => id === "seats")?.series ?? [];
  const limits = series.filter(({ metric }) => metric === "current-limit-seats");
  const nominal = nominalSeats === null ? [] : nominalSeriesOf(limits, nominalSeats);
  return {
    chart: prepareChart({
      title: "Current limit against nominal",
      series: [...series, ...nominal],
      fromAt: response.fromAt,
      toAt: response.toAt,
    }),
    summary: nominalSeats === null ? null : summarise(limits, nominalSeats),
  };
}

/** The nominal limit wherever the current one was read: no line over a gap. */
function nominalSeriesOf(limits: readonly ChartSeries[], seats: number): readonly ChartSeries[] {
  return limits.map((one) => ({
    ...one,
    metric: NOMINAL_METRIC,
    points: one.points.map(([at]): [number, number, number, number] => [at, seats, seats, seats]),
  }));
}

function summarise(limits: readonly ChartSeries[], nominalSeats: number): string | null {
  const points = limits.flatMap((one) => one.points);
  if (points.length === 0) return null;
  const lowest = points.reduce((least, [, min]) => Math.min(least, min), Number.POSITIVE_INFINITY);
  const highest = points.reduce((most, [, , , max]) => Math.max(most, max), 0);
  const parts = [
    ...(highest > nominalSeats ? [`borrowed at most ${formatPlural(highest - nominalSeats, "seat")}`] : []),
    ...(lowest < nominalSeats ? [`lent at most ${formatPlural(nominalSeats - lowest, "seat")}`] : []),
  ];
  const what = parts.length === 0 ? "stayed at nominal" : parts.join(", ");
  const limit =
    lowest === highest ? formatCount(lowest) : `${formatCount(lowest)} to ${formatCount(highest)}`;
  return `In this range it ${what}: its limit was ${limit}, nominal ${formatCount(nominalSeats)}.`;
}
