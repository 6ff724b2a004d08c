import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executingSeatsOf, waitingRequestsOf } from "../fake-api-server/figures.ts";
import { demoScenarios } from "./demo-fleet.ts";
import { busiestServer } from "./demo-load.ts";

const ANCHOR = Date.UTC(2026, 10, 30, 9, 42, 10);
const scenarios = demoScenarios(ANCHOR);
/** 30 days back to 7 days ahead. */
const anyInstant = fc
  .integer({ min: -30 * 86_400, max: 7 * 86_400 })
  .map((seconds) => ANCHOR + seconds * 1000);
const anyServer = fc.constantFrom(
  ...scenarios.flatMap(({ scenario }) => scenario.servers.map((_, server) => ({ scenario, server }))),
);

describe("figures of the demo fleet, at any instant", () => {
  it("never use more seats than the current limit, and wait only where it is used up", () => {
    fc.assert(
      fc.property(anyServer, anyInstant, ({ scenario, server }, at) => {
        for (const level of scenario.figuresAt(server, at).levels) {
          if (level.type === "Exempt") continue;
          const seats = executingSeatsOf(level);
          expect(seats).toBeLessThanOrEqual(level.currentLimitSeats);
          const widest = Math.max(
            0,
            ...level.flows.filter((flow) => flow.waitingRequests > 0).map((flow) => flow.seatsEach),
          );
          if (waitingRequestsOf(level) > 0) expect(seats + widest).toBeGreaterThan(level.currentLimitSeats);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("share 600 seats: nominal limits add up to them, current limits to the same within rounding", () => {
    fc.assert(
      fc.property(anyServer, anyInstant, ({ scenario, server }, at) => {
        const levels = scenario.figuresAt(server, at).levels.filter((level) => level.type === "Limited");
        const nominal = levels.reduce((sum, level) => sum + level.nominalSeats, 0);
        const current = levels.reduce((sum, level) => sum + level.currentLimitSeats, 0);
        expect(nominal).toBe(602);
        expect(Math.abs(current - nominal)).toBeLessThanOrEqual(4);
        for (const level of levels) {
          expect(level.currentLimitSeats).toBeGreaterThanOrEqual(level.lowerSeats);
          expect(level.currentLimitSeats).toBeLessThanOrEqual(level.upperSeats);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are the same for the same instant and anchor", () => {
    const again = demoScenarios(ANCHOR);
    for (const [index, { scenario }] of scenarios.entries()) {
      const at = ANCHOR + index * 123_457;
      expect(again[index]?.scenario.figuresAt(0, at)).toEqual(scenario.figuresAt(0, at));
    }
  });

  it("count up: no total falls while a process runs", () => {
    const anyStep = fc.integer({ min: 1, max: 4000 });
    fc.assert(
      fc.property(anyServer, anyInstant, anyStep, ({ scenario, server }, at, step) => {
        const before = scenario.figuresAt(server, at);
        const after = scenario.figuresAt(server, at + step * 1000);
        if (after.startedAt !== before.startedAt) {
          expect(after.startedAt).toBeGreaterThan(before.startedAt);
          return;
        }
        expect(after.cpuSecondsTotal).toBeGreaterThan(before.cpuSecondsTotal);
        const flowsBefore = before.levels.flatMap((level) => level.flows);
        const flowsAfter = after.levels.flatMap((level) => level.flows);
        for (const [index, flow] of flowsBefore.entries()) {
          const next = flowsAfter[index];
          expect(next?.dispatchedTotal).toBeGreaterThanOrEqual(flow.dispatchedTotal);
          for (const [reason, total] of Object.entries(flow.rejectedTotals)) {
            expect(next?.rejectedTotals[reason]).toBeGreaterThanOrEqual(total);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe("figures when the fleet starts", () => {
  const expected: Readonly<Record<string, [level: string, seats: number]>> = {
    "ml-us-east": ["workload-low", 361],
    "prod-us-east": ["workload-low", 31],
    "prod-eu-west": ["workload-high", 42],
    "payments-eu": ["system", 18],
    "data-eu-west": ["workload-low", 22],
    "prod-us-west": ["workload-low", 24],
    "edge-ap-south": ["workload-low", 9],
    "prod-ap-east": ["workload-low", 19],
    "ci-us-east": ["workload-low", 41],
    "payments-us": ["system", 15],
    "edge-us-central": ["workload-low", 7],
    "stage-eu-west": ["workload-low", 6],
    "dev-eu-west": ["workload-low", 4],
    "edge-eu-north": ["workload-low", 2],
  };

  it.each(scenarios.map(({ plan, scenario }) => [plan.name, plan, scenario] as const))(
    "%s has the level and seats of the fleet page on its busiest server",
    (name, plan, scenario) => {
      const ratios = scenario.servers.flatMap((_, server) =>
        scenario
          .figuresAt(server, ANCHOR)
          .levels.filter((level) => level.type === "Limited")
          .map((level) => ({
            server,
            name: level.name,
            seats: executingSeatsOf(level),
            ratio: executingSeatsOf(level) / level.currentLimitSeats,
          })),
      );
      const busiest = ratios.toSorted((a, b) => b.ratio - a.ratio || b.server - a.server)[0];
      const here = ratios.find(
        (row) => row.server === busiestServer(plan) && row.name === expected[name]?.[0],
      );
      expect([here?.name, here?.seats]).toEqual(expected[name]);
      expect(busiest?.name).toBe(here?.name);
    },
  );

  it("prod-us-east borrows above nominal for four minutes on three days", () => {
    const scenario = scenarios.find(({ plan }) => plan.name === "prod-us-east")?.scenario;
    const limits = [-5, 60, 230, 400].map((seconds) => {
      const at = ANCHOR - 4 * 86_400_000 - 6.5 * 3_600_000 + seconds * 1000;
      return (
        scenario?.figuresAt(1, at).levels.find((level) => level.name === "workload-low")?.currentLimitSeats ??
        0
      );
    });
    expect(limits.map((limit) => limit > 245)).toEqual([false, true, true, false]);
  });
});
