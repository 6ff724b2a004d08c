export {
  type FakeApiServer,
  type FakeApiServerOptions,
  startFakeApiServer,
} from "./fake-api-server.ts";
export type { Fault, FaultRule } from "./faults.ts";
export type { LoggedRequest } from "./request-log.ts";
export type { ClusterScenario } from "./scenario.ts";
export { buildScenario, type ScenarioOptions } from "./scenarios.ts";
