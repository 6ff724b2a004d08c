const BYTE_FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/**
 * Bytes of a quantity as Kubernetes writes it (`256Mi`, `1.5G`, `4096`); `null` where it is none, is not positive or
 * does not come to whole bytes that a number can hold. Source: API reference, Quantity (decimal and binary suffixes).
 */
export function parseByteQuantity(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/.exec(text.trim());
  const factor = match && BYTE_FACTORS[match[2] ?? ""];
  if (!match || factor === undefined || factor === null) return null;
  const bytes = Number(match[1]) * factor;
  return Number.isSafeInteger(Math.round(bytes)) && bytes >= 1 ? Math.round(bytes) : null;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * Seconds of a duration: whole numbers with a unit each, largest first (`14d`, `2h`, `1h30m`); `null` where it is none
 * or is zero. A day is 24 hours.
 */
export function parseDurationSeconds(text: string): number | null {
  const trimmed = text.trim();
  if (!/^(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/.test(trimmed)) return null;
  let seconds = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+)([wdhms])/g)) {
    seconds += Number(amount) * (SECONDS[unit ?? ""] ?? 0);
  }
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}
