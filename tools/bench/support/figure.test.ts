import { describe, expect, test } from "vitest";
import { formatFigures, percentile } from "./figure.ts";

describe("figures of a bench", () => {
  test("stand beside their aim and say how much of it they are; without an aim they stand alone", () => {
    const [withAim = "", without = ""] = formatFigures([
      { what: "memory", value: 96_000_000, unit: "bytes", aim: 64_000_000 },
      { what: "first start", value: 1.234, unit: "seconds", aim: null },
    ]);
    expect(withAim.split(/\s{2,}/)).toEqual(["", "memory", "96 MB", "< 64 MB", "1.50 of it"]);
    expect(without.split(/\s{2,}/)).toEqual(["", "first start", "1.23 s"]);
  });

  test.each([
    { share: 0.5, expected: 10 },
    { share: 0.95, expected: 19 },
    { share: 1, expected: 20 },
    { share: 0.01, expected: 1 },
  ])("the $share percentile of 1 to 20 in any order is $expected", ({ share, expected }) => {
    const values = Array.from({ length: 20 }, (_, index) => ((index * 7) % 20) + 1);
    expect(percentile(values, share)).toBe(expected);
  });
});
