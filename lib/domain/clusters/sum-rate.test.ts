import fc from "fast-check";
import { expect, test } from "vitest";
import { sumRate } from "./sum-rate.ts";

const points = (...pairs: [number, number][]) =>
  pairs.map(([atSeconds, avg]) => ({ atSeconds, min: avg, avg, max: avg }));
const window = { fromSeconds: 0, toSeconds: 3600, stepSeconds: 30, isAsScraped: true };

test("nothing happened where there is no sample", () => {
  expect(sumRate([], window)).toBe(0);
});

test("a rate holds for the time since the sample before it", () => {
  expect(sumRate(points([100, 2], [130, 4], [140, 1]), window)).toBe(2 * 30 + 4 * 30 + 1 * 10);
});

test("a gap of more than three steps was not observed", () => {
  expect(sumRate(points([100, 1], [190, 1], [600, 1]), window)).toBe(30 + 90 + 30);
});

test("what lies before the window does not count", () => {
  expect(sumRate(points([10, 1], [40, 1]), window)).toBe(10 + 30);
});

test("a bucket covers its step, cut at the end of the window", () => {
  const buckets = { ...window, stepSeconds: 300, isAsScraped: false };
  expect(sumRate(points([0, 2], [3500, 1]), buckets)).toBe(2 * 300 + 100);
});

test("a constant rate over a whole window comes to rate × seconds, whatever the pace", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 500 }), (step, rate) => {
      const samples = points(
        ...Array.from({ length: Math.floor(3600 / step) }, (_, i): [number, number] => [
          (i + 1) * step,
          rate,
        ]),
      );
      const total = sumRate(samples, { ...window, stepSeconds: step });
      expect(total).toBeCloseTo(rate * Math.floor(3600 / step) * step, 6);
    }),
    { numRuns: 200 },
  );
});
