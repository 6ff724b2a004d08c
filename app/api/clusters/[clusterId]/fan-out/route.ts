import { getFanOut } from "@/lib/services/fan-out/get-fan-out";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getFanOut, (context, { params }) => getFanOut(context, params));
