import { describe, expect, it } from "vitest";
import { ruleVersion } from "../../kubernetes/version.ts";
import { defaultPriorityLevels } from "../configuration/expand-objects.ts";
import type { PriorityLevelObject } from "../fairness-part.ts";
import { type AssumedDemand, LimitsController } from "./limits-controller.ts";
import { computeLimits, replayBorrowing } from "./replay-limits.ts";
import { staticLimits } from "./static-limits.ts";

const NAMES = [
  "leader-election",
  "node-high",
  "system",
  "workload-high",
  "workload-low",
  "global-default",
  "catch-all",
];

/** Current limits of the default levels of 600 seats, in the order of `NAMES`, after figures were assumed. */
function assume(injected: Record<string, AssumedDemand>, v = "1.34") {
  const periods = [{ lengthUs: 0, demand: [], injected }];
  const { adjustments } = replayBorrowing({ v, scl: 600, priorityLevels: ["defaults"], periods });
  const last = adjustments.at(-1);
  return { ...last, limits: NAMES.map((name) => last?.pl[name]?.[4]), exempt: last?.pl.exempt?.[4] };
}

describe("worked examples of borrowing at 600 seats", () => {
  const EXAMPLES: [string, Record<string, AssumedDemand>, number[]][] = [
    ["B1 all idle", {}, [58, 170, 117, 114, 56, 56, 30]],
    ["B2", { "workload-low": { highWatermark: 3056, smoothed: 2500 } }, [25, 73, 50, 49, 368, 24, 13]],
    ["B3", { "workload-low": { highWatermark: 100, smoothed: 60 } }, [45, 132, 90, 88, 180, 43, 23]],
    ["B4", { "workload-low": { highWatermark: 300, smoothed: 300 } }, [28, 82, 56, 55, 338, 27, 15]],
    [
      "B5",
      {
        "workload-low": { highWatermark: 3056, smoothed: 2500 },
        "workload-high": { highWatermark: 500, smoothed: 400 },
      },
      [25, 73, 50, 98, 319, 24, 13],
    ],
  ];
  it.each(EXAMPLES)("%s, in every version with borrowing", (_, injected, expected) => {
    for (const v of ["1.26.3", "1.27.3", "1.28.3", "1.30.14", "1.31.14", "1.34.13", "1.37.2"]) {
      expect(assume(injected, v).limits).toEqual(expected);
    }
  });

  it("B1, B3, B4: the fraction is 2.3333, 1.80240 and 1.12734", () => {
    expect(assume({}).fairFrac).toBeCloseTo(602 / 258, 4);
    expect(assume({ "workload-low": { highWatermark: 100, smoothed: 60 } }).fairFrac).toBeCloseTo(1.8024, 4);
    expect(assume({ "workload-low": { highWatermark: 300, smoothed: 300 } }).fairFrac).toBeCloseTo(
      1.12734,
      5,
    );
  });

  it("B6: since 1.31 an exempt level that used 400 leaves the others their minimum; to 1.30 all as in B1", () => {
    const demand = { exempt: { highWatermark: 400, smoothed: 0 } };
    expect(assume(demand)).toMatchObject({
      limits: [25, 73, 50, 49, 24, 24, 13],
      exempt: 400,
      fairFrac: 0,
      case: "minimal",
    });
    expect(assume(demand, "1.30.14")).toMatchObject({ limits: [58, 170, 117, 114, 56, 56, 30], exempt: 0 });
  });

  it("B7: beside an exempt level that used 300 the rest is squeezed; to 1.30 as B2", () => {
    const demand = {
      exempt: { highWatermark: 300, smoothed: 0 },
      "workload-low": { highWatermark: 3000, smoothed: 2500 },
    };
    expect(assume(demand)).toMatchObject({ limits: [25, 73, 50, 49, 68, 24, 13], case: "squeezed" });
    expect(assume(demand, "1.30.14").limits).toEqual([25, 73, 50, 49, 368, 24, 13]);
  });

  it("shares all nominal seats beside the exempt level, not what it leaves", () => {
    const { limits, exempt } = assume({ exempt: { highWatermark: 300, smoothed: 0 } });
    expect(exempt).toBe(300);
    expect(limits).toEqual([58, 170, 117, 114, 56, 56, 30]);
    expect(limits.reduce((sum: number, limit) => sum + (limit ?? 0), 0)).toBe(601);
  });

  const exemptDemand = (v: string, seats: number) => {
    const periods = [{ lengthUs: 10_000_000, demand: [[0, "exempt", seats] as const] }];
    const pl = replayBorrowing({ v, scl: 600, priorityLevels: ["defaults"], periods }).adjustments[0]?.pl;
    return [pl?.exempt?.[4], pl?.["workload-low"]?.[4]];
  };
  it("counts real demand of the exempt level to 1.30 like anybody's", () => {
    expect(exemptDemand("1.30.14", 100)).toEqual([168, 40]);
    expect(exemptDemand("1.30.14", 300)).toEqual([324, 26]);
    expect(exemptDemand("1.30.14", 343)).toEqual([344, 24]);
    expect(exemptDemand("1.28.3", 500)).toEqual([344, 24]);
  });

  it("since 1.31 leaves the others alone up to 343 seats of exempt demand, and nothing to lend from 344 on", () => {
    expect(exemptDemand("1.34.13", 343)).toEqual([343, 56]);
    expect(exemptDemand("1.34.13", 344)).toEqual([344, 24]);
  });
});

