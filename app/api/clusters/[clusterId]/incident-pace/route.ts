import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { requestIncidentPace } from "@/lib/services/incidents/request-incident-pace";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const POST = handle(OPERATIONS.requestIncidentPace, (context, { params }) =>
  requestIncidentPace(context, params),
);
