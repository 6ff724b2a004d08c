/** IANA name of the zone in which instants are shown; `UTC` unless the reader chose another. */
export type TimeZone = string;

interface InstantParts {
  readonly year: string;
  readonly month: number;
  readonly day: string;
  readonly weekday: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
}

/** Fixed, since what Intl calls the ninth month differs between releases of its data. */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const formatters = new Map<TimeZone, Intl.DateTimeFormat>();

/** True where the runtime knows the zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `09:42`. */
export function formatMinute(at: number, zone: TimeZone): string {
  const { hour, minute } = partsOf(at, zone);
  return `${hour}:${minute}`;
}

/** `09:42:10`. */
export function formatSecond(at: number, zone: TimeZone): string {
  return `${formatMinute(at, zone)}:${partsOf(at, zone).second}`;
}

/** `Mon 30 Nov`. */
export function formatDay(at: number, zone: TimeZone): string {
  const { weekday, day, month } = partsOf(at, zone);
  return `${weekday} ${day} ${MONTHS[month - 1] ?? ""}`;
}

/** `14 Aug`, with the year where it is not the year of `now`. */
export function formatDate(at: number, now: number, zone: TimeZone): string {
  const { day, month, year } = partsOf(at, zone);
  const date = `${day} ${MONTHS[month - 1] ?? ""}`;
  return year === partsOf(now, zone).year ? date : `${date} ${year}`;
}

/** `today 09:22` on the day of `now`, else `Sun 29 Nov`, with the year where it differs. */
export function formatDayOrTime(at: number, now: number, zone: TimeZone): string {
  if (isSameDay(at, now, zone)) return `today ${formatMinute(at, zone)}`;
  const { year } = partsOf(at, zone);
  return year === partsOf(now, zone).year ? formatDay(at, zone) : `${formatDay(at, zone)} ${year}`;
}

/** `09:41:40` on the day of `now`, else `Sun 29 Nov, 09:41`. */
export function formatClock(at: number, now: number, zone: TimeZone): string {
  return isSameDay(at, now, zone) ? formatSecond(at, zone) : formatDayAndMinute(at, zone);
}

/** `Fri 27 Nov, 16:20`. */
export function formatDayAndMinute(at: number, zone: TimeZone): string {
  return `${formatDay(at, zone)}, ${formatMinute(at, zone)}`;
}

/** Absolute, with zone, for titles: `Mon 30 Nov 2026, 09:42:10 UTC`. */
export function formatFull(at: number, zone: TimeZone): string {
  return `${formatDay(at, zone)} ${partsOf(at, zone).year}, ${formatSecond(at, zone)} ${zoneLabel(at, zone)}`;
}

/** For Markdown, always UTC: `2026-11-30 09:42 UTC`. */
export function formatMarkdownInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** What the zone is called at that instant: `UTC`, `CET`, `GMT-3`. */
export function zoneLabel(at: number, zone: TimeZone): string {
  if (zone === "UTC") return "UTC";
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "short" }).formatToParts(at);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
}

/** Seconds that the zone is ahead of UTC at an instant; negative west of it. */
export function zoneOffsetSeconds(at: number, zone: TimeZone): number {
  const { year, month, day, hour, minute, second } = partsOf(at, zone);
  const local = Date.UTC(Number(year), month - 1, Number(day), Number(hour), Number(minute), Number(second));
  return (local - Math.floor(at / 1000) * 1000) / 1000;
}

/** Calendar day of an instant in the zone, `2026-11-30`: a key to group by. */
export function dayKey(at: number, zone: TimeZone): string {
  const { year, month, day } = partsOf(at, zone);
  return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

const isSameDay = (a: number, b: number, zone: TimeZone): boolean => dayKey(a, zone) === dayKey(b, zone);

function partsOf(at: number, zone: TimeZone): InstantParts {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(zone, formatter);
  }
  const found = new Map(formatter.formatToParts(at).map((part) => [part.type, part.value]));
  const read = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? "";
  return {
    year: read("year"),
    month: Number(read("month")),
    day: String(Number(read("day"))),
    weekday: read("weekday"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
  };
}
