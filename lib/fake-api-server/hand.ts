import { dealHand } from "../domain/fairness/shuffle-sharding/deal-hand.ts";
import { hashFlow } from "../domain/fairness/shuffle-sharding/flow-hash.ts";

/** The queues a flow may use, in the order they are dealt; `[]` for a level that does not queue. */
export function handOf(
  flowSchemaName: string,
  flowDistinguisher: string,
  queues: number,
  handSize: number,
): number[] {
  if (queues <= 0) return [];
  return dealHand(hashFlow(flowSchemaName, flowDistinguisher), queues, Math.min(handSize, queues));
}
