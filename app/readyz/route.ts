import { getServiceContext } from "@/lib/services/context";
import { getReadiness } from "@/lib/services/readiness/get-readiness";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

/** The store opens, is migrated and answers. */
export async function GET(): Promise<Response> {
  const readiness = await getReadiness(getServiceContext);
  return new Response(readiness.isReady ? "ok\n" : `${readiness.reason}\n`, {
    status: readiness.isReady ? 200 : 503,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}
