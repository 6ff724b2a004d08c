import { getOverview } from "@/lib/services/clusters/get-overview";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getOverview, (context, { params }) => getOverview(context, params));
