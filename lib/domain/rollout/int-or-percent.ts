/** `maxUnavailable` and `maxSurge` as the API takes them: a whole number of pods, or a percentage such as `"25%"`. */
export type IntOrPercent = number | string;

const PERCENT = /^(\d{1,9})%$/;

/**
 * Reads what a person or an object wrote: a whole number of at least 0 (also as text), or a percentage from `0%` to
 * `100%` without decimals. `null` for anything else.
 * Source: kubernetes pkg/apis/apps/validation (v1.36), apimachinery pkg/util/intstr.
 */
export function parseIntOrPercent(value: unknown): IntOrPercent | null {
  if (typeof value === "number") return isCount(value) ? value : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  const percent = PERCENT.exec(text);
  if (percent !== null) return Number(percent[1]) <= 100 ? `${Number(percent[1])}%` : null;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * The number of pods that a value stands for, of `total`. A percentage is rounded up, or down where `rounding` says so
 * (only `maxUnavailable` of a Deployment is rounded down).
 *
 * @throws {RangeError} where the value is none that `parseIntOrPercent` returns.
 */
export function resolveIntOrPercent(
  value: IntOrPercent,
  total: number,
  rounding: "up" | "down" = "up",
): number {
  if (typeof value === "number") return value;
  const percent = PERCENT.exec(value);
  if (percent === null) throw new RangeError(`"${value}" is neither a number nor a percentage.`);
  const exact = (Number(percent[1]) * total) / 100;
  return rounding === "up" ? Math.ceil(exact) : Math.floor(exact);
}

/** True for `0`, `"0%"`. */
export const isZero = (value: IntOrPercent): boolean => value === 0 || value === "0%";

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
