import type { FlowHash } from "./flow-hash.ts";

/** Bits of the hash that a hand may use up, so that the last card stays nearly uniform. */
const MAX_HASH_BITS = 60;
/** The largest deck that upstream's dealer takes. The API itself allows 10⁷ queues. */
const MAX_QUEUES = 2 ** 26;

/**
 * Why no hand of `handSize` can be dealt from `queues`, as a sentence; `null` where it can. A priority level with such
 * a combination is ignored by the API server as if it did not exist.
 * Source: apiserver pkg/util/shufflesharding/shufflesharding.go, v1.26 to v1.37.
 */
export function findHandFault(queues: number, handSize: number): string | null {
  if (!Number.isInteger(queues) || !Number.isInteger(handSize) || queues <= 0 || handSize <= 0) {
    return `queues (${queues}) and handSize (${handSize}) must be positive integers`;
  }
  if (handSize > queues) return `handSize ${handSize} is greater than queues ${queues}`;
  if (queues > MAX_QUEUES) return `queues ${queues} is greater than ${MAX_QUEUES}`;
  const bits = Math.ceil(Math.log2(queues) * handSize);
  return bits > MAX_HASH_BITS
    ? `a hand of ${handSize} from ${queues} queues needs ${bits} bits of the hash, more than ${MAX_HASH_BITS}`
    : null;
}

/**
 * The queues of a flow in deal order, `handSize` distinct indexes below `queues`: shuffle sharding.
 * Property: equal hashes give equal hands; over all hashes each hand is about as frequent as any other.
 * Source: apiserver pkg/util/shufflesharding/shufflesharding.go, v1.26 to v1.37.
 *
 * @throws {RangeError} where `findHandFault` finds one.
 */
export function dealHand(hash: FlowHash, queues: number, handSize: number): number[] {
  const fault = findHandFault(queues, handSize);
  if (fault !== null) throw new RangeError(`No hand can be dealt: ${fault}.`);
  const hand: number[] = [];
  // Picks among the cards that are left: each card names its place among those not dealt before it.
  const picks: number[] = [];
  let { high, low } = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = queues - dealt;
    // Long division of the hash by `left` < 2²⁷, in digits of 32, 16 and 16 bits: every dividend stays below 2⁴³.
    const highQuotient = Math.floor(high / left);
    const middle = (high - highQuotient * left) * 0x10000 + (low >>> 16);
    const middleQuotient = Math.floor(middle / left);
    const lowest = (middle - middleQuotient * left) * 0x10000 + (low & 0xffff);
    const lowestQuotient = Math.floor(lowest / left);
    picks.push(lowest - lowestQuotient * left);
    high = highQuotient;
    low = middleQuotient * 0x10000 + lowestQuotient;
    hand.push(cardOf(picks));
  }
  return hand;
}

/** The card that the last pick means: earlier picks, latest first, each push it one further where it is not below. */
function cardOf(picks: readonly number[]): number {
  let card = picks.at(-1) ?? 0;
  for (let earlier = picks.length - 2; earlier >= 0; earlier--) {
    if (card >= (picks[earlier] ?? 0)) card++;
  }
  return card;
}
