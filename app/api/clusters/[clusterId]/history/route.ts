import { getHistory } from "@/lib/services/history/get-history";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getHistory, (context, { params, query }) =>
  getHistory(context, { ...params, query }),
);
