import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BackOff, FAILED_POD_BACK_OFF } from "./back-off.ts";
import { ClientRateLimit, CONTROLLER_RATE, callsSeconds } from "./client-rate-limit.ts";
import { containerStarts, crashLoopRules, crashLoopStarts } from "./crash-loop.ts";
import { EventClock } from "./event-clock.ts";
import { slowStartBatches, slowStartRounds } from "./slow-start.ts";
import { toSeconds, toTicks } from "./ticks.ts";

describe("the client of a controller: 20 calls a second, burst 30", () => {
  test.each([
    [30, 0],
    [250, 11],
    [500, 23.5],
    [10_000, 498.5],
  ])("%i calls at once take %d s", (calls, seconds) => {
    expect(callsSeconds(calls, CONTROLLER_RATE)).toBe(seconds);
    const limit = new ClientRateLimit(CONTROLLER_RATE);
    let last = 0;
    for (let call = 0; call < calls; call++) last = limit.take(0);
    expect(toSeconds(last)).toBe(seconds);
    expect(limit.calls).toBe(calls);
  });

  test("tokens come back while nothing is asked, up to the burst", () => {
    const limit = new ClientRateLimit({ qps: 20, burst: 30 });
    for (let call = 0; call < 40; call++) limit.take(0);
    expect(limit.tokens(0)).toBe(-10);
    expect(limit.tokens(toTicks(1))).toBe(10);
    expect(limit.tokens(toTicks(100))).toBe(30);
    expect(limit.take(toTicks(100))).toBe(toTicks(100));
  });

  test("in any window no more calls go out than the burst and what comes back, whatever the rate", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 120 }),
        (qps, burst, gaps) => {
          const limit = new ClientRateLimit({ qps, burst });
          const out: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            out.push(limit.take(now));
          }
          for (let first = 0; first < out.length; first++) {
            for (let last = first; last < out.length; last++) {
              const seconds = toSeconds((out[last] ?? 0) - (out[first] ?? 0));
              expect(last - first + 1).toBeLessThanOrEqual(Math.floor(burst + seconds * qps + 1e-6));
            }
          }
        },
      ),
      { seed: 7, numRuns: 100 },
    );
  });

  test("tryTake does not wait", () => {
    const limit = new ClientRateLimit({ qps: 5, burst: 2 });
    expect([0, 0, 0].map((now) => limit.tryTake(now))).toEqual([true, true, false]);
    expect(limit.tryTake(toTicks(0.2))).toBe(true);
    expect(limit.tryTake(toTicks(0.2))).toBe(false);
  });
});

describe("slow start", () => {
  test.each([
    [0, []],
    [1, [1]],
    [2, [1, 1]],
    [3, [1, 2]],
    [250, [1, 2, 4, 8, 16, 32, 64, 123]],
  ])("%i creations go in %j", (count, batches) => {
    expect(slowStartBatches(count)).toEqual(batches);
  });

  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [250, 8],
  ])("%i creations take %i rounds", (count, rounds) => {
    expect(slowStartRounds(count)).toBe(rounds);
    expect(1 + Math.floor(Math.log2(count))).toBe(rounds);
  });

  test("a bound on the batch holds, and nothing is lost", () => {
    const batches = slowStartBatches(5000, 500);
    expect(Math.max(...batches)).toBe(500);
    expect(batches.reduce((sum, size) => sum + size)).toBe(5000);
  });
});

