import { expect, test } from "vitest";
import { joinOwnSeats } from "./own-seats.ts";

test("the widest counts, what is held adds up; an attempt without a price is no price of zero", () => {
  const wide = { widestSeats: 10, seatSeconds: 0.5, notPriced: 0 };
  const narrow = { widestSeats: 1, seatSeconds: 0.25, notPriced: 2 };
  expect(joinOwnSeats([wide, undefined, narrow, null])).toEqual({
    widestSeats: 10,
    seatSeconds: 0.75,
    notPriced: 2,
  });
  expect(joinOwnSeats([undefined, null])).toBeNull();
  expect(joinOwnSeats([])).toBeNull();
});
