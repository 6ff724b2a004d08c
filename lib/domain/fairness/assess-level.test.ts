import { describe, expect, test } from "vitest";
import { assessLevel } from "./assess-level.ts";
import type { LevelSample } from "./fairness-part.ts";

const level = (figures: Partial<LevelSample> = {}): LevelSample => ({
  priorityLevelName: "workload-low",
  nominalSeats: 245,
  minSeats: 25,
  maxSeats: null,
  currentLimitSeats: 368,
  executingSeats: 12,
  executingRequests: 10,
  waitingRequests: 0,
  waitingSeats: 0,
  demandSeatsSmoothed: null,
  rejectedTotal: {},
  dispatchedTotal: 1000,
  rejectedPerSecond: 0,
  dispatchedPerSecond: 3,
  waitP99: null,
  ...figures,
});

const assess = (figures: Partial<LevelSample>, options: { isExempt?: boolean; hasRejected?: boolean } = {}) =>
  assessLevel({
    level: level(figures),
    serverName: "api-1",
    isExempt: options.isExempt ?? false,
    hasRejectedInWindow: options.hasRejected ?? false,
  });

describe("assessLevel", () => {
  test.each([
    ["rejecting now is an error", { rejectedPerSecond: 0.001 }, false, "error"],
    [
      "rejecting now is an error however empty the level is",
      { rejectedPerSecond: 9.6, executingSeats: 0 },
      false,
      "error",
    ],
    [
      "waiting at 90 % of the limit is a warning",
      { waitingRequests: 1, executingSeats: 331.2 },
      false,
      "warning",
    ],
    ["waiting just below 90 % is not", { waitingRequests: 500, executingSeats: 331 }, false, "ok"],
    ["a full level where nobody waits is ok", { executingSeats: 368 }, false, "ok"],
    ["a rejection within the window is a warning", {}, true, "warning"],
    [
      "a first scrape without rates can still be crowded",
      { rejectedPerSecond: null, waitingRequests: 2, executingSeats: 368 },
      false,
      "warning",
    ],
    ["an unknown limit decides nothing", { currentLimitSeats: null, waitingRequests: 9 }, false, "ok"],
    ["unknown waiting decides nothing", { waitingRequests: null, executingSeats: 368 }, false, "ok"],
  ] as const)("%s", (_, figures, hasRejected, severity) => {
    expect(assess(figures, { hasRejected })?.severity).toBe(severity);
  });

  test("the text names the level, the server and the figures with their units", () => {
    expect(assess({ executingSeats: 361, waitingRequests: 182, rejectedPerSecond: 9.6 })?.text).toBe(
      "workload-low on api-1: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected",
    );
  });

  test("a level that rejected within the window says so without an age that would grow old", () => {
    expect(assess({ executingSeats: 100 }, { hasRejected: true })?.text).toBe(
      "workload-low on api-1: 100 of 368 seats, 0 waiting, requests rejected within the last 60 min",
    );
  });

  test("large counts are grouped and a small rate never reads as zero", () => {
    expect(
      assess({
        executingSeats: 12_000,
        currentLimitSeats: 14_500,
        waitingRequests: 1200,
        rejectedPerSecond: 0.002,
      })?.text,
    ).toBe(
      "workload-low on api-1: 12\u202f000 of 14\u202f500 seats, 1\u202f200 waiting, < 0.01 requests/s rejected",
    );
  });

  test("a rate has three significant digits", () => {
    const texts = [33.333, 1234.5, 999.96].map((rejectedPerSecond) => assess({ rejectedPerSecond })?.text);
    expect(texts.map((text) => text?.split(", ").at(-1))).toEqual([
      "33.3 requests/s rejected",
      "1\u202f230 requests/s rejected",
      "1\u202f000 requests/s rejected",
    ]);
  });

  test("an exempt level never is in trouble, and its text states no limit", () => {
    expect(
      assess({ executingSeats: 5, rejectedPerSecond: 3, waitingRequests: 8 }, { isExempt: true }),
    ).toEqual({
      severity: "ok",
      text: "workload-low on api-1: 5 seats, no limit",
    });
  });

  test("what is not known is said in the text", () => {
    expect(assess({ executingSeats: null, waitingRequests: null, rejectedPerSecond: 2 })?.text).toBe(
      "workload-low on api-1: seats not known, waiting not known, 2 requests/s rejected",
    );
    expect(assess({ currentLimitSeats: null })?.text).toContain("12 seats, limit not known");
  });

  test("nothing can be said where neither seats nor rejections are known", () => {
    expect(assess({ executingSeats: null, rejectedPerSecond: null })).toBeNull();
    expect(assess({ executingSeats: null }, { isExempt: true })).toBeNull();
  });
});
