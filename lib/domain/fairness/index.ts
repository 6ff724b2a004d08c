/** The fairness area: where a request goes, what limits it meets, how it is queued, and what it is told when rejected. */

export * from "./configuration/api-objects.ts";
export {
  DEFAULTS,
  defaultFlowSchemas,
  defaultPriorityLevels,
  expandFlowSchemas,
  expandPriorityLevels,
  type FlowSchemaList,
  type PriorityLevelList,
} from "./configuration/expand-objects.ts";
export { findBrokenLevels, findLevelFault } from "./configuration/level-fault.ts";
export { readFlowSchema, readPriorityLevel } from "./configuration/read-objects.ts";
export {
  compareObjectsWithDefaults,
  compareWithDefaults,
  type DefaultsComparison,
  type FlowControlKind,
  type ObjectsToCompare,
} from "./defaults/compare-with-defaults.ts";
export type { FieldChange } from "./defaults/diff-spec.ts";
export type { Provider } from "./defaults/find-provider.ts";
export { DemandIntegrator, type IntegratorResults } from "./demand/demand-integrator.ts";
export { type DemandStatistics, NO_DEMAND, updateDemandStatistics } from "./demand/demand-statistics.ts";
export { type DemandSeriesAnswer, type DemandSeriesInput, replayDemand } from "./demand/replay-demand.ts";
export {
  type Adjustment,
  type AdjustmentCase,
  adjustLimits,
  type ExemptRule,
  exemptRuleOf,
  type LevelToAdjust,
} from "./limits/adjust-limits.ts";
export type { LevelLimits, LevelState } from "./limits/level-limits.ts";
export { ADJUSTMENT_PERIOD_NS, type AssumedDemand, LimitsController } from "./limits/limits-controller.ts";
export {
  type AdjustmentAnswer,
  type BorrowingAnswer,
  type BorrowingInput,
  type BorrowingPeriod,
  computeLimits,
  type LevelRow,
  type LimitsAnswer,
  type LimitsInput,
  replayBorrowing,
} from "./limits/replay-limits.ts";
export { type StaticLimits, staticLimits } from "./limits/static-limits.ts";
export {
  type CollapsedFlow,
  collapseFlows,
  type FlowAccount,
  type RequestShape,
} from "./matching/collapse-flows.ts";
export type { Mismatch, RuleMatch } from "./matching/explain-mismatch.ts";
export {
  type Classification,
  compareFlowSchemas,
  FlowClassifier,
  type FlowConfiguration,
  type FlowSchemaTrace,
  flowDistinguisherOf,
  type TracedClassification,
} from "./matching/flow-classifier.ts";
export { type FlowMatchAnswer, type FlowMatchInput, matchFlow } from "./matching/match-line.ts";
export type { MatchedInfo, RequestToMatch } from "./matching/match-rule.ts";
export { type RequestUser, serviceAccountUser, userOf } from "./matching/request-user.ts";
export {
  dumpQueueSet,
  type QueueDump,
  type QueueSetDump,
  type RequestDump,
} from "./queueset/dump-queue-set.ts";
export { QueueSet } from "./queueset/queue-set.ts";
export { findConfigFault, type QueueSetConfig } from "./queueset/queue-set-config.ts";
export type { ArrivalResult, QueueSetCrash, QueueSetOptions } from "./queueset/queue-set-types.ts";
export { type QueueWait, queueWaitLimitSeconds } from "./queueset/queue-wait-limit.ts";
export { type RejectionReason, rejectionReason } from "./queueset/rejection-reason.ts";
export {
  type ConfigChange,
  type QueueSetObserver,
  QueueSetReplay,
  type QueueSetScenario,
  type RequestOutcome,
  type RequestScript,
} from "./queueset/replay.ts";
export {
  type OutcomeLetter,
  type OutcomeRow,
  openReplay,
  type QueueSetAnswer,
  type QueueSetInput,
  type RequestRow,
  replayQueueSet,
} from "./queueset/replay-line.ts";
export { Flow, QueuedRequest, type RequestState, type WorkEstimate } from "./queueset/request.ts";
export { formatSeatSeconds } from "./queueset/seat-seconds.ts";
export { DroppedRequests } from "./retry-after/dropped-requests.ts";
export {
  type RetryAfterAnswer,
  type RetryAfterInput,
  replayRetryAfter,
} from "./retry-after/retry-after-line.ts";
export { RetryAfterTracker } from "./retry-after/retry-after-tracker.ts";
export { dealHand, findHandFault } from "./shuffle-sharding/deal-hand.ts";
export { type FlowHash, formatFlowHash, hashFlow, parseFlowHash } from "./shuffle-sharding/flow-hash.ts";
