import type { ClientGoRules } from "./client-go.ts";
import type { RequestAnswer, TransportFailure } from "./server-answer.ts";

/** Retries of one call by the REST client, after its first attempt. Source: client-go rest/request.go. */
export const MAX_RETRIES = 10;

/**
 * Seconds until the REST client sends the same request again by itself, or `null`: it hands the answer on. A 429 or 5xx
 * with Retry-After is repeated after exactly so long; some failures of the connection after 1 s.
 * Source: client-go rest/with_retry.go and rest/request.go, v0.26 to v0.37.
 */
export function retrySeconds(
  rules: ClientGoRules,
  verb: "list" | "watch",
  answer: RequestAnswer,
  attempt: number,
): number | null {
  if (attempt > MAX_RETRIES) return null;
  if (answer.kind === "failed") return isRetriedFailure(rules, verb, answer.failure) ? 1 : null;
  if (answer.kind !== "status") return null;
  return answer.code === 429 || answer.code >= 500 ? (answer.retryAfter ?? null) : null;
}

/** Whether a failure of the connection is retried; a watch that runs out of retries counts as opened and closed. */
export function isRetriedFailure(
  rules: ClientGoRules,
  verb: "list" | "watch",
  failure: TransportFailure,
): boolean {
  switch (failure) {
    case "eof":
    case "reset":
      return true;
    case "timeout":
      return verb === "watch";
    case "http2-lost":
      return verb === "list" && rules.retriesLostHttp2;
    case "refused":
    case "dns":
      return false;
  }
}
