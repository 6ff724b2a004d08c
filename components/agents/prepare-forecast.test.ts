import { describe, expect, test } from "vitest";
import type { ChartSeries } from "@/lib/contracts/common";
import type { VerdictForecast } from "@/lib/domain/storm/solvers/verdict-forecast";
import { dailyNodes, prepareForecast } from "./prepare-forecast";

const DAY = 86_400;
const DAY_MS = 1000 * DAY;
const NOW = 100 * DAY_MS;

const seriesOf = (points: ChartSeries["points"]): ChartSeries => ({
  metric: "nodes",
  serverId: null,
  serverName: null,
  priorityLevelName: null,
  rejectReason: null,
  unit: "count",
  resolution: "hourly",
  stepSeconds: 3600,
  isGenerated: false,
  points,
});

const forecastOf = (nodes: number): VerdictForecast => ({
  verdict: "invisible",
  growth: {
    method: "theil-sen",
    nodesPerDay: 2,
    lowPerDay: 1,
    highPerDay: 4,
    nodes: 100,
    at: NOW,
    points: 10,
    days: 10,
  },
  changes: [
    {
      from: "invisible",
      to: "visible",
      nodes: { p5: nodes, p50: nodes, p95: nodes, seeds: 1 },
      crossing: {
        nodes,
        at: NOW + 10 * DAY_MS,
        earliestAt: NOW + 5 * DAY_MS,
        latestAt: NOW + 20 * DAY_MS,
        isPassed: false,
      },
    },
  ],
  simulations: 3,
});

describe("counts of a day", () => {
  test("are the last of each day, sorted; without history there are none", () => {
    expect(
      dailyNodes(
        seriesOf([
          [DAY + 1, 1, 10, 20],
          [2 * DAY - 1, 1, 11, 20],
          [2 * DAY + 5, 1, 12, 20],
        ]),
      ),
    ).toEqual([
      { at: 1000 * (2 * DAY - 1), nodes: 11 },
      { at: 1000 * (2 * DAY + 5), nodes: 12 },
    ]);
    expect(dailyNodes(null)).toEqual([]);
  });
});

describe("a forecast chart", () => {
  const points = [
    { at: NOW - 10 * DAY_MS, nodes: 80 },
    { at: NOW, nodes: 100 },
  ];

  test("goes on from the growth as a straight line, with the change of the verdict and its band", () => {
    const chart = prepareForecast(points, forecastOf(120));
    expect(chart.projected[0]).toEqual({ at: NOW, nodes: 100 });
    expect(chart.projected[1]?.nodes).toBe(100 + 2 * 35);
    expect(chart.limit).toEqual({ nodes: 120, earliestAt: NOW + 5 * DAY_MS, latestAt: NOW + 20 * DAY_MS });
    expect(chart.yMax).toBeGreaterThanOrEqual(170);
  });

  test("leaves out a change that is far away, and without a forecast shows what was measured alone", () => {
    expect(prepareForecast(points, forecastOf(5000)).limit).toBeNull();
    const bare = prepareForecast(points, null);
    expect([bare.projected, bare.limit, bare.measured]).toEqual([[], null, points]);
  });
});
