import { expect, test } from "vitest";
import { describeChart } from "./describe-chart";
import { prepareChart } from "./prepare-chart";

const at = Date.UTC(2026, 10, 30, 9, 0) / 1000;

test("a chart reads out range, peak with its time, latest value and gaps", () => {
  const chart = prepareChart({
    title: "Seats",
    fromAt: at * 1000,
    toAt: at * 1000 + 600_000,
    seriesTotal: 9,
    series: [
      {
        metric: "executing-seats",
        serverId: "s0",
        serverName: "api-0",
        priorityLevelName: null,
        rejectReason: null,
        unit: "seats",
        resolution: "five-minutes",
        stepSeconds: 60,
        isGenerated: false,
        points: [
          [at, 4, 5, 6],
          [at + 60, 20, 30, 361],
          [at + 300, 7, 8, 9],
        ],
      },
    ],
  });
  expect(describeChart(chart, "UTC")).toBe(
    "Seats. 1 of 9 series. seats in use, api-0: from 5 to 361 at Mon 30 Nov, 09:01, latest 8. 1 gap.",
  );
});

test("nothing read is said, not drawn as zero", () => {
  const chart = prepareChart({ title: "Waiting", fromAt: 0, toAt: 1, series: [] });
  expect(describeChart(chart, "UTC")).toBe("Waiting: nothing was read in this range.");
});
