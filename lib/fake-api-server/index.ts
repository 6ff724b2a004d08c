export { type Identity, type PermissionRule, READ_ALL_BUT_SECRETS } from "./authorization.ts";
export { type Collection, fixedCollection, type KubeObject } from "./collection.ts";
export {
  type FakeApiServer,
  type FakeApiServerOptions,
  type RunningServer,
  startFakeApiServer,
} from "./fake-api-server.ts";
export type { Fault, FaultRule } from "./faults.ts";
export { type LoggedRequest, RequestLog } from "./request-log.ts";
export type { ClusterScenario } from "./scenario.ts";
export { buildScenario, type ScenarioOptions } from "./scenarios.ts";
