import { expect, test } from "vitest";
import { formatTick, timeTicks, valueTicks } from "./ticks";

const from = Date.UTC(2026, 10, 29, 9, 42) / 1000;
const to = from + 86_400;

test("ticks are round in the reader's zone, also where it is half an hour off", () => {
  const utc = timeTicks(from, to, "UTC", 8);
  expect(utc[0]).toBe(Date.UTC(2026, 10, 29, 12) / 1000);
  expect(utc).toHaveLength(8);
  const range = { fromAt: from, toAt: to };
  const kolkata = timeTicks(from, to, "Asia/Kolkata", 8).map((at) => formatTick(at, range, "Asia/Kolkata"));
  expect(kolkata[0]).toBe("18:00");
});

test("a long range is labelled by day", () => {
  const range = { fromAt: to - 30 * 86_400, toAt: to };
  const ticks = timeTicks(range.fromAt, range.toAt, "UTC", 6);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(formatTick(ticks[0] ?? 0, range, "UTC")).toMatch(/^\d+ (Oct|Nov)$/);
});

test.each([
  [400, "seats", [0, 100, 200, 300, 400]],
  [100, "seats", [0, 20, 40, 60, 80, 100]],
  [25, "count", [0, 5, 10, 15, 20, 25]],
  [1, "seats", [0, 1]],
  [2, "count", [0, 1, 2]],
  [2.5, "per-second", [0, 0.5, 1, 1.5, 2, 2.5]],
] as const)("an axis to %d %s has round ticks", (yMax, unit, expected) => {
  expect(valueTicks(yMax, { unit, isMemory: false })).toEqual(expected);
});