describe("static limits", () => {
  const of = (scl: number, v = "1.34") => computeLimits({ v, scl, priorityLevels: ["defaults"] }).limits;

  it("B11: the nominal limit of workload-low is 245, 327 and 1225 seats of 600, 800 and 3000", () => {
    expect([600, 800, 3000].map((scl) => of(scl)["workload-low"]?.nominalCL)).toEqual([245, 327, 1225]);
  });

  it("B12: node-high lends 25 of 98 seats, half a seat counted as one", () => {
    expect(of(600)["node-high"]).toMatchObject({ nominalCL: 98, minCL: 73 });
  });

  it("are those of the table of defaults at 600 seats", () => {
    expect(of(600)).toEqual({
      exempt: { nominalCL: 0, minCL: 0, maxCL: 600, currentCL: 0, maxSeats: 0 },
      "leader-election": { nominalCL: 25, minCL: 25, maxCL: 625, currentCL: 58, maxSeats: 4 },
      "node-high": { nominalCL: 98, minCL: 73, maxCL: 698, currentCL: 170, maxSeats: 15 },
      system: { nominalCL: 74, minCL: 50, maxCL: 674, currentCL: 117, maxSeats: 12 },
      "workload-high": { nominalCL: 98, minCL: 49, maxCL: 698, currentCL: 114, maxSeats: 15 },
      "workload-low": { nominalCL: 245, minCL: 24, maxCL: 845, currentCL: 56, maxSeats: 37 },
      "global-default": { nominalCL: 49, minCL: 24, maxCL: 649, currentCL: 56, maxSeats: 8 },
      "catch-all": { nominalCL: 13, minCL: 13, maxCL: 613, currentCL: 30, maxSeats: 0 },
    });
  });

  it.each([
    [400, 3, 10, 8, 10, 25, 5],
    [600, 4, 15, 12, 15, 37, 8],
    [800, 5, 20, 15, 20, 50, 10],
    [3000, 19, 74, 56, 74, 184, 37],
  ])("cap one request at %i seats by level, before the hard cap", (scl, ...caps) => {
    expect(NAMES.slice(0, 6).map((name) => of(scl)[name]?.maxSeats)).toEqual(caps);
    expect(of(scl)["catch-all"]?.maxSeats).toBe(0);
  });

  it("leave the exempt level out to 1.27, and the cap before 1.28.0, 1.27.5 and 1.26.8", () => {
    expect(of(600, "1.27.16").exempt).toBeUndefined();
    expect(of(600, "1.28.0").exempt).toMatchObject({ nominalCL: 0, maxCL: 600 });
    const cap = (v: string) => of(600, v)["workload-low"]?.maxSeats;
    expect(["1.26.7", "1.26.8", "1.27.4", "1.27.5", "1.28.0"].map(cap)).toEqual([0, 37, 0, 37, 37]);
  });

  it("add up to the server's limit or less than one seat a level more", () => {
    for (let scl = 1; scl < 4000; scl += 37) {
      const levels = Object.values(of(scl));
      const sum = levels.reduce((all, { nominalCL }) => all + nominalCL, 0);
      expect(sum).toBeGreaterThanOrEqual(scl);
      expect(sum).toBeLessThan(scl + levels.length);
    }
  });

  it("are 0 where nobody has a share", () => {
    const idle = defaultPriorityLevels(34).filter(({ name }) => name === "exempt");
    expect(idle.map((level) => staticLimits(level, 0, 600))).toEqual([
      { nominalCL: 0, minCL: 0, maxCL: 600 },
    ]);
  });
});

