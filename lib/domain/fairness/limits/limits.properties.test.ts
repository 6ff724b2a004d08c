import { describe, expect, it } from "vitest";
import { ruleVersion } from "../../kubernetes/version.ts";
import { defaultPriorityLevels } from "../configuration/expand-objects.ts";
import type { PriorityLevelObject } from "../fairness-part.ts";
import { QueueSet } from "../queueset/queue-set.ts";
import { Flow, QueuedRequest } from "../queueset/request.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { ADJUSTMENT_PERIOD_NS, LimitsController } from "./limits-controller.ts";

const VERSIONS = ["1.26.15", "1.27.16", "1.28.15", "1.30.14", "1.31.14", "1.34.13", "1.37.2"] as const;

/** The defaults and some levels of a team's own, with any percentages. */
function makeLevels(random: SeededRandom, minor: number): PriorityLevelObject[] {
  const more = Array.from(
    { length: random.integer(0, 5) },
    (_, i): PriorityLevelObject => ({
      name: `team-${i}`,
      type: "Limited",
      nominalConcurrencyShares: random.integer(0, 200),
      lendablePercent: random.integer(0, 100),
      borrowingLimitPercent: random.next() < 0.5 ? null : random.integer(0, 300),
      limitResponse: random.next() < 0.2 ? "Reject" : "Queue",
      queues: 16,
      handSize: 4,
      queueLengthLimit: 50,
      autoupdateSpec: null,
      generation: null,
    }),
  );
  const consistent = more.map((level) =>
    level.limitResponse === "Reject"
      ? { ...level, queues: null, handSize: null, queueLengthLimit: null }
      : level,
  );
  return [...defaultPriorityLevels(minor), ...consistent];
}

const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0);

describe("limits over seeded configurations and demands", () => {
  it("add up as upstream's do, stay within their bounds, and never fall below the minimum", () => {
    const cases = new Set<string>();
    for (let seed = 1; seed <= 120; seed++) {
      const random = new SeededRandom(seed);
      const version = ruleVersion(VERSIONS[seed % VERSIONS.length] ?? "1.34");
      const controller = new LimitsController(version);
      const scl = random.pick([1, 10, 100, 600, 3000]);
      controller.configure(0, makeLevels(random, version.minor), scl);
      for (let period = 1; period <= 12; period++) {
        for (const { name } of controller.levels) {
          if (random.next() > 0.4) continue;
          const atNs = (period - 1) * ADJUSTMENT_PERIOD_NS + random.integer(0, ADJUSTMENT_PERIOD_NS);
          controller.demandOf(name)?.set(atNs, random.integer(0, random.pick([1, 50, 2000])));
        }
        controller.adjust(period * ADJUSTMENT_PERIOD_NS);
        cases.add(controller.adjustment.case);
        checkSums(controller, version.minor);
      }
    }
    expect([...cases].toSorted()).toEqual(["minimal", "shared", "squeezed"]);
  });

  it("are equal for equal seeds", () => {
    const run = () => {
      const random = new SeededRandom(77);
      const controller = new LimitsController(ruleVersion("1.34"));
      controller.configure(0, makeLevels(random, 34), 600);
      const trace: string[] = [];
      for (let period = 1; period <= 20; period++) {
        for (const { name } of controller.levels) {
          controller.demandOf(name)?.set((period - 1) * ADJUSTMENT_PERIOD_NS, random.integer(0, 500));
        }
        controller.adjust(period * ADJUSTMENT_PERIOD_NS);
        trace.push(JSON.stringify(controller.levels));
      }
      return trace.join("\n");
    };
    expect(run()).toBe(run());
  });
});

function checkSums(controller: LimitsController, minor: number): void {
  const { levels, adjustment } = controller;
  const nominal = sum(levels.map(({ nominalCL }) => nominalCL));
  const isApart = minor >= 31;
  const takers = levels.filter(({ isExempt }) => !(isExempt && isApart));
  const exempt = sum(levels.filter(({ isExempt }) => isExempt && isApart).map(({ currentCL }) => currentCL));
  const current = sum(takers.map(({ currentCL }) => currentCL));
  // Each level is rounded to a whole seat by itself.
  const rounding = takers.length / 2;
  switch (adjustment.case) {
    case "shared":
      expect(Math.abs(current - nominal)).toBeLessThanOrEqual(rounding);
      break;
    case "squeezed":
      expect(Math.abs(current + exempt - nominal)).toBeLessThanOrEqual(rounding);
      break;
    case "minimal":
      expect(current).toBe(sum(takers.map(({ minCL }) => minCL)));
      break;
    default:
      throw new Error(`no solution: ${adjustment.fault}`);
  }
  for (const { currentCL, minCL, maxCL, isExempt } of levels) {
    expect(currentCL).toBeGreaterThanOrEqual(minCL);
    if (!(isExempt && isApart)) expect(currentCL).toBeLessThanOrEqual(maxCL);
  }
}

describe("a level's queue set and the limits together", () => {
  it("B2 after Q2: the demand of a burst on 56 seats raises the limit to 368 at the next adjustment", () => {
    const controller = new LimitsController(ruleVersion("1.34"));
    controller.configure(0, defaultPriorityLevels(34), 600);
    controller.adjust(ADJUSTMENT_PERIOD_NS);
    const limit = () => controller.levels.find(({ name }) => name === "workload-low")?.currentCL ?? 0;
    const config = { queues: 128, handSize: 6, queueLengthLimit: 50, concurrencyLimit: limit() };
    const startNs = ADJUSTMENT_PERIOD_NS;
    const demand = controller.demandOf("workload-low") ?? undefined;
    const queueSet = new QueueSet({ config, startNs, onDispatch: () => undefined, demand });
    const flow = new Flow("service-accounts", "system:serviceaccount:monitoring:agent");
    for (let id = 0; id < 1000; id++) {
      const estimate = { initialSeats: 10, finalSeats: 0, additionalLatencyNs: 0 };
      queueSet.arrive(startNs, new QueuedRequest(id, flow, estimate));
    }
    expect([config.concurrencyLimit, queueSet.seatsInUse, queueSet.waitingRequests]).toEqual([56, 50, 995]);
    controller.adjust(2 * ADJUSTMENT_PERIOD_NS);
    expect(limit()).toBe(368);
    queueSet.configure(2 * ADJUSTMENT_PERIOD_NS, { ...config, concurrencyLimit: limit() });
    expect(queueSet.seatsInUse).toBe(360);
  });
});
