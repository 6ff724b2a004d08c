import { expect, test } from "vitest";
import { countMoved, holdOrder } from "./hold-order";

const keys = (text: string) => text.split("");

test("nobody points at the rows: the new order is taken", () => {
  expect(holdOrder(keys("abc"), keys("cab"), false)).toEqual({ keys: keys("cab"), moved: 0 });
});

test("while held, rows stay, new ones come last, gone ones go, and what would move is counted", () => {
  expect(holdOrder(keys("abcd"), keys("xdab"), true)).toEqual({ keys: keys("abdx"), moved: 2 });
});

test("held but unchanged moves nothing", () => {
  expect(holdOrder(keys("abc"), keys("abc"), true).moved).toBe(0);
});

test.each([
  ["abcdef", "fabcde", 1],
  ["abcdef", "fedcba", 5],
  ["abcdef", "bacdfe", 2],
])("from %s to %s the fewest moves are %d", (from, to, moved) => {
  expect(countMoved(keys(from), keys(to))).toBe(moved);
});
