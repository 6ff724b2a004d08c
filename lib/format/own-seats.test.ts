import { expect, test } from "vitest";
import { formatOwnSeats } from "./own-seats.ts";

test("one sentence for what is known, what is not, and both", () => {
  const text = (widestSeats: number, notPriced: number) =>
    formatOwnSeats({ widestSeats, notPriced }).replace(/\u00a0/g, " ");
  expect(text(10, 0)).toBe("widest request ≈ 10 seats");
  expect(text(1, 0)).toBe("widest request ≈ 1 seat");
  expect(text(1, 3)).toBe("widest request ≈ 1 seat, 3 requests not priced");
  expect(text(0, 3)).toBe("seats not known");
  expect(formatOwnSeats(null)).toBe("seats not known");
});
