export {
  type DemoFleetProcess,
  type DemoFleetProcessOptions,
  type ServedDemoCluster,
  startDemoFleetProcess,
} from "./demo-fleet-process.ts";
export { generateEvents, generateHistory } from "./history.ts";
