import { type NextRequest, NextResponse } from "next/server";
import type { HeadroomConfig } from "@/lib/config/config-types";
import { loadConfig } from "@/lib/config/load-config";
import { assertKnownOperation } from "@/lib/services/http/known-operation";
import { makeRequestId, toProblem } from "@/lib/services/http/problem";
import { RequestRefused } from "@/lib/services/http/request-refused";
import { assertOwnHost, assertSameOrigin } from "@/lib/services/http/same-origin";
import { contentSecurityPolicy, SECURITY_HEADERS } from "@/lib/services/http/security-headers";

/** Built files have names that hold their content's hash and say nothing of a cluster. */
export const config = { matcher: ["/((?!_next/static/).*)"] };

let server: HeadroomConfig["server"] | null = null;

/** Before every request: is it asked under our own name, for something there is and, where it changes something, from our own pages? */
export function proxy(request: NextRequest): Response {
  const { pathname } = request.nextUrl;
  const kind = pathname.startsWith("/api/") || /^\/(?:livez|readyz|metrics)$/.test(pathname) ? "api" : "page";
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy({
    kind,
    nonce,
    isDevelopment: process.env.NODE_ENV === "development",
  });
  const response = refuse(request) ?? pass(request, nonce, policy);
  response.headers.set("content-security-policy", policy);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  return response;
}

function refuse(request: NextRequest): Response | null {
  try {
    server ??= loadConfig().server;
    assertOwnHost(request, server);
    assertSameOrigin(request, server);
    assertKnownOperation({ method: request.method, pathname: request.nextUrl.pathname });
    return null;
  } catch (error) {
    const problem = toProblem(error, makeRequestId());
    return Response.json(problem, {
      status: problem.status,
      headers: {
        "content-type": "application/problem+json",
        "cache-control": "no-store",
        "x-request-id": problem.requestId,
        ...(error instanceof RequestRefused ? error.headers : {}),
      },
    });
  }
}

/** Next reads the nonce out of the policy of the request; the layout takes it from `x-nonce`. */
function pass(request: NextRequest, nonce: string, policy: string): Response {
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  return NextResponse.next({ request: { headers } });
}
