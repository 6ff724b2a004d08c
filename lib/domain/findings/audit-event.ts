/**
 * One event of an audit log (`audit.k8s.io/v1`), with what rules and evidence of agents need. Texts that the event
 * leaves out are empty, objects and numbers `null`. Source: k8s.io/apiserver pkg/apis/audit/v1/types.go.
 */
export interface AuditEvent {
  readonly auditId: string;
  /** `RequestReceived`, `ResponseStarted`, `ResponseComplete`, `Panic`. */
  readonly stage: string;
  /** `get`, `list`, `watch`, `create`, …; of a request for no resource the HTTP method in lower case. */
  readonly verb: string;
  /** Path and query as sent: `/api/v1/pods?limit=500&resourceVersion=0`. */
  readonly requestUri: string;
  /** Who is authorised: the impersonated user where there is one. */
  readonly userName: string;
  readonly userGroups: readonly string[];
  readonly userAgent: string;
  readonly sourceIps: readonly string[];
  /** `null` for a request of no resource. */
  readonly objectRef: AuditObjectRef | null;
  /** HTTP status of the response; `null` where none was sent yet. */
  readonly responseCode: number | null;
  /** Milliseconds since the epoch, the microseconds of the log as a fraction; `NaN` where it cannot be read. */
  readonly receivedAt: number;
  /** Of this stage; as `receivedAt`. The difference is how long the request took so far. */
  readonly stageAt: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The object or collection that a request is about. */
export interface AuditObjectRef {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  /** Empty for what has none, and for a LIST over all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}
