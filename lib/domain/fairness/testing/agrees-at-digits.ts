/**
 * True where `own` may be written as `expected` with so many significant digits: it differs by no more than half a
 * unit of the last one. A value that lies just between two such numbers may be written as either.
 */
export function agreesAtDigits(own: number | null, expected: number | null, digits: number): boolean {
  if (own === null || expected === null) return own === expected;
  if (own === expected) return true;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(expected))) - digits + 1);
  return Math.abs(own - expected) <= unit * 0.5001;
}
