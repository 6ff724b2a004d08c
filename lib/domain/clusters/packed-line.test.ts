import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LinePoint, packLine, unpackLine } from "./packed-line.ts";

describe("lines on a grid", () => {
  test("no points are no line", () => {
    expect(packLine([])).toBeNull();
    expect(unpackLine(null)).toEqual([]);
  });

  test("a gap is null, and the grid is as wide as the points allow", () => {
    const points: LinePoint[] = [
      [1800, 0.1],
      [3600, 0.2],
      [9000, 0.3],
    ];
    expect(packLine(points)).toEqual({
      fromSeconds: 1800,
      stepSeconds: 1800,
      values: [0.1, 0.2, null, null, 0.3],
    });
  });

  test("a point off the grid of the others narrows it", () => {
    const points: LinePoint[] = [
      [0, 1],
      [600, 2],
      [900, 3],
    ];
    expect(packLine(points)).toEqual({ fromSeconds: 0, stepSeconds: 300, values: [1, null, 2, 3] });
  });

  test("one point is a line of one", () => {
    expect(packLine([[1234, 0.5]])).toEqual({ fromSeconds: 1234, stepSeconds: 1, values: [0.5] });
  });

  test("unpacking gives back what was packed", () => {
    const line = fc
      .record({
        from: fc.integer({ min: 0, max: 2_000_000_000 }),
        step: fc.integer({ min: 1, max: 3600 }),
        points: fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }),
      })
      .map(({ from, step, points }) =>
        points.sort((a, b) => a - b).map((place): LinePoint => [from + place * step, place / 7]),
      );
    fc.assert(
      fc.property(line, (points) => {
        const packed = packLine(points);
        expect(unpackLine(packed)).toEqual(points);
        if (packed === null) return;
        expect(packed.values[0]).not.toBeNull();
        expect(packed.values.at(-1)).not.toBeNull();
      }),
    );
  });
});
