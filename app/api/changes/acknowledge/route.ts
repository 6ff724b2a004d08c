import { acknowledge } from "@/lib/services/fleet/acknowledge";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const POST = handle(OPERATIONS.acknowledge, (context, { body }) => acknowledge(context, body));
