const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ns: 1e-9,
};

/** Seconds of a duration as Go prints it, `1m2.5s` or `780ns`; `null` for other text. Source: Go time.Duration.String. */
export function parseGoDuration(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|[uµμ]s|ns))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|[uµμ]s|ns)/g)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  return seconds;
}
