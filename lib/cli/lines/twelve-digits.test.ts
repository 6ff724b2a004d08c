import { expect, test } from "vitest";
import { atTwelveDigits } from "./twelve-digits.ts";

test.each([
  [0, 0],
  [517, 517],
  [1 / 3, 0.333333333333],
  [-2 / 3, -0.666666666667],
  [2 ** -18, 0.00000381469726562],
  [-(2 ** -18), -0.00000381469726562],
  [1.000000000015, 1.00000000002],
  [0.5 + 2 ** -13, 0.5001220703125],
  [Number.NaN, Number.NaN],
])("%d is %d", (value, expected) => {
  expect(atTwelveDigits(value)).toBe(expected);
});
