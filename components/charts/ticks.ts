import { formatDate, formatMinute, type TimeZone, zoneOffsetSeconds } from "@/lib/format/instant";
import type { ChartScale } from "./chart-value";

const HOUR = 3600;
const DAY = 24 * HOUR;
const STEPS = [
  60,
  300,
  600,
  900,
  1800,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  60 * DAY,
];

/** At most `count` round instants (seconds) within the range, round in the reader's zone. */
export function timeTicks(fromAt: number, toAt: number, zone: TimeZone, count: number): readonly number[] {
  const step = STEPS.find((candidate) => (toAt - fromAt) / candidate <= count) ?? 90 * DAY;
  const offset = zoneOffsetSeconds(fromAt * 1000, zone);
  const first = Math.ceil((fromAt + offset) / step) * step - offset;
  const ticks: number[] = [];
  for (let at = first; at <= toAt; at += step) ticks.push(at);
  return ticks;
}

/** `09:00` for ticks within a day or two, `23 Nov` for longer ranges. */
export function formatTick(
  at: number,
  range: { readonly fromAt: number; readonly toAt: number },
  zone: TimeZone,
): string {
  return range.toAt - range.fromAt > 2 * DAY
    ? formatDate(at * 1000, range.toAt * 1000, zone)
    : formatMinute(at * 1000, zone);
}

/** Round values from 0 to the end of the axis; whole ones where the unit knows no halves. */
export function valueTicks(yMax: number, { unit, isMemory }: ChartScale): readonly number[] {
  const base = isMemory ? 2 ** (10 * Math.floor(Math.log2(yMax) / 10)) : 1;
  const parts = [5, 4].find((count) => isRound(yMax / base / count)) ?? 4;
  const isWhole = unit === "seats" || unit === "requests" || unit === "count";
  const step = isWhole ? Math.max(1, yMax / parts) : yMax / parts;
  const ticks: number[] = [];
  for (let value = 0; value <= yMax * 1.000_001; value += step) ticks.push(Number(value.toPrecision(12)));
  return ticks;
}

/** 1, 2, 2.5 or 5 times a power of ten. */
function isRound(value: number): boolean {
  const mantissa = value / 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].some((round) => Math.abs(mantissa - round) < 1e-9);
}
