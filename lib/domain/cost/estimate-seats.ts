import type { GateSettings } from "../kubernetes/feature-gates.ts";
import { parseRequest, type RequestInfo } from "../kubernetes/request.ts";
import { type CollectionStatistics, listSeats } from "./list-seats.ts";
import { finalSeats } from "./mutating-seats.ts";
import { type SeatRules, seatRules } from "./seat-rules.ts";

/** A request as it arrives at an API server. */
export interface RequestLine {
  /** HTTP method in capitals. */
  readonly method: string;
  /** Raw path, escapes and all. */
  readonly path: string;
  /** Raw query without the question mark. */
  readonly query?: string | null | undefined;
}

/** The API server that prices it, and the priority level that it falls to. */
export interface PricingServer {
  /** Version: `1.34.13`, `v1.34.2-gke.100`, `1.36`. */
  readonly v: string;
  /** Feature gates that are set; absent ones have the version's default. */
  readonly gates?: GateSettings | null | undefined;
  /** Whether etcd can be asked for progress notifications; absent: it can. */
  readonly etcdProgress?: boolean | null | undefined;
  /** Cap of the priority level, see `levelMaxSeats`; 0 or absent: none. */
  readonly plMax?: number | null | undefined;
}

export interface ListSeatsInput extends RequestLine, PricingServer, CollectionStatistics {}

export interface MutatingSeatsInput extends RequestLine, PricingServer {
  /** Watches on this API server that are interested in the object; absent: none. */
  readonly watchers?: number | null | undefined;
}

/** Any request with all that any kind of request is priced by. */
export interface SeatsInput extends ListSeatsInput, MutatingSeatsInput {}

/** A work estimate. The request holds max(initialSeats, finalSeats) while it runs and for the additional latency. */
export interface SeatEstimate {
  readonly requestInfo: RequestInfo;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
}

/**
 * Seats of any request: a LIST by what is listed, a WATCH by its initial events, a create, update, patch or delete by
 * its watchers, everything else 1 seat.
 *
 * @throws {RangeError} where `v` is no version.
 * Source: apiserver pkg/util/flowcontrol/request/width.go, v0.26 to v0.37.
 */
export function estimateSeats(input: SeatsInput): SeatEstimate {
  const rules = seatRules(input.v, input.gates, input.etcdProgress);
  const requestInfo = parseRequest(input.method, input.path, input.query ?? "", rules.version.minor);
  return estimateParsed(rules, requestInfo, input);
}

/** The same for a request that is parsed already, under rules that are resolved already. */
export function estimateParsed(
  rules: SeatRules,
  requestInfo: RequestInfo,
  facts: CollectionStatistics & Pick<SeatsInput, "plMax" | "watchers">,
): SeatEstimate {
  switch (requestInfo.verb) {
    case "watch":
      if (!rules.pricesInitialEvents) break;
      return initialOnly(requestInfo, listSeats(rules, requestInfo, facts, facts.plMax));
    case "list":
      return initialOnly(requestInfo, listSeats(rules, requestInfo, facts, facts.plMax));
    case "create":
    case "update":
    case "patch":
    case "delete": {
      const { finalSeats: seats, additionalLatencyMs } = finalSeats(
        rules,
        requestInfo,
        facts.watchers ?? 0,
        facts.plMax,
      );
      return { requestInfo, initialSeats: 1, finalSeats: seats, additionalLatencyMs };
    }
  }
  return initialOnly(requestInfo, 1);
}

function initialOnly(requestInfo: RequestInfo, initialSeats: number): SeatEstimate {
  return { requestInfo, initialSeats, finalSeats: 0, additionalLatencyMs: 0 };
}

/** Seats of a LIST, from the fields of the vector set `seats-list`. Another verb is priced as what it is. */
export function estimateListSeats(input: ListSeatsInput): SeatEstimate {
  return estimateSeats(input);
}

/** Seats of a WATCH, from the fields of the vector set `seats-watch`. `watch=0` makes it a LIST. */
export function estimateWatchSeats(input: ListSeatsInput): SeatEstimate {
  return estimateSeats(input);
}

/** Seats of a mutating request, from the fields of the vector set `seats-mutating`. */
export function estimateMutatingSeats(input: MutatingSeatsInput): SeatEstimate {
  return estimateSeats(input);
}
