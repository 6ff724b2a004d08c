import { expect, test } from "vitest";
import { labelMarks } from "./drawing";

const mark = (letter: string, at: number) => ({ letter, at, label: letter });

test("marks that stand too close share one label, others keep their letter", () => {
  const marks = [mark("A", 100), mark("B", 110), mark("C", 115), mark("D", 500), mark("E", 520)];
  expect(labelMarks({ marks, fromAt: 0, toAt: 1000 })).toEqual([
    { at: 100, text: "A–C" },
    { at: 500, text: "D" },
    { at: 520, text: "E" },
  ]);
});
