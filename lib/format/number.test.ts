import { describe, expect, test } from "vitest";
import { formatByteRate, formatBytes, formatMemory } from "./bytes.ts";
import {
  formatCount,
  formatFixed,
  formatPlural,
  formatRate,
  formatSeats,
  formatShare,
  formatSignificant,
} from "./number.ts";

const plain = (text: string) => text.replace(/[\u202f\u00a0]/g, "_");

describe("counts", () => {
  test.each([
    [0, "0"],
    [-0.4, "0"],
    [640, "640"],
    [1940, "1_940"],
    [48_000, "48_000"],
    [1_234_567.6, "1_234_568"],
    [-1500, "−1_500"],
  ])("%d reads %s", (value, text) => {
    expect(plain(formatCount(value))).toBe(text);
  });

  test("a count of one takes the singular", () => {
    expect(formatPlural(1, "cluster")).toBe("1 cluster");
    expect(plain(formatPlural(6650, "node"))).toBe("6_650 nodes");
    expect(formatPlural(0, "query", "queries")).toBe("0 queries");
  });
});

describe("significant digits", () => {
  test.each([
    [0, "0"],
    [0.99, "0.99"],
    [0.00000012, "0.00000012"],
    [9.6, "9.6"],
    [19.24, "19.2"],
    [480.6, "481"],
    [999.7, "1_000"],
    [12_345, "12_300"],
    [-2.345, "−2.35"],
  ])("%d reads %s", (value, text) => {
    expect(plain(formatSignificant(value))).toBe(text);
  });

  test("fixed decimals keep their zeros and group the whole part", () => {
    expect(formatFixed(0, 1)).toBe("0.0");
    expect(formatFixed(-0.01, 1)).toBe("0.0");
    expect(plain(formatFixed(1234.56, 1))).toBe("1_234.6");
  });
});

describe("seats, shares, rates", () => {
  test("a side that does not apply is a dash, zero is zero", () => {
    expect(formatSeats(361, 368)).toBe("361 / 368");
    expect(formatSeats(0, null)).toBe("0 / –");
    expect(formatSeats(30.6, 56)).toBe("31 / 56");
  });

  test.each([
    [0.941, "94.1_%"],
    [1, "100_%"],
    [0, "0_%"],
    [0.0004, "< 0.1_%"],
    [25, "25_×"],
  ])("the share %d reads %s", (ratio, text) => {
    expect(plain(formatShare(ratio))).toBe(text);
  });

  test.each([
    [0, "0_/s"],
    [0.004, "< 0.01_/s"],
    [19.2, "19.2_/s"],
    [1840, "1_840_/s"],
  ])("the rate %d reads %s", (rate, text) => {
    expect(plain(formatRate(rate))).toBe(text);
  });
});

describe("bytes", () => {
  test.each([
    [0, "0_B"],
    [999, "999_B"],
    [1000, "1_kB"],
    [999_600, "1_MB"],
    [240_000_000, "240_MB"],
    [480_700_000_000, "481_GB"],
  ])("%d bytes on the wire read %s", (bytes, text) => {
    expect(plain(formatBytes(bytes))).toBe(text);
  });

  test.each([
    [1023, "1_023_B"],
    [1024, "1_KiB"],
    [26.6 * 2 ** 30, "26.6_GiB"],
    [1023.9 * 2 ** 20, "1_020_MiB"],
    [2 ** 30, "1_GiB"],
    [1.004 * 2 ** 30, "1_GiB"],
  ])("%d bytes of memory read %s", (bytes, text) => {
    expect(plain(formatMemory(bytes))).toBe(text);
  });

  test("a byte rate names its unit once", () => {
    expect(plain(formatByteRate(1.15e9))).toBe("1.15_GB/s");
  });
});
