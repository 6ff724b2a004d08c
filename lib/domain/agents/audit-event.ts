/**
 * One event of an API server's audit log, as far as Headroom looks at it. Bodies, headers and what an impersonation
 * carries beyond user and groups are never taken from the log. Source: apiserver pkg/apis/audit/v1/types.go, v1.37;
 * v1beta1 has the same fields.
 */

/** `ResponseStarted` comes only for what runs long, such as a WATCH; `Panic` stands in place of `ResponseComplete`. */
export const AUDIT_STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditStage = (typeof AUDIT_STAGES)[number];

/** What a request is about, from `objectRef`. Empty texts for what it does not have. */
export interface AuditObjectRef {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Also what `metadata.name` of the field selector of a LIST or WATCH requires. */
  readonly name: string;
}

/** Texts are as the log has them and may come from anyone: print them only cleaned. Empty where the log has none. */
export interface AuditEvent {
  /** One for all stages of a request. A client may have chosen it. */
  readonly auditId: string;
  readonly stage: AuditStage;
  /** Kubernetes' verb (`list`, `watch`); for what is no resource the method in lower case. */
  readonly verb: string;
  /** Path and query as sent, escapes and all: `splitRequestUri` and `parseRequest` read it. */
  readonly requestUri: string;
  /** As authorised and classified: whom the request impersonates where it does so. */
  readonly userName: string;
  readonly userGroups: readonly string[];
  /** Who authenticated, where that is somebody else than `userName`; `null`: nobody is impersonated. */
  readonly impersonatorName: string | null;
  /** Pod and node that the ServiceAccount token is bound to (1.22 and 1.30 on); `null`: not said. */
  readonly podName: string | null;
  readonly nodeName: string | null;
  /** In order of the log. All but the last, the address of the connection, may have been made up by the client. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  /** `null` for what is no resource. */
  readonly objectRef: AuditObjectRef | null;
  /** HTTP status; `null`: none yet. */
  readonly responseCode: number | null;
  /** Reason of a failure, such as `Expired` or `TooManyRequests`; `null`: none. */
  readonly responseReason: string | null;
  /** Milliseconds since the epoch with decimals to the microsecond; `null`: absent or no time. */
  readonly receivedAt: number | null;
  /** When the stage was reached. */
  readonly stageAt: number | null;
  /** From `apiserver.latency.k8s.io/…`, which only slow requests have (over 500 ms); `null`: not said. */
  readonly latency: AuditLatency | null;
}

/** Parts of a request's time as the API server annotated them, in seconds; `null`: not said. */
export interface AuditLatency {
  readonly totalSeconds: number | null;
  /** Waiting in a queue of API Priority and Fairness. */
  readonly queueWaitSeconds: number | null;
  readonly etcdSeconds: number | null;
  readonly responseWriteSeconds: number | null;
}

/** Seconds from arrival to the stage; `null` where a time is missing. */
export function elapsedSeconds({ receivedAt, stageAt }: AuditEvent): number | null {
  return receivedAt === null || stageAt === null ? null : (stageAt - receivedAt) / 1000;
}
