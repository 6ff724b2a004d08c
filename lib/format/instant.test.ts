import { describe, expect, test } from "vitest";
import {
  dayKey,
  formatClock,
  formatDate,
  formatDayAndMinute,
  formatDayOrTime,
  formatFull,
  formatMarkdownInstant,
  isTimeZone,
  zoneLabel,
  zoneOffsetSeconds,
} from "./instant.ts";

const now = Date.UTC(2026, 10, 30, 9, 42, 10);

describe("instants", () => {
  test("a title carries day, year, seconds and zone", () => {
    expect(formatFull(now, "UTC")).toBe("Mon 30 Nov 2026, 09:42:10 UTC");
    expect(formatFull(now, "America/Sao_Paulo")).toBe("Mon 30 Nov 2026, 06:42:10 GMT-3");
  });

  test("the ninth month is Sep whatever the runtime calls it", () => {
    expect(formatDate(Date.UTC(2026, 8, 4), now, "UTC")).toBe("4 Sep");
    expect(formatDate(Date.UTC(2025, 8, 4), now, "UTC")).toBe("4 Sep 2025");
  });

  test("today is said by time, other days by day, another year with its year", () => {
    expect(formatDayOrTime(now - 20 * 60_000, now, "UTC")).toBe("today 09:22");
    expect(formatDayOrTime(now - 86_400_000, now, "UTC")).toBe("Sun 29 Nov");
    expect(formatDayOrTime(Date.UTC(2025, 11, 31), now, "UTC")).toBe("Wed 31 Dec 2025");
  });

  test("which day it is depends on the zone", () => {
    const late = Date.UTC(2026, 10, 29, 23, 30);
    expect(formatDayOrTime(late, now, "UTC")).toBe("Sun 29 Nov");
    expect(formatDayOrTime(late, now, "Asia/Tokyo")).toBe("today 08:30");
    expect(dayKey(late, "Asia/Tokyo")).toBe("2026-11-30");
  });

  test("midnight is 00, not 24", () => {
    expect(formatClock(Date.UTC(2026, 10, 30, 0, 0, 5), now, "UTC")).toBe("00:00:05");
    expect(formatClock(Date.UTC(2026, 10, 29, 0, 0, 5), now, "UTC")).toBe("Sun 29 Nov, 00:00");
    expect(formatDayAndMinute(Date.UTC(2026, 10, 27, 16, 20), "UTC")).toBe("Fri 27 Nov, 16:20");
  });

  test("Markdown is always in UTC", () => {
    expect(formatMarkdownInstant(now)).toBe("2026-11-30 09:42 UTC");
  });

  test("the offset of a zone follows daylight saving", () => {
    expect(zoneOffsetSeconds(now, "Europe/Berlin")).toBe(3600);
    expect(zoneOffsetSeconds(Date.UTC(2026, 6, 1) + 1, "Europe/Berlin")).toBe(7200);
    expect(zoneOffsetSeconds(now, "America/Sao_Paulo")).toBe(-10_800);
  });

  test("a zone is known or it is not", () => {
    expect(isTimeZone("Europe/Berlin")).toBe(true);
    expect(isTimeZone("Mars/Olympus")).toBe(false);
    expect(zoneLabel(now, "Europe/Berlin")).toBe("CET");
  });
});
