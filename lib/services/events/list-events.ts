import type { EventsQuery, EventsResponse } from "../../contracts/events.ts";
import { requireCluster } from "../clusters/require-cluster.ts";
import type { ServiceContext } from "../context.ts";
import { toEventItem } from "./event-item.ts";

/** Events of one cluster or of the fleet, newest first, a page at a time. */
export async function listEvents(
  context: ServiceContext,
  input: { readonly clusterId?: string; readonly query: EventsQuery },
): Promise<EventsResponse> {
  const { clusterId, query } = input;
  if (clusterId !== undefined) await requireCluster(context, clusterId);
  const page = await context.store.events.list({
    limit: query.limit,
    ...(clusterId === undefined ? {} : { clusterId }),
    ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
    ...(query.kind === undefined ? {} : { kinds: [query.kind] }),
    ...(query.from === undefined ? {} : { from: query.from }),
  });
  return { now: context.clock.now(), events: page.events.map(toEventItem), nextCursor: page.nextCursor };
}
