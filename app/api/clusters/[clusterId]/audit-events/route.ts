import { admitAuditEvents } from "@/lib/services/audit/admit-audit-events";
import { receiveAuditEvents } from "@/lib/services/audit/receive-audit-events";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const POST = handle(
  OPERATIONS.receiveAuditEvents,
  (context, { params, body }) => receiveAuditEvents(context, params, body),
  admitAuditEvents,
);
