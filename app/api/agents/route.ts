import { getAgents } from "@/lib/services/agents/get-agents";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getAgents, getAgents);
