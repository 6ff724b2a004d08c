import { undoAcknowledge } from "@/lib/services/fleet/undo-acknowledge";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const POST = handle(OPERATIONS.undoAcknowledge, (context, { body }) => undoAcknowledge(context, body));
