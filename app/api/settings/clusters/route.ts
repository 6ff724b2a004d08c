import { handle } from "@/lib/services/http/handle";
import { OPERATIONS } from "@/lib/services/http/operations";
import { addTarget } from "@/lib/services/settings/add-target";
import { getSettingsClusters } from "@/lib/services/settings/get-settings-clusters";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export const GET = handle(OPERATIONS.getSettingsClusters, getSettingsClusters);
export const POST = handle(OPERATIONS.addTarget, (context, { body }) => addTarget(context, body));
