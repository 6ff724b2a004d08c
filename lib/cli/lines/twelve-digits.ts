/** Significant digits at which the vector set `borrowing` states its floats. */
const DIGITS = 12;
/** Enough to tell whether a number lies just half way between two of that many digits. */
const EXACT_DIGITS = 100;

/** A number at 12 significant digits; just half way between two, the even one, as upstream's printing rounds. */
export function atTwelveDigits(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  const rounded = value.toExponential(DIGITS - 1);
  const exact = value.toExponential(EXACT_DIGITS - 1);
  const [digits = ""] = exact.replace(/^-/, "").replace(".", "").split("e");
  const isHalf = /^50*$/.test(digits.slice(DIGITS));
  const isEven = Number(digits[DIGITS - 1]) % 2 === 0;
  if (!isHalf || !isEven) return Number(rounded);
  const [mantissa = "", exponent = ""] = exact.split("e");
  const sign = mantissa.startsWith("-") ? 1 : 0;
  return Number(`${mantissa.slice(0, DIGITS + 1 + sign)}e${exponent}`);
}
