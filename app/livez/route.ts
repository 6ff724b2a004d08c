export const runtime = "nodejs";
export const dynamic = "force-dynamic";

/** This process serves. It asks no store, no collector and no cluster: a restart would mend none of them. */
export function GET(): Response {
  return new Response("ok\n", { headers: { "content-type": "text/plain", "cache-control": "no-store" } });
}
