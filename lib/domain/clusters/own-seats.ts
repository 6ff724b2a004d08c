import type { OwnSeats } from "./part.ts";

/** The widest of several, what they hold together, and what could not be priced; `null` where none was priced at all. */
export function joinOwnSeats(several: readonly (OwnSeats | null | undefined)[]): OwnSeats | null {
  const known = several.filter((each) => each !== null && each !== undefined);
  if (known.length === 0) return null;
  return {
    widestSeats: Math.max(...known.map((each) => each.widestSeats)),
    seatSeconds: known.reduce((sum, each) => sum + each.seatSeconds, 0),
    notPriced: known.reduce((sum, each) => sum + each.notPriced, 0),
  };
}
