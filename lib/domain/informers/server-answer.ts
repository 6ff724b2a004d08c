/** What an API server, or the way to it, does with one request of a reflector. */

/** A request that got no answer. `http2-lost`: the connection is gone under it. */
export type TransportFailure = "refused" | "eof" | "reset" | "timeout" | "http2-lost" | "dns";

/** An error as HTTP status, or as ERROR event inside a watch. */
export interface StatusError {
  /** 410, 429, 500, … */
  readonly code: number;
  /** `Expired`, `TooManyRequests`, … */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Cause in the details: `ResourceVersionTooLarge`. */
  readonly cause?: string | undefined;
}

/** `retryAfter`: seconds of the header, absent where there is none. */
export interface StatusAnswer extends StatusError {
  readonly kind: "status";
  readonly retryAfter?: number | undefined;
}

/** A LIST that worked. `continue`: there are more pages. */
export interface ListAnswer {
  readonly kind: "list";
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
}

export type RequestAnswer =
  | ListAnswer
  | StatusAnswer
  /** A watch was opened: its events follow. */
  | { readonly kind: "opened" }
  | { readonly kind: "failed"; readonly failure: TransportFailure };

/** What comes out of an open watch. */
export type StreamEvent =
  /** ADDED, MODIFIED, DELETED, or a BOOKMARK without annotation. */
  | { readonly kind: "event"; readonly resourceVersion: string }
  /** ADDED of the initial state: carries no version to go on from. */
  | { readonly kind: "initial-event" }
  /** The BOOKMARK that ends the initial state. */
  | { readonly kind: "initial-events-end"; readonly resourceVersion: string }
  | { readonly kind: "error"; readonly error: StatusError }
  | { readonly kind: "closed" };

/** The resource version asked for is gone. Source: client-go tools/cache/reflector.go, isExpiredError. */
export const isExpired = ({ code, reason }: StatusError) =>
  reason === "Expired" || reason === "Gone" || (reason === undefined && code === 410);

/** The pager takes only `Expired`, not `Gone`. Source: client-go tools/pager/pager.go. */
export const isResourceExpired = ({ code, reason }: StatusError) =>
  reason === "Expired" || (reason === undefined && code === 410);

export const isTooManyRequests = ({ code, reason }: StatusError) =>
  reason === "TooManyRequests" || code === 429;

/** The cache of the API server has not got to the version yet. Source: isTooLargeResourceVersionError. */
export const isTooLargeResourceVersion = ({ cause, reason, message }: StatusError) =>
  cause === "ResourceVersionTooLarge" ||
  (reason === "Timeout" && (message ?? "").includes("Too large resource version"));
