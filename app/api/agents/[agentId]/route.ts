import { getAgent } from "@/lib/services/agents/get-agent";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getAgent, (context, { params, query }) =>
  getAgent(context, { agentId: params.agentId, query }),
);
