import { getServiceContext } from "@/lib/services/context";
import { METRICS_CONTENT_TYPE, renderMetrics } from "@/lib/services/metrics/render-metrics";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

/** Headroom's own metrics, for Prometheus. */
export async function GET(): Promise<Response> {
  return new Response(await renderMetrics(getServiceContext), {
    headers: { "content-type": METRICS_CONTENT_TYPE, "cache-control": "no-store" },
  });
}
