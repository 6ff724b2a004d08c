import type { RequestInfo } from "../kubernetes/request.ts";
import { maximumSeats } from "./list-seats.ts";
import { MUTATING_SEATS_LIMIT, type SeatRules } from "./seat-rules.ts";

/** Seats and time that a request holds after its answer. */
export interface FinalSeats {
  /** 0: none. */
  readonly finalSeats: number;
  /** Milliseconds, whole nanoseconds. The client does not wait for them. */
  readonly additionalLatencyMs: number;
}

export const WATCHERS_PER_SEAT = 10;
/** The time that one seat is held for ten watchers. */
export const EVENT_MS = 5;

const NO_FINAL_SEATS: FinalSeats = { finalSeats: 0, additionalLatencyMs: 0 };

/**
 * What a create, update, patch or delete costs on top of its one initial seat. `watchers`: the watches interested in
 * the object, see `countInterestedWatchers`.
 * Source: apiserver pkg/util/flowcontrol/request/mutating_work_estimator.go and seat_seconds.go, v0.26 to v0.37.
 */
export function finalSeats(
  rules: SeatRules,
  request: RequestInfo,
  watchers: number,
  plMax: number | null | undefined,
): FinalSeats {
  if (watchers < WATCHERS_PER_SEAT || isTokenRequest(request)) return NO_FINAL_SEATS;
  const wanted = Math.ceil(watchers / WATCHERS_PER_SEAT);
  const seats = Math.min(wanted, maximumSeats(MUTATING_SEATS_LIMIT, rules, plMax));
  // Work is kept when the seats are capped: fewer seats for longer. Units of 10^-8 seat-seconds are 10 ns of a seat.
  const work = wanted * EVENT_MS * 100_000;
  return { finalSeats: seats, additionalLatencyMs: Math.trunc((work / seats) * 10) / 1e6 };
}

/** A token of a service account is no change that a watch would see. */
export const isTokenRequest = ({ resource, subresource }: RequestInfo) =>
  resource === "serviceaccounts" && subresource === "token";