describe("crash loops", () => {
  const default136 = crashLoopRules({ version: "1.36.3" });

  test("run 5 s per start, default gates: starts at 0, 5, 20, 45, 90, 175, 340, 645, 950 s", () => {
    expect(crashLoopStarts(default136, 5, 951)).toEqual([0, 5, 20, 45, 90, 175, 340, 645, 950]);
    expect(crashLoopStarts(default136, 5, 600)).toHaveLength(7);
    expect(crashLoopStarts(default136, 5, 3600)).toHaveLength(17);
  });

  test("the waits are 0, 10, 20, 40, 80, 160, 300, 300 s", () => {
    const starts = [...containerStarts(default136, () => toTicks(1), toTicks(1500))];
    expect(starts.slice(1, 9).map(({ waitTicks }) => toSeconds(waitTicks))).toEqual([
      0, 10, 20, 40, 80, 160, 300, 300,
    ]);
  });

  test("the reduced gate: 15 starts in 600 s", () => {
    const reduced = crashLoopRules({
      version: "1.34.4",
      gates: { ReduceDefaultCrashLoopBackOffDecay: true },
    });
    expect(reduced).toMatchObject({ initialSeconds: 1, capSeconds: 60 });
    expect(crashLoopStarts(reduced, 5, 600)).toHaveLength(15);
  });

  test("maxContainerRestartPeriod 5 s: starts 0, 5, 15, 25, 35, 45, 55 in 60 s", () => {
    const five = crashLoopRules({ version: "1.35.10", maxContainerRestartPeriodSeconds: 5 });
    expect(five).toMatchObject({ initialSeconds: 5, capSeconds: 5, notes: [] });
    expect(crashLoopStarts(five, 5, 60)).toEqual([0, 5, 15, 25, 35, 45, 55]);
  });

  test("both gates on and no period: from 1 s up to 300 s", () => {
    const both = crashLoopRules({ version: "1.36.3", gates: { ReduceDefaultCrashLoopBackOffDecay: true } });
    expect(both).toMatchObject({ initialSeconds: 1, capSeconds: 300 });
    const waits = [...containerStarts(both, () => toTicks(1), toTicks(2000))].map(({ waitTicks }) =>
      toSeconds(waitTicks),
    );
    expect(waits.slice(1, 12)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  });

  test("a container that runs 601 s and then ends starts again at once, with a fresh back-off", () => {
    const runs = [5, 5, 601, 5, 5];
    const starts = [...containerStarts(default136, (start) => toTicks(runs[start] ?? 5), toTicks(660))];
    expect(starts.map(({ waitTicks }) => toSeconds(waitTicks))).toEqual([0, 0, 10, 0, 10]);
    const at600 = [...containerStarts(default136, (start) => toTicks(start === 2 ? 600 : 5), toTicks(660))];
    expect(toSeconds(at600[3]?.waitTicks ?? 0)).toBe(20);
  });

  test.each([
    ["1.31.0", { KubeletCrashLoopBackOffMax: true }, undefined, 300, 1],
    ["1.33.13", {}, 5, 300, 1],
    ["1.32.13", { KubeletCrashLoopBackOffMax: true }, 5, 5, 0],
    ["1.37.2", { KubeletCrashLoopBackOffMax: false }, 5, 300, 1],
  ] as const)("%s with gates %j and period %s: cap %i s", (version, gates, period, cap, notes) => {
    const rules = crashLoopRules({
      version,
      gates,
      ...(period === undefined ? {} : { maxContainerRestartPeriodSeconds: period }),
    });
    expect(rules.capSeconds).toBe(cap);
    expect(rules.notes).toHaveLength(notes);
  });

  test("refuses a period that the kubelet refuses", () => {
    expect(() => crashLoopRules({ version: "1.36", maxContainerRestartPeriodSeconds: 301 })).toThrow(
      RangeError,
    );
  });
});

test("failed pods of a node are deleted at 0, then not before 1, 2, 4, … 900 s, and anew after 1800 s", () => {
  const backOff = new BackOff<string>(FAILED_POD_BACK_OFF);
  const waits: number[] = [];
  let now = 0;
  for (let deletion = 0; deletion < 13; deletion++) {
    const at = backOff.waitsSinceEntryUntil("n0", now);
    waits.push(toSeconds(at - now));
    backOff.advance("n0", at, at);
    now = at;
  }
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  expect(backOff.waitsSinceEntryUntil("n1", now)).toBe(now);
  const later = now + toTicks(1801);
  expect(backOff.waitsSinceEntryUntil("n0", later)).toBe(later);
});

describe("the event clock", () => {
  test("events come by tick, then in the order in which they were scheduled", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (ticks) => {
        const clock = new EventClock<number>();
        for (const [index, tick] of ticks.entries()) clock.schedule(tick, index);
        const pending = clock.pending().map(({ event }) => event);
        const order: number[] = [];
        for (let event = clock.next(); event !== null; event = clock.next()) {
          expect(clock.now).toBe(ticks[event]);
          order.push(event);
        }
        const expected = ticks.map((tick, index) => ({ tick, index }));
        expected.sort((a, b) => a.tick - b.tick || a.index - b.index);
        expect(order).toEqual(expected.map(({ index }) => index));
        expect(pending).toEqual(order);
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  test("what is scheduled for the past comes now", () => {
    const clock = new EventClock<string>();
    clock.schedule(10, "first");
    clock.next();
    clock.schedule(3, "late");
    expect([clock.next(), clock.now, clock.next(), clock.nextTick]).toEqual(["late", 10, null, null]);
  });
});
