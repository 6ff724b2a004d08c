import { describe, expect, test } from "vitest";
import { fairnessFixture } from "@/components/fixtures/cluster-fixture";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import type { FairnessLevelRow } from "@/lib/contracts/cluster";
import type { ChartSeries } from "@/lib/contracts/common";
import { borrowingMarkdown } from "./borrowing-panel";
import { borrowingNow, borrowingText, prepareBorrowing } from "./prepare-borrowing";

const [server] = fairnessFixture().servers;
const levels: readonly FairnessLevelRow[] = server?.levels ?? [];

const NOW_SECONDS = FIXTURE_NOW / 1000;
const limits = (...points: readonly (readonly [ago: number, min: number, max: number])[]): ChartSeries => ({
  metric: "current-limit-seats",
  serverId: "server-0",
  serverName: "api-0",
  priorityLevelName: "workload-low",
  rejectReason: null,
  unit: "seats",
  resolution: "five-minutes",
  stepSeconds: 300,
  isGenerated: false,
  points: points.map(([ago, min, max]) => [NOW_SECONDS - ago, min, (min + max) / 2, max]),
});
const history = (series: ChartSeries[]) => ({
  fromAt: FIXTURE_NOW - 86_400_000,
  toAt: FIXTURE_NOW,
  charts: [{ id: "seats" as const, title: "", series, seriesTotal: series.length }],
});

describe("who lends what now", () => {
  test("who borrows comes first, then who lends most; exempt has no limit and is left out", () => {
    expect(borrowingNow(levels).map((row) => [row.priorityLevelName, borrowingText(row)])).toEqual([
      ["workload-low", "borrows 123"],
      ["workload-high", "lends 49 of 49"],
      ["node-high", "lends 25 of 25"],
      ["global-default", "lends 25 of 25"],
      ["system", "lends 24 of 24"],
      ["leader-election", "has nothing to lend"],
      ["catch-all", "has nothing to lend"],
    ]);
  });

  test("a limit that is not known is left out rather than taken for zero; a minimum that is not known is not said", () => {
    const [low] = levels;
    if (low === undefined) throw new Error("no level");
    expect(borrowingNow([{ ...low, currentLimitSeats: null }])).toEqual([]);
    expect(borrowingNow([{ ...low, nominalSeats: null }])).toEqual([]);
    const [row] = borrowingNow([{ ...low, currentLimitSeats: 200, minSeats: null }]);
    expect(row && borrowingText(row)).toBe("lends 45");
    const [level] = borrowingNow([{ ...low, currentLimitSeats: 245 }]);
    expect(level && borrowingText(level)).toBe("at nominal");
  });

  test("as Markdown, without the upper limit", () => {
    const text = borrowingMarkdown(server ?? null).join("\n");
    expect(text).toContain("| workload-low | 368 | 245 | borrows 123 |");
    expect(text).not.toContain("845");
    expect(borrowingMarkdown(null)).toEqual([]);
  });
});

describe("over time", () => {
  test("the nominal limit stands beside the current one, in its gaps neither", () => {
    const series = [limits([3600, 245, 245], [3300, 245, 368], [600, 200, 245], [300, 245, 245])];
    const { chart, summary } = prepareBorrowing(history(series), 245);
    const [current, nominal] = chart.series;
    expect([current?.label, nominal?.label]).toEqual(["current limit, api-0", "nominal limit, api-0"]);
    expect([current?.colour, nominal?.colour, nominal?.dash]).toEqual(["limit", "limit", [6, 3]]);
    expect(nominal?.values).toEqual([245, 245, null, 245, 245]);
    expect(current?.values[2]).toBeNull();
    expect(summary).toBe(
      "In this range it borrowed at most 123 seats, lent at most 45 seats: its limit was 200 to 368, nominal 245.",
    );
  });

  test("a level that never moved says so; the axis ends above its limit, not at the upper one", () => {
    const { chart, summary } = prepareBorrowing(history([limits([300, 50, 50])]), 50);
    expect(summary).toBe("In this range it stayed at nominal: its limit was 50, nominal 50.");
    expect(chart.yMax).toBeLessThanOrEqual(60);
  });

  test("a nominal limit that is not known is not drawn, and nothing is said of it", () => {
    const { chart, summary } = prepareBorrowing(history([limits([300, 50, 50])]), null);
    expect(chart.series).toHaveLength(1);
    expect(summary).toBeNull();
  });

  test("nothing stored is nothing drawn", () => {
    expect(prepareBorrowing(history([]), 245)).toMatchObject({ summary: null, chart: { isEmpty: true } });
    expect(prepareBorrowing({ ...history([]), charts: [] }, 245).summary).toBeNull();
  });
});
