export {
  DEFAULT_SEED,
  type DemoCluster,
  type DemoFleet,
  type DemoFleetOptions,
  startDemoFleet,
} from "./demo-fleet.ts";
export { type ClusterPlan, FLEET } from "./fleet-plan.ts";
export { generateEvents, generateHistory, type HistoryRequest, type HistoryTick } from "./history.ts";
export { valueAt } from "./value-at.ts";
