import { describe, expect, test } from "vitest";
import type { ChartSeries } from "@/lib/contracts/common";
import { labelLimits, labelMarks } from "./drawing";
import { prepareChart } from "./prepare-chart";

const mark = (letter: string, at: number) => ({ letter, at, label: letter });

test("marks that stand too close share one label, others keep their letter", () => {
  const marks = [mark("A", 100), mark("B", 110), mark("C", 115), mark("D", 500), mark("E", 520)];
  expect(labelMarks({ marks, fromAt: 0, toAt: 1000 })).toEqual([
    { at: 100, text: "A–C" },
    { at: 500, text: "D" },
    { at: 520, text: "E" },
  ]);
});

describe("a limit's line", () => {
  const limit = (serverName: string, values: readonly (number | null)[]): ChartSeries => ({
    metric: "current-limit-seats",
    serverId: serverName,
    serverName,
    priorityLevelName: "workload-low",
    rejectReason: null,
    unit: "seats",
    resolution: "fine",
    stepSeconds: 60,
    isGenerated: false,
    points: values.flatMap((value, index) => (value === null ? [] : [[index * 60, value, value, value]])),
  });
  const labels = (...series: readonly ChartSeries[]) =>
    labelLimits(prepareChart({ title: "Seats", series, fromAt: 0, toAt: 600_000 }));

  test("is labelled where it is level for longest, at the end of that stretch and above it", () => {
    expect(labels(limit("api-0", [56, 56, 57, 56, 56, 80, 100, 100]))).toMatchObject([
      { at: 240, value: 57, text: "current limit", isBelow: false, isBefore: true },
    ]);
    expect(labels(limit("api-0", [20, 20, 60, 60, 100, 100]))).toMatchObject([{ at: 300, value: 100 }]);
  });

  test("is labelled below where it runs along the top, and to the right where it ends at the left edge", () => {
    expect(labels(limit("api-0", [340, 340]))).toMatchObject([{ at: 60, isBelow: false, isBefore: false }]);
    expect(labels(limit("api-0", [98, 98]))).toMatchObject([{ isBelow: true }]);
  });

  test("is never labelled across a gap, and not at all without a value", () => {
    expect(labels(limit("api-0", [56, 56, null, 56, 56, 56, null, 56]))).toMatchObject([
      { at: 300, value: 56 },
    ]);
    expect(labels(limit("api-0", []))).toEqual([]);
  });

  test("names its server beside others, and gives way to a higher one that is labelled too close", () => {
    const all = labels(limit("api-0", [368]), limit("api-1", [350]), limit("api-2", [56]));
    expect(all.map(({ text }) => text)).toEqual(["current limit, api-0", "current limit, api-2"]);
  });
});

test("what is no limit is not labelled on the line", () => {
  const series: ChartSeries = {
    metric: "executing-seats",
    serverId: "api-0",
    serverName: "api-0",
    priorityLevelName: "workload-low",
    rejectReason: null,
    unit: "seats",
    resolution: "fine",
    stepSeconds: 60,
    isGenerated: false,
    points: [[0, 1, 1, 1]],
  };
  expect(labelLimits(prepareChart({ title: "Seats", series: [series], fromAt: 0, toAt: 600_000 }))).toEqual(
    [],
  );
});
