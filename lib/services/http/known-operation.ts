import { OPERATIONS } from "./operations.ts";
import { RequestRefused } from "./request-refused.ts";

/** The document that describes the operations is none of them. */
const DESCRIPTION = { method: "GET", path: "/api/openapi.json" } as const;

const KNOWN = [...Object.values(OPERATIONS), DESCRIPTION].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/**
 * Under `/api` there is nothing but its operations. Without this, Next would answer an unknown path with the page for
 * people and another method with no body at all.
 * @throws RequestRefused 404, or 405 with the methods there are
 */
export function assertKnownOperation({
  method,
  pathname,
}: {
  readonly method: string;
  readonly pathname: string;
}): void {
  if (!/^\/api(?:\/|$)/.test(pathname)) return;
  const methods = KNOWN.filter(({ pattern }) => pattern.test(pathname)).map((each) => each.method);
  if (methods.length === 0) {
    throw new RequestRefused(
      404,
      "not-found",
      "The API has no such path; /api/openapi.json lists those it has.",
    );
  }
  // Next answers it with the methods there are.
  if (method === "OPTIONS") return;
  if (methods.some((each) => each === method || (each === "GET" && method === "HEAD"))) return;
  const allow = methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])).join(", ");
  throw new RequestRefused(405, "method-not-allowed", `This path takes ${allow} only.`, { allow });
}
