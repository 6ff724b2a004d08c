import type { AmountValue } from "@/lib/contracts/fan-out";
import { bytesQuantity } from "@/lib/format/bytes";
import { formatCount, joinQuantity, type Quantity, UNIT_SPACE } from "@/lib/format/number";

/** What stands before a figure: `≤` of a bound, `≥` where something of it is not known, `≈` of an estimate. */
function signOf({ isComplete, isUpperBound }: AmountValue, otherwise: "≈" | ""): string {
  if (!isComplete) return isUpperBound ? "≈" : "≥";
  return isUpperBound ? "≤" : otherwise;
}

/** Bytes of the cost model, its sign apart from the unit. */
export function bytesAmount(amount: AmountValue): Quantity {
  const { figure, unit } = bytesQuantity(amount.value);
  const sign = signOf(amount, "≈");
  return { figure: sign === "" ? figure : `${sign}${UNIT_SPACE}${figure}`, unit };
}

/** Seats follow from rules, so that they are exact unless something of them is not known. */
export function seatsAmount(amount: AmountValue): string {
  const sign = signOf(amount, "");
  return `${sign}${sign === "" ? "" : UNIT_SPACE}${formatCount(amount.value)}`;
}

export const bytesText = (amount: AmountValue): string => joinQuantity(bytesAmount(amount));
