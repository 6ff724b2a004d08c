"use client";

import { usePreferences } from "@/components/preferences/preferences";
import { formatAge } from "@/lib/format/duration";
import {
  formatClock,
  formatDate,
  formatDayAndMinute,
  formatDayOrTime,
  formatFull,
  formatMinute,
  zoneLabel,
} from "@/lib/format/instant";
import { useNow } from "./now";

/** Age of something read at `at`, counting on: `14 s`. Absolute, with zone, in the title. Not announced as it ticks. */
export function Age({ at, className }: { at: number; className?: string }) {
  const now = useNow();
  return <Moment at={at} text={formatAge(at, now)} className={className} />;
}

type InstantLook = "full" | "clock" | "minute" | "day-or-time" | "day-and-minute" | "date";

/** An instant in the reader's time zone; absolute, with zone, in the title. */
export function Instant({ at, look, className }: { at: number; look: InstantLook; className?: string }) {
  const now = useNow();
  const { timeZone } = usePreferences();
  const text = {
    full: () => formatFull(at, timeZone),
    clock: () => formatClock(at, now, timeZone),
    minute: () => formatMinute(at, timeZone),
    "day-or-time": () => formatDayOrTime(at, now, timeZone),
    "day-and-minute": () => formatDayAndMinute(at, timeZone),
    date: () => formatDate(at, now, timeZone),
  }[look]();
  return <Moment at={at} text={text} className={className} />;
}

/** The time of the server, in full, moving on. */
export function ClockNow() {
  const now = useNow();
  return <Instant at={now} look="full" />;
}

/** `All times UTC`, or the zone the reader chose. */
export function ZoneLine() {
  const now = useNow();
  const { timeZone } = usePreferences();
  const label = zoneLabel(now, timeZone);
  return <>All times {timeZone === "UTC" || label === timeZone ? label : `${label} (${timeZone})`}</>;
}

function Moment({ at, text, className }: { at: number; text: string; className?: string | undefined }) {
  const { timeZone } = usePreferences();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatFull(at, timeZone)} className={className}>
      {text}
    </time>
  );
}
