import { describe, expect, it } from "vitest";
import { SERIES_STEPS_MAX, StepClock } from "./step-series.ts";

const roll = (clock: StepClock, times: number, close: () => void = () => undefined) => {
  for (let index = 0; index < times; index++) clock.roll(close);
};

describe("time series", () => {
  it("have one value a step, the step under way left out", () => {
    const clock = new StepClock(1);
    const series = clock.make("max");
    roll(clock, 3, () => series.push(7));
    expect(series.values()).toEqual([7, 7, 7]);
    expect(clock.endTick).toBe(4_000_000);
  });

  it("double their step when there are too many, each in its own way", () => {
    const clock = new StepClock(1);
    const all = (["max", "last", "sum", "mean"] as const).map((kind) => clock.make(kind));
    let step = 0;
    roll(clock, SERIES_STEPS_MAX, () => {
      for (const series of all) series.push(step);
      step++;
    });
    expect(clock.stepSeconds).toBe(2);
    expect(clock.steps).toBe(SERIES_STEPS_MAX / 2);
    expect(clock.endTick).toBe((SERIES_STEPS_MAX / 2 + 1) * 2_000_000);
    expect(all.map((series) => series.values().slice(0, 3))).toEqual([
      [1, 3, 5],
      [1, 3, 5],
      [1, 5, 9],
      [0.5, 2.5, 4.5],
    ]);
  });

  it("spread an amount over the time it took, and keep its sum, also when the step doubles", () => {
    const clock = new StepClock(1);
    const series = clock.make("sum");
    roll(clock, 10, () => series.push(0));
    series.spread(500_000, 4_500_000, 40);
    series.spread(7_000_000, 7_000_000, 3);
    series.spread(2_100_000, 2_200_000, 5);
    expect(series.values()).toEqual([5, 10, 15, 10, 5, 0, 0, 3, 0, 0]);
    roll(clock, SERIES_STEPS_MAX - 10, () => series.push(0));
    expect(series.values().slice(0, 4)).toEqual([15, 25, 5, 3]);
    expect(series.values().reduce((sum, value) => sum + value, 0)).toBe(48);
  });

  it("that are made late have nothing before", () => {
    const clock = new StepClock(1);
    roll(clock, 3);
    const series = clock.make("sum");
    roll(clock, 1, () => series.push(4));
    expect(series.values()).toEqual([0, 0, 0, 4]);
  });
});
