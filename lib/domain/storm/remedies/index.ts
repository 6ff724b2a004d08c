/** Changes that may help against a storm: each one a change of its input, simulated like it. */
export { applyRemedies, applyRemedy, describeRemedy } from "./apply-remedies.ts";
export {
  type CaughtTraffic,
  checkFlowSchema,
  type FlowSchemaCheck,
  type RecordedRequests,
} from "./check-flow-schema.ts";
export {
  compareRemedies,
  type RemedyComparison,
  type RemedyRow,
  type RemedySavings,
  type StartFigures,
  startFigures,
  worstVerdict,
} from "./compare-remedies.ts";
export { type OwnLevelObjects, ownLevelObjects } from "./own-level.ts";
export { formatRemedy, parseRemedy, REMEDY_FORMS, usualRemedies } from "./parse-remedy.ts";
export {
  REMEDY_EFFORTS,
  REMEDY_NAMES,
  type RemedyAnswer,
  type RemedyEffort,
  type RemedyName,
  type RemedySpec,
} from "./remedy.ts";
