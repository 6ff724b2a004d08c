/**
 * What a LIST storm does to the API servers of a cluster: who starts when, what waits, who is rejected, whether it
 * drains at all, and the verdict. Pure, deterministic, seeded, on a clock of whole microseconds.
 */
export {
  BAND_FIGURES,
  type Band,
  type BandFigure,
  bandOf,
  bandsOf,
  type StormBandSeries,
  type StormBands,
  type StormSummary,
  type StormSummarySeries,
  simulateSeed,
  stormBands,
  summariseStorm,
} from "./bands.ts";
export {
  CALIBRATION_REQUESTS,
  CALIBRATION_SECONDS,
  type CalibratedCase,
  type Calibration,
  calibrateServiceTime,
  type ServiceSample,
} from "./calibrate.ts";
export { applyCollapseRule, type CollapseRuleAnswer, type CollapseRuleInput } from "./collapse-rule.ts";
export { DEFAULT_STORM_MODEL } from "./default-model.ts";
export type { StormDump } from "./engine/storm-dump.ts";
export { findInputFault } from "./input-fault.ts";
export { type JudgedFigures, judgeStorm } from "./judge-storm.ts";
export { priceFirstRequests, type StormRequestPrice } from "./price-first-requests.ts";
export * from "./remedies/index.ts";
export {
  type AgentQuestion,
  CLIENT_GO_BACK_OFF,
  type ResolvedAgent,
  resolveStormAgent,
} from "./resolve-agent.ts";
export { ASSUMED_CLUSTER, type ResolvedCluster, resolveStormCluster } from "./resolve-cluster.ts";
export { StormSimulation, simulateStorm } from "./simulate-storm.ts";
export * from "./solvers/index.ts";
export {
  DEFAULT_PATIENCE_SECONDS,
  type StormAgent,
  type StormBackground,
  type StormBackOff,
  type StormClient,
  type StormCluster,
  type StormCollection,
  type StormInformer,
  type StormInput,
  type StormLevelDemand,
  type StormServer,
} from "./storm-input.ts";
export {
  type MemoryFactor,
  SERVICE_SOURCES,
  type ServiceCoefficients,
  type ServiceSource,
  type StormMemoryModel,
  type StormModel,
} from "./storm-model.ts";
export type {
  CollapseEstimate,
  Rejections,
  StormAgentResult,
  StormDrain,
  StormLevelSeries,
  StormNeighbour,
  StormPeaks,
  StormResult,
  StormServerResult,
  StormSpread,
  StormTotals,
  UsedCoefficients,
} from "./storm-result.ts";
export {
  type BatchesScenario,
  type CrashRecoveryScenario,
  type FirstRolloutScenario,
  type NodeScaleOutScenario,
  type PodPace,
  type RollingUpdateScenario,
  type ServerLossScenario,
  type ServerRestartScenario,
  STORM_SCENARIO_KINDS,
  type StartAllScenario,
  type StormScenario,
} from "./storm-scenario.ts";
export {
  VERDICT_REASONS,
  VERDICT_THRESHOLDS,
  VERDICTS,
  type Verdict,
  type VerdictName,
  type VerdictReason,
  type VerdictReasonName,
} from "./verdict.ts";
