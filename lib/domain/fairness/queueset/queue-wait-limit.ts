import { isAtLeast, type RuleVersion } from "../../kubernetes/version.ts";

const MAX_WAIT_SECONDS = 60;
const DEFAULT_REQUEST_TIMEOUT_SECONDS = 60;

export interface QueueWait {
  readonly version: RuleVersion;
  /** `--request-timeout` of the API server. Absent: 60 s. */
  readonly requestTimeoutSeconds?: number | undefined;
  /** The request's `timeout` parameter; absent, 0 or less: none. */
  readonly timeoutSeconds?: number | undefined;
  /** Watches and other long-running requests have no deadline. */
  readonly hasDeadline?: boolean | undefined;
}

/**
 * How long a request may wait in its queue, in seconds from its reception: a quarter of its time, one minute at most.
 * Before 1.28.5 the same for all requests, and looked at only when another one comes to the same queue.
 * Source: apiserver pkg/server/filters/priority-and-fairness.go, v1.26 to v1.37.
 */
export function queueWaitLimitSeconds({
  version,
  requestTimeoutSeconds = DEFAULT_REQUEST_TIMEOUT_SECONDS,
  timeoutSeconds = 0,
  hasDeadline = true,
}: QueueWait): number {
  if (!isAtLeast(version, 28, 5)) return requestTimeoutSeconds / 4;
  const isShorter = hasDeadline && timeoutSeconds > 0 && timeoutSeconds < requestTimeoutSeconds;
  return Math.min((isShorter ? timeoutSeconds : requestTimeoutSeconds) / 4, MAX_WAIT_SECONDS);
}
