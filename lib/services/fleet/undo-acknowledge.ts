import type { AcknowledgeResponse } from "../../contracts/fleet.ts";
import type { ServiceContext } from "../context.ts";

/** Takes acknowledgements of the reviewer back; events that were not acknowledged stay as they are. */
export async function undoAcknowledge(
  context: ServiceContext,
  request: { readonly eventIds: readonly string[] },
): Promise<AcknowledgeResponse> {
  const eventIds = [...new Set(request.eventIds)];
  await context.store.reviews.undo(context.reviewer, eventIds, context.clock.now());
  return { eventIds };
}
