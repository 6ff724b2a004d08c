import type { CostMeter, RequestCost } from "./client-types.ts";

/** Nothing. */
export const NO_COST: RequestCost = { requests: 0, wireBytes: 0, decodedBytes: 0, requestSeconds: 0 };

/** The sum of two costs. */
export function addCosts(a: RequestCost, b: RequestCost): RequestCost {
  return {
    requests: a.requests + b.requests,
    wireBytes: a.wireBytes + b.wireBytes,
    decodedBytes: a.decodedBytes + b.decodedBytes,
    requestSeconds: a.requestSeconds + b.requestSeconds,
  };
}

/** A meter that stands at zero. */
export function createCostMeter(): CostMeter {
  let total = NO_COST;
  return {
    add: (cost) => {
      total = addCosts(total, cost);
    },
    read: () => total,
  };
}
