export {
  estimateListSeats,
  estimateMutatingSeats,
  estimateParsed,
  estimateSeats,
  estimateWatchSeats,
  type ListSeatsInput,
  type MutatingSeatsInput,
  type PricingServer,
  type RequestLine,
  type SeatEstimate,
  type SeatsInput,
} from "./estimate-seats.ts";
export { explainSeats, type SeatExplanation } from "./explain-seats.ts";
export { hasLevelCap, levelMaxSeats, nextLevelMaxSeats } from "./level-cap.ts";
export type { CollectionStatistics, StatisticsState } from "./list-seats.ts";
export { type PricedRequest, type PriceInput, passesFairnessBy, priceRequest } from "./price-request.ts";
export { MUTATING_SEATS_LIMIT, type SeatRules, seatRules } from "./seat-rules.ts";
export { serveList } from "./serve-list.ts";
export { serveWatch } from "./serve-watch.ts";
export {
  type CacheState,
  type Freshness,
  isCachedByDefault,
  isNamespacedByDefault,
  type ObjectVolume,
  type Refusal,
  type RequestServing,
  type ServingInput,
  type ServingSource,
  type VersionState,
} from "./serving.ts";
export {
  countInterestedWatchers,
  createWatchTracker,
  type WatchCount,
  type WatchTracker,
} from "./watch-tracker.ts";
