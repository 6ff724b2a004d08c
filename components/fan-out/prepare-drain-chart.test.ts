import { describe, expect, test } from "vitest";
import type { CurvePoint } from "@/lib/domain/fan-out/drain-curve";
import { describeCrossing, prepareDrainChart } from "./prepare-drain-chart";

const point = (nodes: number, seconds: number | null, undrained = 0): CurvePoint => ({
  nodes,
  drainSeconds: seconds === null ? null : { p5: seconds * 0.9, p50: seconds, p95: seconds * 1.1, seeds: 3 },
  undrained,
  seeds: 3,
});

const prepare = (points: readonly CurvePoint[]) =>
  prepareDrainChart({
    title: "observability/node-telemetry",
    version: "2.6.3",
    points,
    elsewhere: [
      { agentId: "a", clusterId: "s", clusterName: "small", nodes: 44, version: "2.6.3", drainSeconds: 1.8 },
      { agentId: "a", clusterId: "o", clusterName: "other", nodes: 100, version: "2.7.1", drainSeconds: 2 },
      {
        agentId: "a",
        clusterId: "n",
        clusterName: "never",
        nodes: 100,
        version: "2.6.3",
        drainSeconds: null,
      },
      {
        agentId: "a",
        clusterId: "l",
        clusterName: "large",
        nodes: 9000,
        version: "2.6.3",
        drainSeconds: 900,
      },
    ],
    clusterName: "prod-us-east",
    nodes: 2000,
    limitSeconds: 15,
  });

describe("the chart", () => {
  test("circles are clusters of the same version within the axis, and the one that is open", () => {
    const { clusters } = prepare([point(100, 2), point(2000, 165), point(2800, 450)]);
    expect(clusters.map(({ name, isHere }) => [name, isHere])).toEqual([
      ["small", false],
      ["prod-us-east", true],
    ]);
  });

  test("what drains in fewer than half of the seeds is a gap, not a zero", () => {
    const { points } = prepare([point(100, 2), point(2000, 400, 2), point(2800, null, 3)]);
    expect(points.map(({ seconds, band }) => [seconds, band])).toEqual([
      [2, [1.8, 2.2]],
      [null, null],
      [null, null],
    ]);
  });

  test("ticks are 1, 3, 10 … around all that is drawn", () => {
    const { yTicks, xTicks } = prepare([point(100, 2), point(2800, 450)]);
    expect(yTicks).toEqual([1, 3, 10, 30, 100, 300, 1000]);
    expect(xTicks).toEqual([0, 700, 1400, 2100, 2800]);
  });

  test("without a point there is nothing, and no infinite axis", () => {
    const { xMax, clusters, yTicks } = prepare([]);
    expect(xMax).toBe(0);
    expect(clusters).toEqual([]);
    expect(yTicks.every(Number.isFinite)).toBe(true);
  });
});

test.each([
  [{ kind: "at", nodes: 597.6 }, "It passes the queue wait limit of 15 s at ≈ 598 nodes."],
  [
    { kind: "stops-draining", nodes: 2800, drainsAt: 2000 },
    "It stops draining between 2 000 and 2 800 nodes.",
  ],
  [{ kind: "stops-draining", nodes: 100, drainsAt: null }, "It does not drain from 100 nodes on."],
  [
    { kind: "never" },
    "It stays below the queue wait limit of 15 s at every number of nodes that was simulated.",
  ],
] as const)("a crossing in words: %j", (crossing, text) => {
  expect(describeCrossing(crossing, 15).replaceAll(/[\u00a0\u202f]/g, " ")).toBe(text);
});
