import { createHash } from "node:crypto";

/**
 * The queues a flow may use, in the order they are dealt. Source: apiserver pkg/util/shufflesharding and the hash in
 * pkg/util/flowcontrol/apf_filter.go.
 */
export function handOf(
  flowSchemaName: string,
  flowDistinguisher: string,
  queues: number,
  handSize: number,
): number[] {
  if (queues <= 0) return [];
  let value =
    queues === 1
      ? 0n
      : createHash("sha256")
          .update(flowSchemaName)
          .update("\0")
          .update(flowDistinguisher)
          .digest()
          .readBigUInt64LE(0);
  const remainders: number[] = [];
  for (let i = 0; i < Math.min(handSize, queues); i++) {
    const left = BigInt(queues - i);
    remainders.push(Number(value % left));
    value /= left;
  }
  return remainders.map((remainder, i) => {
    let card = remainder;
    for (let j = i - 1; j >= 0; j--) if (card >= (remainders[j] ?? 0)) card += 1;
    return card;
  });
}
