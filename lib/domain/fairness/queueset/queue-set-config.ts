import { findHandFault } from "../shuffle-sharding/deal-hand.ts";

export interface QueueSetConfig {
  /** 0: a Reject level; below 0: exempt, there is no limit. */
  readonly queues: number;
  /** Without meaning where there are no queues, as the length limit. */
  readonly handSize: number;
  readonly queueLengthLimit: number;
  /** Seats, the current limit; 0 or more. */
  readonly concurrencyLimit: number;
}

/** Why a queue set cannot be configured so, as a clause; `null` where it can. */
export function findConfigFault({
  queues,
  handSize,
  queueLengthLimit,
  concurrencyLimit,
}: QueueSetConfig): string | null {
  if (!Number.isInteger(queues)) return `queues (${queues}) must be an integer`;
  if (!isCount(concurrencyLimit))
    return `concurrencyLimit (${concurrencyLimit}) must be an integer of 0 or more`;
  if (queues < 1) return null;
  if (!isCount(queueLengthLimit))
    return `queueLengthLimit (${queueLengthLimit}) must be an integer of 0 or more`;
  return findHandFault(queues, handSize);
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
