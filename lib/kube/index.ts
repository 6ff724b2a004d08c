export {
  ApiServerError,
  type ApiServerErrorFields,
  type ApiServerErrorReason,
  type BudgetShortfall,
  type ReadVerb,
  toReadFailure,
} from "./api-server-error.ts";
export type { BudgetLimits } from "./budget.ts";
export type {
  AddressOptions,
  ApiServerClient,
  BytesResult,
  ClientScope,
  CostMeter,
  CountResult,
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
export type { CredentialKind, KubeconfigInput, KubeconfigSource } from "./kubeconfig-types.ts";
export type { ListForm } from "./list-form.ts";
export type { MetricSample, MetricsScanSummary } from "./metrics-scanner.ts";
