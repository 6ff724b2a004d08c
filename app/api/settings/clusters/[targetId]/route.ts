import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { removeTarget } from "@/lib/services/settings/remove-target";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const DELETE = handle(OPERATIONS.removeTarget, (context, { params }) => removeTarget(context, params));
