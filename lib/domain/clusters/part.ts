/**
 * The parts of one pass over a cluster. Each has its own period, deadline, outcome and last known good value;
 * one that fails costs only itself.
 */
export const PART_NAMES = ["version", "servers", "sizes", "fairness", "inventory"] as const;
export type PartName = (typeof PART_NAMES)[number];

/** Seconds between two attempts at a part when nothing is wrong. */
export const PART_PERIOD_SECONDS: Readonly<Record<PartName, number>> = {
  version: 300,
  servers: 60,
  sizes: 3600,
  fairness: 30,
  inventory: 300,
};

/** Seconds between two attempts at the fairness part while an incident page is open on the cluster. */
export const INCIDENT_FAIRNESS_PERIOD_SECONDS = 5;

/**
 * `ok`: all of it was read. `partial`: something is missing and named in `notRead`. `failed`: nothing usable.
 * `skipped`: not attempted (budget, or a part it rests on failed).
 */
export type PartStatus = "ok" | "partial" | "failed" | "skipped";

/** Why a read did not give what was asked for; the union that pages, the command line and the store share. */
export const READ_FAILURE_REASONS = [
  "unreachable",
  "tls",
  "timeout",
  "unauthorized",
  "forbidden",
  "not-found",
  "gone",
  "throttled",
  "server-error",
  "redirect",
  "bad-body",
  "truncated",
  "too-large",
  "budget",
  "aborted",
  "credentials",
  "refused",
] as const;
export type ReadFailureReason = (typeof READ_FAILURE_REASONS)[number];

/** A read that failed, as stored and shown: never with a credential in it. */
export interface ReadFailure {
  readonly reason: ReadFailureReason;
  /** Upper-case HTTP method; `null` where no request was sent. */
  readonly verb: string | null;
  /** Path and query; `null` where no request was sent. */
  readonly path: string | null;
  /** HTTP status; `null` where there was no answer. */
  readonly status: number | null;
  readonly message: string;
  /** Seconds the server asked to wait, from Retry-After. */
  readonly retryAfterSeconds: number | null;
}

/** One thing that a part should hold and does not. */
export interface NotRead {
  /** What is missing: `dump_requests of api-2`, `validatingwebhookconfigurations`. */
  readonly what: string;
  /** The API server it concerns; `null` where it concerns the cluster. */
  readonly serverId: string | null;
  readonly failure: ReadFailure;
}

/**
 * What requests of Headroom's own cost by the rules of the API server's version. The cap of the priority level that
 * they fall to is not known, and may make them cheaper, never dearer.
 */
export interface OwnSeats {
  /** Seats of the widest request that could be priced; 0: none could. */
  readonly widestSeats: number;
  /** Seats × seconds held, summed over the requests that could be priced. */
  readonly seatSeconds: number;
  /** Requests whose price hangs on a count or size that is not known. */
  readonly notPriced: number;
}

/** What one attempt at a part came to. Instants are milliseconds since the epoch. */
export interface PartOutcome {
  readonly part: PartName;
  readonly status: PartStatus;
  readonly startedAt: number;
  readonly durationSeconds: number;
  /** Requests sent for this part, retries and pages included. A shared read counts for the part that caused it. */
  readonly requests: number;
  /** Bytes received on the wire, after gzip, response bodies and heads. */
  readonly wireBytes: number;
  /** What was read, in a few words with figures: `3 of 3 servers`, `412 workloads`. */
  readonly answer: string;
  /** The failure that decided the status; `null` when the status is `ok`. */
  readonly failure: ReadFailure | null;
  readonly notRead: readonly NotRead[];
  /** What its requests cost in seats; absent where the version of the API server is not known. */
  readonly seats?: OwnSeats | undefined;
}

/** A part as it stands in the store: the latest attempt, and the latest value that was usable. */
export interface PartState<Value> {
  readonly part: PartName;
  readonly latest: PartOutcome;
  readonly value: Value | null;
  /** When `value` was read; `null` exactly when `value` is `null`. Older than `latest.startedAt` when that attempt failed. */
  readonly valueAt: number | null;
  readonly nextAttemptAt: number | null;
  readonly periodSeconds: number;
  /** Set where a value is stored that does not parse: which one, for people. `value` is `null` then. */
  readonly unreadable?: string;
}

/** Stale means older than two periods of the part (`design/ui.md`, states). */
export function isStale(
  state: { readonly valueAt: number | null; readonly periodSeconds: number },
  now: number,
): boolean {
  return state.valueAt !== null && now - state.valueAt > 2 * state.periodSeconds * 1000;
}
