import type { AcknowledgeRequest, AcknowledgeResponse } from "../../contracts/fleet.ts";
import type { ServiceContext } from "../context.ts";

/**
 * Acknowledges the events named, or everything up to an instant, for the reviewer alone. The answer names the events,
 * so that it can be taken back.
 */
export async function acknowledge(
  context: ServiceContext,
  request: AcknowledgeRequest,
): Promise<AcknowledgeResponse> {
  const { store, clock, reviewer } = context;
  if ("allUpTo" in request) {
    return { eventIds: [...(await store.reviews.acknowledgeAll(reviewer, request.allUpTo, clock.now()))] };
  }
  const eventIds = [...new Set(request.eventIds)];
  await store.reviews.acknowledge(reviewer, eventIds, clock.now());
  return { eventIds };
}