describe("LimitsController", () => {
  const team = (overrides: Partial<PriorityLevelObject> = {}): PriorityLevelObject => ({
    name: "team",
    type: "Limited",
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    borrowingLimitPercent: null,
    limitResponse: "Queue",
    queues: 64,
    handSize: 8,
    queueLengthLimit: 50,
    autoupdateSpec: null,
    generation: null,
    ...overrides,
  });
  const open = () => {
    const controller = new LimitsController(ruleVersion("1.34"));
    controller.configure(0, [...defaultPriorityLevels(34), team()], 600);
    return controller;
  };
  const names = (controller: LimitsController) => controller.levels.map(({ name }) => name);

  it("keeps a removed level, with its shares, until it is idle", () => {
    const controller = open();
    const before = controller.levels.find(({ name }) => name === "catch-all")?.nominalCL;
    controller.demandOf("team")?.set(1e9, 5);
    controller.configure(2e9, defaultPriorityLevels(34), 600);
    expect(controller.levels.find(({ name }) => name === "team")).toMatchObject({ isDraining: true });
    expect(controller.levels.find(({ name }) => name === "catch-all")?.nominalCL).toBe(before);
    controller.demandOf("team")?.set(3e9, 0);
    controller.configure(4e9, defaultPriorityLevels(34), 600);
    expect(names(controller)).not.toContain("team");
    expect(controller.demandOf("team")).toBeNull();
  });

  it("takes a draining level back when it is configured again", () => {
    const controller = open();
    controller.demandOf("team")?.set(1e9, 5);
    controller.configure(2e9, defaultPriorityLevels(34), 600);
    controller.configure(3e9, [...defaultPriorityLevels(34), team()], 600);
    expect(controller.levels.find(({ name }) => name === "team")?.isDraining).toBe(false);
  });

  it("ignores a broken level and supplies missing mandatory ones", () => {
    const controller = new LimitsController(ruleVersion("1.34"));
    controller.configure(0, [team({ handSize: 65 })], 600);
    expect(names(controller)).toEqual(["catch-all", "exempt"]);
    controller.configure(1e9, [], 600);
    expect(names(controller)).toEqual(["catch-all", "exempt"]);
  });

  it("keeps the limits it had, and says why, where there is no solution", () => {
    const controller = new LimitsController(ruleVersion("1.28.3"));
    controller.configure(0, defaultPriorityLevels(28), 600);
    const before = controller.levels.map(({ currentCL }) => currentCL);
    // Two adjustments at one moment: an average over no time, which 1.28.3 does not guard against.
    controller.adjust(10e9);
    controller.adjust(10e9);
    expect(controller.adjustment).toMatchObject({ case: "kept", fairFrac: 0, fault: expect.any(String) });
    controller.demandOf("workload-low")?.set(11e9, 500);
    controller.adjust(20e9);
    expect(controller.adjustment.case).toBe("kept");
    expect(controller.levels.map(({ currentCL }) => currentCL)).toEqual(before);
  });

  it("refuses demand for a level that is not there", () => {
    const periods = [{ lengthUs: 10, demand: [[0, "nobody", 1] as const] }];
    expect(() => replayBorrowing({ v: "1.34", scl: 600, priorityLevels: ["defaults"], periods })).toThrow(
      /no priority level nobody/,
    );
  });
});
