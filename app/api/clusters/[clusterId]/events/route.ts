import { listEvents } from "@/lib/services/events/list-events";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.listClusterEvents, (context, { params, query }) =>
  listEvents(context, { ...params, query }),
);
