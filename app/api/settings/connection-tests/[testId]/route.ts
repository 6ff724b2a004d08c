import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { getConnectionTest } from "@/lib/services/settings/connection-tests";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getConnectionTest, (context, { params }) =>
  getConnectionTest(context, params),
);
