import { listClusters } from "@/lib/services/clusters/list-clusters";
import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.listClusters, (context, { query }) => listClusters(context, { query }));
