import type { ReadFailure, ReadFailureReason } from "../domain/clusters/part.ts";

/**
 * Why a read of an API server failed: the closed union that the store and the pages use. Here it means:
 *
 * - `unreachable`: no connection (name not found, refused, no route, nobody answered), or it was closed before an answer
 * - `tls`: the handshake or the check of the certificate failed, or the client certificate cannot be used
 * - `timeout`: a deadline of ours passed while waiting for headers or for the end of the body
 * - `credentials`: no credential could be obtained (exec plugin, token file, certificate file, identity provider)
 * - `unauthorized` 401, `forbidden` 403, `not-found` 404, `gone` 410, `throttled` 429, `server-error` 5xx
 * - `refused`: with a status, the API server refused the request by any other 4xx; without one, it breaks a guard rail
 *   of ours and was not sent
 * - `redirect`: 3xx; redirects are never followed
 * - `bad-body`: the body is not what was asked for (no JSON, not a list, a foreign encoding, empty)
 * - `truncated`: the body ended before its end
 * - `too-large`: the body exceeds a limit per request
 * - `budget`: the budget of the cluster does not admit the request, or was used up while it was read
 * - `aborted`: the caller gave up
 */
export type ApiServerErrorReason = ReadFailureReason;

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
  readonly retryAt?: number | null;
  readonly code?: string | null;
  readonly budget?: BudgetShortfall | null;
}

/**
 * A read of an API server that did not succeed. `message` is for people: what happened, and in brackets status, path
 * (query included, a continue token shortened) and server. Neither the message nor any field ever holds a
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
  /** Instant from which it may be tried again, in milliseconds since the epoch; null where none is known. */
  readonly retryAt: number | null;
  /** Error code of the network, TLS or decompression layer (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), or null. */
  readonly code: string | null;
  /** For reason `budget`: the figure to raise. */
  readonly budget: BudgetShortfall | null;

  constructor(fields: ApiServerErrorFields) {
    const status = fields.status === null ? "" : `HTTP ${fields.status}, `;
    super(`${fields.detail} (${status}GET ${fields.path} at ${fields.server})`);
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

/** The error as the store and the pages keep it. A request that was never sent has no verb and no path there. */
export function toReadFailure(error: ApiServerError): ReadFailure {
  const wasSent = error.reason !== "refused" || error.status !== null;
  return {
    reason: error.reason,
    verb: wasSent ? "GET" : null,
    path: wasSent ? error.path : null,
    status: error.status,
    message: error.message,
    retryAfterSeconds: error.retryAfterSeconds,
  };
}
