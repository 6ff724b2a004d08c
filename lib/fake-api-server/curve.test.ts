import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, constant, during, fixedWindows, outside, recurring, scale, wave } from "./curve.ts";

const T0 = Date.UTC(2026, 0, 1);
const ripples = [
  { periodSeconds: 97, amplitude: 0.5, phase: 1 },
  { periodSeconds: 2460, amplitude: 0.5, phase: 2 },
];
const windows = recurring(T0 + 1000, 60, 100);

const curves = {
  constant: constant(3),
  wave: wave(7, ripples),
  "wave in windows": during(wave(7, ripples), windows),
  "wave outside windows": outside(wave(7, ripples), windows),
  sum: add(constant(1), scale(wave(2, ripples), 3)),
};

describe.each(Object.entries(curves))("%s", (_name, curve) => {
  it("is additive and never negative, so a counter made of it never goes back", () => {
    const instant = fc.integer({ min: 0, max: 900_000 });
    fc.assert(
      fc.property(instant, instant, instant, (a, b, c) => {
        const [from = 0, middle = 0, to = 0] = [a, b, c].toSorted((x, y) => x - y).map((ms) => T0 + ms);
        const whole = curve.total(from, to);
        expect(curve.total(from, middle) + curve.total(middle, to)).toBeCloseTo(whole, 6);
        expect(whole).toBeGreaterThanOrEqual(-1e-9);
        expect(curve.at(middle)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("grows by what its rate says, added up in small steps", () => {
    let sum = 0;
    for (let ms = 0; ms < 300_000; ms += 50) sum += curve.at(T0 + ms + 25) * 0.05;
    expect(curve.total(T0, T0 + 300_000) / sum).toBeCloseTo(1, 3);
  });
});

describe("recurring", () => {
  it("starts at the first instant, not before, and comes back each period", () => {
    expect(windows(T0 - 500_000, T0)).toEqual([]);
    expect(windows(T0, T0 + 250_000).map(([start]) => start - T0)).toEqual([1000, 101_000, 201_000]);
  });

  it("finds a window that began before the range", () => {
    expect(windows(T0 + 60_500, T0 + 60_501)).toEqual([[T0 + 1000, T0 + 61_000]]);
    expect(windows(T0 + 61_000, T0 + 61_001)).toEqual([]);
  });
});

describe("fixedWindows", () => {
  it("leaves out windows that only touch the range", () => {
    const some = fixedWindows([
      [10, 20],
      [20, 30],
    ]);
    expect(some(20, 25)).toEqual([[20, 30]]);
  });
});
