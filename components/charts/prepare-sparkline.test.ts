import { expect, test } from "vitest";
import { sparklinePath } from "./prepare-sparkline";

const frame = { fromAt: 0, toAt: 86_400, width: 80, height: 20 };

test("zero lies at the bottom, the limit three pixels below the top, more than the limit is cut there", () => {
  const path = sparklinePath(
    [
      [0, 0],
      [1800, 1],
      [3600, 1.4],
    ],
    frame,
  );
  expect(path).toBe("M0 19L1.7 3L3.3 3");
});

test("hourly history is joined, and its gaps are still gaps", () => {
  const hourly = [0, 1, 2, 3, 6, 7].map((hour) => [hour * 3600, 0.5] as const);
  expect(sparklinePath(hourly, frame)).toBe("M0 11L3.3 11L6.7 11L10 11M20 11L23.3 11");
});

test("a missing bucket lifts the pen, a lone point is a short dash", () => {
  const path = sparklinePath(
    [
      [0, 0.5],
      [1800, 0.5],
      [3600, 0.5],
      [10_800, 0.5],
    ],
    frame,
  );
  expect(path).toBe("M0 11L1.7 11L3.3 11M10 11h1");
});
