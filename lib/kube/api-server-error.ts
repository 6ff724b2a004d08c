/**
 * Why a read of an API server failed; a closed union.
 *
 * - `unreachable`: no connection (name not found, refused, no route, nobody answered within the connect deadline)
 * - `reset`: the connection was there and was closed before an answer came
 * - `tls`: the handshake or the check of the certificate failed, or the client certificate cannot be used
 * - `timeout`: a deadline of ours passed while waiting for headers or for the end of the body
 * - `credentials`: no credential could be obtained (exec plugin, token file, certificate file, identity provider)
 * - `unauthorized` 401, `forbidden` 403, `not-found` 404, `gone` 410, `throttled` 429, `server-error` 5xx,
 *   `client-error` any other 4xx
 * - `redirect`: 3xx; redirects are never followed
 * - `bad-body`: the body is not what was asked for (no JSON, not a list, a foreign encoding, empty)
 * - `truncated`: the body ended before its end
 * - `too-large`: the body exceeds a limit per request
 * - `budget`: the budget of the cluster does not admit the request, or was used up while it was read
 * - `refused`: the request breaks a guard rail of ours and was not sent
 * - `aborted`: the caller gave up
 */
export const API_SERVER_ERROR_REASONS = [
  "unreachable",
  "reset",
  "tls",
  "timeout",
  "credentials",
  "unauthorized",
  "forbidden",
  "not-found",
  "gone",
  "throttled",
  "server-error",
  "client-error",
  "redirect",
  "bad-body",
  "truncated",
  "too-large",
  "budget",
  "refused",
  "aborted",
] as const;

/** One of {@link API_SERVER_ERROR_REASONS}. */
export type ApiServerErrorReason = (typeof API_SERVER_ERROR_REASONS)[number];

/** The verbs we ever send, as Kubernetes names them. Both are an HTTP GET. */
export type ReadVerb = "get" | "list";

/** Which setting of the budget is too small, and from which value on the request would fit. */
export interface BudgetShortfall {
  readonly setting: "requestsPerMinute" | "bytesPerMinute" | "requestsPerServer";
  readonly current: number;
  /** Smallest value known to be enough, or null when waiting is enough and the setting may stay. */
  readonly neededAtLeast: number | null;
}

/** What an {@link ApiServerError} is made of. */
export interface ApiServerErrorFields {
  readonly cluster: string;
  readonly server: string;
  readonly verb: ReadVerb;
  readonly path: string;
  readonly status: number | null;
  readonly reason: ApiServerErrorReason;
  readonly detail: string;
  readonly retryAfterSeconds?: number | null;
  readonly retryAt?: Date | null;
  readonly code?: string | null;
  readonly budget?: BudgetShortfall | null;
}

/**
 * A read of an API server that did not succeed. `message` is one sentence for people: verb, path (query included, a
 * continue token shortened), server, status, and what happened. Neither the message nor any field ever holds a
 * credential: whoever creates one passes text through the redactor first.
 */
export class ApiServerError extends Error {
  override readonly name = "ApiServerError";
  /** Name of the cluster as the caller calls it. */
  readonly cluster: string;
  /** `host:port` that was asked. */
  readonly server: string;
  readonly verb: ReadVerb;
  /** Path and query as sent, with the continue token shortened. */
  readonly path: string;
  /** HTTP status, or null when no answer came. */
  readonly status: number | null;
  readonly reason: ApiServerErrorReason;
  /** What happened, without verb, path and server. */
  readonly detail: string;
  /** Seconds the server asked us to wait, or null. */
  readonly retryAfterSeconds: number | null;
  /** Instant from which it may be tried again, where one is known. */
  readonly retryAt: Date | null;
  /** Error code of the network, TLS or decompression layer (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), or null. */
  readonly code: string | null;
  /** For reason `budget`: the figure to raise. */
  readonly budget: BudgetShortfall | null;

  constructor(fields: ApiServerErrorFields) {
    const status = fields.status === null ? "" : ` (HTTP ${fields.status})`;
    super(`${fields.verb} ${fields.path} at ${fields.server}: ${fields.detail}${status}`);
    this.cluster = fields.cluster;
    this.server = fields.server;
    this.verb = fields.verb;
    this.path = fields.path;
    this.status = fields.status;
    this.reason = fields.reason;
    this.detail = fields.detail;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
    this.retryAt = fields.retryAt ?? null;
    this.code = fields.code ?? null;
    this.budget = fields.budget ?? null;
  }

  /** The fields as plain data, for logs and the store. */
  toJSON(): Omit<ApiServerErrorFields, "detail"> & { readonly message: string } {
    return {
      cluster: this.cluster,
      server: this.server,
      verb: this.verb,
      path: this.path,
      status: this.status,
      reason: this.reason,
      retryAfterSeconds: this.retryAfterSeconds,
      retryAt: this.retryAt,
      code: this.code,
      budget: this.budget,
      message: this.message,
    };
  }
}
