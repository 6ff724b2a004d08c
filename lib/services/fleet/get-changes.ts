import type { ChangesResponse } from "../../contracts/fleet.ts";
import type { ServiceContext } from "../context.ts";
import { eventLink, toEventItem } from "../events/event-item.ts";

/** Most changes on one page; the total counts all. */
const MAX_CHANGES = 200;

/** What changed since the reviewer last acknowledged: by day, newest first, then severity. */
export async function getChanges(context: ServiceContext): Promise<ChangesResponse> {
  const { store, clock, reviewer } = context;
  const [{ events, total, acknowledgedTotal }, lastReviewAt] = await Promise.all([
    store.reviews.listUnacknowledged(reviewer, MAX_CHANGES),
    store.reviews.lastReviewAt(reviewer),
  ]);
  return {
    now: clock.now(),
    lastReviewAt,
    changes: events.map((event) => ({ ...toEventItem(event), ...eventLink(event) })),
    total,
    acknowledgedTotal,
  };
}
