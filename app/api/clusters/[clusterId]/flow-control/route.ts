import { getFlowControl } from "@/lib/services/fairness/get-flow-control";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getFlowControl, (context, { params }) =>
  getFlowControl(context, params),
);
