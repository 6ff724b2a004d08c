export { type DemoCluster, type DemoFleet, startDemoFleet } from "./demo-fleet.ts";
export { generateEvents, generateHistory } from "./history.ts";
export { valueAt } from "./value-at.ts";
