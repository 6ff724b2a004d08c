import { describeApi } from "@/lib/services/http/describe-api";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export function GET(): Response {
  return Response.json(describeApi(), { headers: { "cache-control": "private, max-age=300" } });
}
