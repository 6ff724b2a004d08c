export { createApiServerClient } from "./api-server-client.ts";
export { ApiServerError, toReadFailure } from "./api-server-error.ts";
export { BodyError } from "./body-error.ts";
export { type BudgetLimits, ClusterBudget } from "./budget.ts";
export type {
  ApiServerClient,
  ClientScope,
  ConnectionId,
  ConnectionOptions,
  CostMeter,
  ListOptions,
  ReadOptions,
  RequestCost,
  RequestLimits,
  SentRequest,
} from "./client-types.ts";
export { type KubeClock, systemClock } from "./clock.ts";
export type { ClusterTarget } from "./cluster-target.ts";
export { FAIRNESS_DUMP_PATHS, parsePriorityLevelDump, parseRequestDump } from "./fairness-dumps.ts";
export { loadInCluster } from "./in-cluster.ts";
export { KubeconfigError } from "./kubeconfig-error.ts";
export type { KubeconfigSource } from "./kubeconfig-types.ts";
export { chooseListForm, type ListFormInput } from "./list-form.ts";
export { defaultKubeconfigPaths, loadKubeconfig } from "./load-kubeconfig.ts";
export { MetricNames } from "./metric-names.ts";
export { USER_AGENT } from "./user-agent.ts";
