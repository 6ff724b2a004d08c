import { isAtLeast, type RuleVersion } from "../../kubernetes/version.ts";
import type { RequestOutcome } from "./replay.ts";

/** Label `reason` of `apiserver_flowcontrol_rejected_requests_total`. */
export type RejectionReason = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/**
 * The reason under which the API server counts an outcome; `null` for an executed request. A client that leaves the
 * queue was `cancelled` up to 1.28.4 and counts as `time-out` since.
 * Source: apiserver pkg/util/flowcontrol/fairqueuing/queueset/queueset.go, v1.26 to v1.37.
 */
export function rejectionReason(outcome: RequestOutcome, version: RuleVersion): RejectionReason | null {
  switch (outcome) {
    case "executed":
      return null;
    case "gave-up":
      return isAtLeast(version, 28, 5) ? "time-out" : "cancelled";
    default:
      return outcome;
  }
}
