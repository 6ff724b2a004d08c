import { formatCount, formatFixed, joinQuantity, type Quantity, UNIT_SPACE } from "./number.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration in at most two units: `4 ms`, `3.6 s`, `1 min 48 s`, `23 min`, `3 h 30 min`, `23 days`. Below a
 * millisecond `< 1 ms`. A second unit that would be zero is left out.
 */
export function formatDuration(seconds: number): string {
  if (seconds <= 0) return join("0", "s");
  if (seconds < 0.001) return `< ${join("1", "ms")}`;
  if (seconds < 0.9995) return join(String(Math.round(seconds * 1000)), "ms");
  if (seconds < 59.95) return join(formatFixed(seconds, 1).replace(/\.0$/, ""), "s");
  return formatWholeSeconds(Math.round(seconds));
}

/** As `formatDuration`, for a value that is a lower bound: `≥ 15 s`. */
export function formatDurationAtLeast(seconds: number): string {
  return `≥${UNIT_SPACE}${formatDuration(seconds)}`;
}

/** For figures whose displayed step is a tenth of a second: `< 0.1 s` below it. */
export function formatTenths(seconds: number): string {
  return seconds > 0 && seconds < 0.1 ? `< ${join("0.1", "s")}` : formatDuration(seconds);
}

/** Age of something read at `at`, instants in milliseconds: whole seconds, `14 s`, `3 h 30 min`. Never negative. */
export function formatAge(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  if (seconds < 1) return `< ${join("1", "s")}`;
  return seconds < MINUTE ? join(String(seconds), "s") : formatWholeSeconds(seconds);
}

/** A window named in a table head, short: `60 min`. */
export function windowQuantity(seconds: number): Quantity {
  return seconds % MINUTE === 0 && seconds < 2 * HOUR
    ? { figure: formatCount(seconds / MINUTE), unit: "min" }
    : { figure: formatDuration(seconds), unit: "" };
}

function formatWholeSeconds(total: number): string {
  if (total < 10 * MINUTE) return two(Math.floor(total / MINUTE), "min", total % MINUTE, "s");
  if (total < HOUR - MINUTE / 2) return join(String(Math.round(total / MINUTE)), "min");
  if (total < 2 * DAY) {
    const minutes = Math.round(total / MINUTE);
    return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
  }
  if (total < 10 * DAY) {
    const hours = Math.round(total / HOUR);
    return two(Math.floor(hours / 24), hours < 48 ? "day" : "days", hours % 24, "h");
  }
  return join(formatCount(total / DAY), "days");
}

function two(first: number, firstUnit: string, second: number, secondUnit: string): string {
  const lead = join(formatCount(first), firstUnit);
  return second === 0 ? lead : `${lead} ${join(String(second), secondUnit)}`;
}

const join = (figure: string, unit: string): string => joinQuantity({ figure, unit });
