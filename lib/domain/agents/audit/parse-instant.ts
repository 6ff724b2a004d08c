/**
 * Instants of audit events, `2026-03-02T09:00:00.000400Z`, as milliseconds since the epoch with decimals. Events come in
 * the order of time, so the day is worked out once for many of them.
 */

let lastDay = "";
let lastDayMs = 0;

/** `null` for what is no instant. */
export function parseInstant(text: string): number | null {
  const length = text.length;
  if (length < 20 || text.charCodeAt(length - 1) !== 90) return parseOther(text);
  const hour = digits(text, 11);
  const minute = digits(text, 14);
  const second = digits(text, 17);
  if (!(hour < 24 && minute < 60 && second < 60) || !hasSeparators(text)) return parseOther(text);
  let fractionMs = 0;
  if (length > 20) {
    if (text.charCodeAt(19) !== 46) return parseOther(text);
    let unit = 100;
    for (let at = 20; at < length - 1; at++) {
      const digit = text.charCodeAt(at) - 48;
      if (!(digit >= 0 && digit <= 9)) return parseOther(text);
      fractionMs += digit * unit;
      unit /= 10;
    }
  }
  if (!text.startsWith(lastDay) || lastDay === "") {
    const day = text.slice(0, 10);
    const ms = Date.parse(`${day}T00:00:00Z`);
    if (Number.isNaN(ms)) return null;
    lastDay = day;
    lastDayMs = ms;
  }
  return lastDayMs + (hour * 3600 + minute * 60 + second) * 1000 + fractionMs;
}

const hasSeparators = (text: string): boolean =>
  text.charCodeAt(10) === 84 && text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58;

/** Two digits; above 99 or NaN for what is none. */
function digits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** With an offset, or not at all. */
function parseOther(text: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}T\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
