import { getFairness } from "@/lib/services/fairness/get-fairness";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getFairness, (context, { params }) => getFairness(context, params));
