import { describe, expect, test } from "vitest";
import type { ChartSeries } from "@/lib/contracts/common";
import { roundUp } from "./chart-value";
import { prepareChart, prepareMarks } from "./prepare-chart";

const series = (over: Partial<ChartSeries> & { times?: readonly number[] } = {}): ChartSeries => ({
  metric: "executing-seats",
  serverId: "s0",
  serverName: "api-0",
  priorityLevelName: "workload-low",
  rejectReason: null,
  unit: "seats",
  resolution: "fine",
  stepSeconds: 30,
  isGenerated: false,
  points: (over.times ?? [0, 30, 60]).map((at, index) => [at, index, index + 1, index + 2]),
  ...over,
});
const prepare = (all: readonly ChartSeries[], entities: readonly string[] = []) =>
  prepareChart({ title: "t", series: all, fromAt: 0, toAt: 90_000, entities });

describe("gaps", () => {
  test("a missing point lifts the line: it is null, neither zero nor bridged", () => {
    const { times, series: drawn } = prepare([series({ times: [0, 30, 120, 150] })]);
    expect(times).toEqual([0, 30, 60, 120, 150]);
    expect(drawn[0]?.values).toEqual([1, 2, null, 3, 4]);
  });

  test("one late point is no gap", () => {
    expect(prepare([series({ times: [0, 30, 74] })]).times).toEqual([0, 30, 74]);
  });

  test("a coarser series is not torn by the times of a finer one, but keeps its own gaps", () => {
    const fine = series({ times: [0, 30, 60, 90, 120, 150, 180] });
    const coarse = series({ serverName: "api-1", serverId: "s1", stepSeconds: 60, times: [0, 60, 180] });
    const { times, series: drawn } = prepare([fine, coarse]);
    expect(times).toEqual([0, 30, 60, 90, 120, 150, 180]);
    expect(drawn[1]?.values).toEqual([1, undefined, 2, null, null, null, 3]);
  });

  test("before the first and after the last point there is nothing", () => {
    const { series: drawn } = prepare([
      series({ times: [0, 30, 60] }),
      series({ serverName: "api-1", times: [30] }),
    ]);
    expect(drawn[1]?.values).toEqual([null, 1, null]);
  });
});

test("a value between two gaps is alone, one that can be joined is not", () => {
  const { series: drawn } = prepare([series({ times: [0, 90, 180, 210] })]);
  expect(drawn[0]?.values).toEqual([1, null, 2, null, 3, 4]);
  expect(drawn[0]?.alone).toEqual([0, 2]);
});

test("series of the cluster itself begin with the first colour, whichever servers there are", () => {
  const nodes = series({
    metric: "nodes",
    serverId: null,
    serverName: null,
    priorityLevelName: null,
    unit: "count",
  });
  expect(prepare([nodes], ["api-0", "api-1"]).series[0]?.colour).toBe("s1");
});

describe("what is drawn how", () => {
  test("a server keeps its colour whichever servers are drawn", () => {
    const one = series({ serverName: "api-2" });
    const two = series({ serverName: "api-1" });
    expect(prepare([one, two], ["api-0", "api-1", "api-2"]).series.map(({ colour }) => colour)).toEqual([
      "s3",
      "s2",
    ]);
  });

  test("a limit is stepped and has the colour of no series; only rejections have the colour of errors", () => {
    const drawn = prepare([series(), series({ metric: "current-limit-seats" })]).series;
    expect(drawn[0]).toMatchObject({ colour: "s1", isStepped: false, isFilled: true });
    expect(drawn[1]).toMatchObject({ colour: "limit", isStepped: true, isFilled: false });
    const reasons = ["time-out", "queue-full"].map((rejectReason) =>
      series({ metric: "rejected-per-second", rejectReason }),
    );
    expect(prepare(reasons).series).toMatchObject([
      { colour: "error", dash: null, label: "rejected, time-out" },
      { colour: "error", dash: [6, 3] },
    ]);
  });

  test("from the fifth series on a dash tells them apart too", () => {
    const five = [0, 1, 2, 3, 4, 5].map((n) => series({ serverName: `api-${n}`, serverId: `s${n}` }));
    expect(prepare(five).series.map(({ dash }) => dash)).toEqual([null, null, null, null, null, [6, 3]]);
  });

  test("more than 8 series are cut and counted", () => {
    const many = Array.from({ length: 11 }, (_, n) => series({ serverName: `api-${n}` }));
    expect(prepare(many).series).toHaveLength(8);
    expect(prepare(many).seriesTotal).toBe(11);
  });

  test("the axis of an amount starts at 0 and ends above its highest value, not its average", () => {
    expect(prepare([series()]).yMax).toBe(4);
    expect(prepare([]).isEmpty).toBe(true);
  });
});

test.each([
  [0, false, 1],
  [361, false, 400],
  [368, false, 400],
  [100, false, 100],
  [0.09, false, 0.1],
  [21.4 * 2 ** 30, true, 25 * 2 ** 30],
])("an axis for %d ends at a round number", (value, isBinary, expected) => {
  expect(roundUp(value, isBinary)).toBeCloseTo(expected);
});

test("marks are lettered from the oldest on, within the range", () => {
  const event = (at: number) => ({
    id: String(at),
    clusterId: "c",
    clusterName: "c",
    kind: "version-changed" as const,
    severity: "info" as const,
    at,
    subject: "s",
    lead: `at ${at}`,
    text: "",
    before: null,
    after: null,
    isGenerated: false,
  });
  expect(prepareMarks([event(9000), event(3000), event(99_000)], 0, 10_000)).toEqual([
    { letter: "A", at: 3, label: "at 3000" },
    { letter: "B", at: 9, label: "at 9000" },
  ]);
});
