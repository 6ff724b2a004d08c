import { describe, expect, it } from "vitest";
import { defaultFlowControl } from "../domain/fairness/defaults/defaults.ts";
import { levelConfigurations } from "./flow-control-objects.ts";
import { handOf } from "./hand.ts";
import { currentLimits, staticLimits } from "./seat-limits.ts";

const NAMES = [
  "leader-election",
  "node-high",
  "system",
  "workload-high",
  "workload-low",
  "global-default",
  "catch-all",
];

function limitsFor(minor: number, demands: Record<string, [highWatermark: number, smoothed: number]>) {
  const levels = levelConfigurations(defaultFlowControl(minor));
  const fixed = staticLimits(levels, 600);
  const asked = new Map(
    Object.entries(demands).map(([name, [highWatermark, smoothed]]) => [name, { highWatermark, smoothed }]),
  );
  const current = currentLimits(levels, fixed, asked, minor);
  return { fixed, current, row: NAMES.map((name) => current.seats.get(name)) };
}

describe("limits of the default levels at 600 seats", () => {
  it("gives the nominal limits of the reference, 602 in all", () => {
    const { fixed } = limitsFor(34, {});
    expect(NAMES.map((name) => fixed.get(name)?.nominal)).toEqual([25, 98, 74, 98, 245, 49, 13]);
    expect(NAMES.map((name) => fixed.get(name)?.lower)).toEqual([25, 73, 50, 49, 24, 24, 13]);
    expect(fixed.get("exempt")).toEqual({ nominal: 0, lower: 0, upper: 600 });
  });

  it.each([
    ["idle", {}, [58, 170, 117, 114, 56, 56, 30]],
    ["one level asks for all", { "workload-low": [3056, 2500] }, [25, 73, 50, 49, 368, 24, 13]],
    ["a moderate demand", { "workload-low": [100, 60] }, [45, 132, 90, 88, 180, 43, 23]],
    ["above nominal", { "workload-low": [300, 300] }, [28, 82, 56, 55, 338, 27, 15]],
    ["exempt takes more than is left", { exempt: [400, 0] }, [25, 73, 50, 49, 24, 24, 13]],
    ["exempt squeezes", { exempt: [300, 0], "workload-low": [3000, 0] }, [25, 73, 50, 49, 68, 24, 13]],
  ] satisfies [string, Record<string, [number, number]>, number[]][])("%s", (_title, demands, expected) => {
    expect(limitsFor(34, demands).row).toEqual(expected);
  });

  it("lets exempt demand of 100 take part in the sharing up to 1.30", () => {
    const { current } = limitsFor(30, { exempt: [100, 100] });
    expect(current.seats.get("exempt")).toBe(168);
    expect(current.seats.get("workload-low")).toBe(40);
  });
});

describe("handOf", () => {
  it.each([
    ["service-accounts", "system:serviceaccount:monitoring:agent", 128, 6, [105, 116, 124, 73, 102, 80]],
    ["kube-system-service-accounts", "", 128, 6, [81, 71, 107, 50, 116, 127]],
    ["system-nodes", "system:node:node-2", 64, 6, [23, 21, 24, 30, 13, 33]],
    ["system-leader-election", "system:kube-scheduler", 16, 4, [10, 15, 8, 13]],
  ] satisfies [string, string, number, number, number[]][])(
    "%s %s",
    (schema, distinguisher, queues, size, hand) => {
      expect(handOf(schema, distinguisher, queues, size)).toEqual(hand);
    },
  );
});
