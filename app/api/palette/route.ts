import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { getPalette } from "@/lib/services/palette/get-palette";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getPalette, getPalette);
