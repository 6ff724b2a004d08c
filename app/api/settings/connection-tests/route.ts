import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { requestConnectionTest } from "@/lib/services/settings/connection-tests";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const POST = handle(OPERATIONS.requestConnectionTest, (context, { body }) =>
  requestConnectionTest(context, body),
);
