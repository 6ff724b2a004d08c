import type { AcknowledgeRequest, AcknowledgeResponse } from "../../contracts/fleet.ts";
import type { ServiceContext } from "../context.ts";

/**
 * Acknowledges the events named, or everything up to an instant, for the reviewer alone. The answer names the events
 * that this acknowledged, so that it can be taken back without what was acknowledged before, here or in another tab.
 */
export async function acknowledge(
  context: ServiceContext,
  request: AcknowledgeRequest,
): Promise<AcknowledgeResponse> {
  const { store, clock, reviewer } = context;
  if ("allUpTo" in request) {
    return { eventIds: [...(await store.reviews.acknowledgeAll(reviewer, request.allUpTo, clock.now()))] };
  }
  return { eventIds: [...(await store.reviews.acknowledge(reviewer, request.eventIds, clock.now()))] };
}
