/**
 * A figure that may be known in part. Unknown is not zero: `isComplete` false means that something of it is not known,
 * so that it is this much or more. `isUpperBound`: what is known of it is this much or less.
 */
export interface Amount {
  readonly value: number;
  readonly isComplete: boolean;
  readonly isUpperBound: boolean;
}

export const NOTHING: Amount = { value: 0, isComplete: true, isUpperBound: false };

export const exactly = (value: number): Amount => ({ value, isComplete: true, isUpperBound: false });

/** `null`: not known. */
export const amountOf = (value: number | null, isUpperBound = false): Amount => ({
  value: value ?? 0,
  isComplete: value !== null,
  isUpperBound,
});

export function addAmounts(amounts: readonly Amount[]): Amount {
  let value = 0;
  let isComplete = true;
  let isUpperBound = false;
  for (const each of amounts) {
    value += each.value;
    isComplete &&= each.isComplete;
    isUpperBound ||= each.isUpperBound;
  }
  return { value, isComplete, isUpperBound };
}

export const timesAmount = (amount: Amount, factor: number): Amount => ({
  ...amount,
  value: amount.value * factor,
});
