/** What all agents of a cluster ask of it at once, and what a simulation says of each. */
export {
  type AgentProjection,
  type AgentToProject,
  joinSeeds,
  PROJECTION_MODEL,
  PROJECTION_SEEDS,
  type PreparedAgent,
  type ProjectedStorm,
  prepareAgent,
  projectSeed,
  START_ALL,
  unprojectable,
} from "./agent-projection.ts";
export { type AgentsInput, agentsOfParts, type ClusterAgents } from "./agents-of-parts.ts";
export { type CapacityRow, capacityRows } from "./capacity-rows.ts";
export { type CompletedFacts, completeCollections } from "./complete-collections.ts";
export {
  type Crossing,
  type CurvePoint,
  type CurveQuestion,
  type CurveStorm,
  curveNodes,
  findCrossing,
  joinCurve,
  simulateAtNodes,
} from "./drain-curve.ts";
export {
  type AgentSummary,
  assessFanOut,
  compareAgents,
  type FanOutRisk,
  type FanOutSummary,
  summariseFanOut,
  titleOfAgent,
  VERDICT_ORDER,
} from "./fan-out-summary.ts";
export { type ListPriceRow, listPriceRows } from "./list-price-rows.ts";
export { type FanOut, type FanOutInput, openFanOut, type StoredParts } from "./open-fan-out.ts";
export { type ProjectClusterOptions, projectAgents } from "./project-cluster.ts";
