export { type DemoCluster, type DemoFleet, startDemoFleet } from "./demo-fleet.ts";
export {
  type DemoFleetProcess,
  type DemoFleetProcessOptions,
  type ServedDemoCluster,
  startDemoFleetProcess,
} from "./demo-fleet-process.ts";
export { generateEvents, generateHistory } from "./history.ts";
export { valueAt } from "./value-at.ts";
