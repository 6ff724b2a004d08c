import { formatPlural, UNIT_SPACE } from "./number.ts";

/**
 * What the widest of our own requests costs: `widest request ≈ 10 seats`, with how many could not be priced; `seats
 * not known` where none could. The figure is the cost model's, hence the sign.
 */
export function formatOwnSeats(
  seats: { readonly widestSeats: number; readonly notPriced: number } | null,
): string {
  if (seats === null || seats.widestSeats === 0) return "seats not known";
  const widest = `widest request ≈${UNIT_SPACE}${formatPlural(seats.widestSeats, "seat")}`;
  return seats.notPriced === 0 ? widest : `${widest}, ${formatPlural(seats.notPriced, "request")} not priced`;
}
