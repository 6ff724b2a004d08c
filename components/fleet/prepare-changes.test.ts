import { expect, test } from "vitest";
import { changeFixture, FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { mergeChanges } from "./prepare-changes";

const HOUR = 3_600_000;
const early = changeFixture({ id: "early", severity: "error", at: FIXTURE_NOW - 8 * HOUR });
const late = changeFixture({ id: "late", severity: "info", at: FIXTURE_NOW - HOUR });
const before = changeFixture({ id: "before", severity: "error", at: FIXTURE_NOW - 20 * HOUR });

test("by day, newest first; inside a day the worst first", () => {
  const rows = mergeChanges([before, late, early], new Map(), "UTC");
  expect(rows.map(({ change }) => change.id)).toEqual(["early", "late", "before"]);
});

test("of two at the same instant none moves when one is acknowledged", () => {
  const twin = { ...early, id: "twin" };
  const order = (acknowledged: ReadonlyMap<string, typeof early>) =>
    mergeChanges([twin, early], acknowledged, "UTC").map(({ change }) => change.id);
  expect(order(new Map([["early", early]]))).toEqual(order(new Map()));
});

test("what was just acknowledged keeps its place, and is not listed twice", () => {
  const acknowledged = new Map([["early", early]]);
  for (const waiting of [
    [before, late, early],
    [before, late],
  ]) {
    expect(mergeChanges(waiting, acknowledged, "UTC")).toMatchObject([
      { change: { id: "early" }, isAcknowledged: true },
      { change: { id: "late" }, isAcknowledged: false },
      { change: { id: "before" }, isAcknowledged: false },
    ]);
  }
});
