import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatDuration,
  formatDurationAtLeast,
  formatTenths,
  windowQuantity,
} from "./duration.ts";

const plain = (text: string) => text.replace(/[\u202f\u00a0]/g, "_");

describe("durations", () => {
  test.each([
    [0, "0_s"],
    [0.0004, "< 1_ms"],
    [0.004, "4_ms"],
    [0.2104, "210_ms"],
    [0.9996, "1_s"],
    [3.62, "3.6_s"],
    [15, "15_s"],
    [59.96, "1_min"],
    [108, "1_min 48_s"],
    [120, "2_min"],
    [23 * 60 + 12, "23_min"],
    [3599, "1_h"],
    [3 * 3600 + 30 * 60, "3_h 30_min"],
    [26 * 3600, "26_h"],
    [2 * 86_400 + 3 * 3600, "2_days 3_h"],
    [23 * 86_400, "23_days"],
    [400 * 86_400, "400_days"],
  ])("%d seconds read %s", (seconds, text) => {
    expect(plain(formatDuration(seconds))).toBe(text);
  });

  test("a lower bound says so", () => {
    expect(plain(formatDurationAtLeast(15))).toBe("≥_15_s");
  });

  test("below the displayed step of a tenth the step is named, zero stays zero", () => {
    expect(plain(formatTenths(0.02))).toBe("< 0.1_s");
    expect(plain(formatTenths(0))).toBe("0_s");
  });

  test("a window in a head is short", () => {
    expect(windowQuantity(3600)).toEqual({ figure: "60", unit: "min" });
    expect(plain(windowQuantity(86_400).figure)).toBe("24_h");
  });
});

describe("ages", () => {
  test.each([
    [0, "< 1_s"],
    [14_900, "14_s"],
    [61_000, "1_min 1_s"],
    [12_600_000, "3_h 30_min"],
    [-5_000, "< 1_s"],
  ])("%d ms read %s", (age, text) => {
    expect(plain(formatAge(1_000_000_000, 1_000_000_000 + age))).toBe(text);
  });
});
