export { type ApiServerClientOptions, createApiServerClient } from "./api-server-client.ts";
export {
  ApiServerError,
  type ApiServerErrorFields,
  type ApiServerErrorReason,
  type BudgetShortfall,
  type ReadVerb,
  toReadFailure,
} from "./api-server-error.ts";
export {
  type BudgetLimits,
  type BudgetState,
  ClusterBudget,
  DEFAULT_BUDGET,
  type ServerRate,
} from "./budget.ts";
export type {
  AddressOptions,
  ApiServerClient,
  BytesResult,
  ClientScope,
  CostMeter,
  CountResult,
  JsonOptions,
  JsonResult,
  ListEvent,
  ListOptions,
  ListPage,
  ListResult,
  ListSummary,
  MetricsOptions,
  MetricsResult,
  ReadOptions,
  ReadResult,
  RequestCost,
  RequestLimits,
  SamplePage,
  TextResult,
} from "./client-types.ts";
export { type KubeClock, systemClock } from "./clock.ts";
export { ClusterTarget } from "./cluster-target.ts";
export { createCostMeter } from "./cost.ts";
export {
  type IdentityLease,
  readClusterUid,
  readIdentityLeases,
  readServerEndpoints,
  readVersion,
  type ServerEndpoint,
  type VersionAnswer,
} from "./discovery.ts";
export {
  FAIRNESS_DUMP_PATHS,
  type FairnessDump,
  type PriorityLevelDumpRow,
  parsePriorityLevelDump,
  parseQueueDump,
  parseRequestDump,
  type QueueDumpRow,
  type RequestDumpRow,
} from "./fairness-dumps.ts";
export { findGuardViolation, POD_SAMPLE_LIMIT } from "./guard.ts";
export { loadInCluster, SERVICE_ACCOUNT_FOLDER } from "./in-cluster.ts";
export { KubeconfigError, type KubeconfigErrorFields } from "./kubeconfig-error.ts";
export type { CredentialKind, KubeconfigInput, KubeconfigSource } from "./kubeconfig-types.ts";
export { chooseListForm, type ListForm, type ListFormInput, PAGE_OBJECTS } from "./list-form.ts";
export { defaultKubeconfigPaths, type LoadedKubeconfig, loadKubeconfig } from "./load-kubeconfig.ts";
export {
  type MetricSample,
  MetricsScanner,
  type MetricsScannerOptions,
  type MetricsScanSummary,
} from "./metrics-scanner.ts";
export { excerpt, redact } from "./redact.ts";
export { USER_AGENT } from "./user-agent.ts";
