import type { z } from "zod";
import type { OwnCostSchema } from "../../contracts/common.ts";
import type { CollectorState } from "../../db/store.ts";
import type { ServiceContext } from "../context.ts";

export type OwnCost = z.infer<typeof OwnCostSchema>;

/** Longest window over which Headroom's own cost is measured, seconds. */
export const OWN_COST_WINDOW_SECONDS = 300;
/** Shortest: a few seconds after a start say nothing per minute. */
const MIN_WINDOW_SECONDS = 30;

/** Requests and bytes per minute, per cluster id; clusters that cost nothing in the window are absent. */
export interface OwnCosts {
  readonly windowSeconds: number;
  readonly byCluster: ReadonlyMap<string, OwnCost>;
}

/** Measured over the last five minutes, or since the collector started where that is less. */
export async function loadOwnCosts(context: ServiceContext): Promise<OwnCosts> {
  const now = context.clock.now();
  const collector = await context.store.collector.get();
  const windowSeconds = costWindowSeconds(collector, now);
  const costs = await context.store.scrapes.costSince(now - windowSeconds * 1000);
  return {
    windowSeconds,
    byCluster: new Map(
      [...costs].map(([clusterId, { requests, wireBytes }]) => [
        clusterId,
        perMinute(requests, wireBytes, windowSeconds),
      ]),
    ),
  };
}

export function perMinute(requests: number, wireBytes: number, windowSeconds: number): OwnCost {
  return {
    requestsPerMinute: (requests * 60) / windowSeconds,
    wireBytesPerMinute: (wireBytes * 60) / windowSeconds,
    windowSeconds,
  };
}

function costWindowSeconds(collector: CollectorState | null, now: number): number {
  if (collector === null || collector.stoppedAt !== null) return OWN_COST_WINDOW_SECONDS;
  // Rounded up: the first pass, which costs most, begins within the first second and belongs in the window.
  const runsSeconds = Math.ceil((now - collector.startedAt) / 1000);
  return Math.min(OWN_COST_WINDOW_SECONDS, Math.max(MIN_WINDOW_SECONDS, runsSeconds));
}
