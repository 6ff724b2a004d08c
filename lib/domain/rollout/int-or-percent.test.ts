import { expect, test } from "vitest";
import { isZero, parseIntOrPercent, resolveIntOrPercent } from "./int-or-percent.ts";

test.each([
  [0, 0],
  [12, 12],
  ["12", 12],
  [" 25% ", "25%"],
  ["007%", "7%"],
  ["101%", null],
  ["12.5%", null],
  ["-1", null],
  [-1, null],
  [1.5, null],
  [Number.NaN, null],
  ["", null],
  ["%", null],
  [true, null],
  [null, null],
])("%j reads as %j", (value, expected) => {
  expect(parseIntOrPercent(value)).toBe(expected);
});

test.each([
  ["25%", 7, "up", 2],
  ["25%", 7, "down", 1],
  ["10%", 500, "up", 50],
  ["1%", 1, "up", 1],
  ["0%", 100, "up", 0],
  ["100%", 37, "down", 37],
  ["29%", 100, "up", 29],
  [3, 100, "up", 3],
] as const)("%j of %i, rounded %s, is %i", (value, total, rounding, expected) => {
  expect(resolveIntOrPercent(value, total, rounding)).toBe(expected);
});

test("refuses what is no percentage", () => {
  expect(() => resolveIntOrPercent("many", 3)).toThrow(RangeError);
});

test("zero is a number or a percentage", () => {
  expect([isZero(0), isZero("0%"), isZero(1), isZero("1%")]).toEqual([true, true, false, false]);
});
