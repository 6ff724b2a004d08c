/** Questions that are answered by simulating many storms: how much is still invisible, how fast, until when. */
export {
  crossingOf,
  FORECAST_HORIZON_DAYS,
  type ForecastCrossing,
  type NodeCount,
  type NodeGrowth,
  nodeGrowth,
} from "./forecast-nodes.ts";
export {
  guessCopies,
  type LargestInvisible,
  largestInvisible,
  largestWith,
  SOLVER_BUDGET,
  type SolverOptions,
} from "./largest-invisible.ts";
export { rollNormally } from "./roll-normally.ts";
export {
  type DetectionPath,
  firstHarmSeconds,
  type RolloutStage,
  type RolloutTimeline,
  rolloutTimeline,
} from "./rollout-timeline.ts";
export { type SafePace, safePace } from "./safe-pace.ts";
export { inputAtNodes, inputAtShare, type NodeElasticities } from "./scale-input.ts";
export { type BoundaryAnswer, type BoundaryQuestion, searchBoundary } from "./search-boundary.ts";
export {
  type VerdictChange,
  type VerdictForecast,
  verdictChanges,
  verdictForecast,
} from "./verdict-forecast.ts";
