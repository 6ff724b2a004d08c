import { MetricNames } from "../../kube/index.ts";

/**
 * The samples of one `/metrics` page that a pass takes; everything else is skipped as bytes. A page is read once per
 * server and pass, and feeds the parts version, servers, sizes and fairness and the stored series.
 * Names and labels by version: apiserver pkg/util/flowcontrol/metrics, pkg/endpoints/metrics, component-base.
 */
export const WANTED_METRICS = new MetricNames([
  "process_start_time_seconds",
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  // The cores that it may use. Source: component-base metrics/legacyregistry, all metrics of Go's runtime.
  "go_sched_gomaxprocs_threads",
  "kubernetes_build_info",
  "kubernetes_feature_enabled",
  // Counts and sizes: 1.34 and later; the older count below stays published beside it.
  "apiserver_resource_objects",
  "apiserver_resource_size_estimate_bytes",
  "apiserver_storage_objects",
  // Size of the etcd database: 1.28 and later, then the names before it.
  "apiserver_storage_size_bytes",
  "apiserver_storage_db_total_size_in_bytes",
  "etcd_db_total_size_in_bytes",
  "apiserver_request_total",
  "apiserver_longrunning_requests",
  "apiserver_current_inflight_requests",
  "apiserver_flowcontrol_nominal_limit_seats",
  "apiserver_flowcontrol_request_concurrency_limit",
  "apiserver_flowcontrol_lower_limit_seats",
  "apiserver_flowcontrol_upper_limit_seats",
  "apiserver_flowcontrol_current_limit_seats",
  "apiserver_flowcontrol_current_executing_seats",
  "apiserver_flowcontrol_request_concurrency_in_use",
  "apiserver_flowcontrol_current_executing_requests",
  "apiserver_flowcontrol_current_inqueue_requests",
  "apiserver_flowcontrol_current_inqueue_seats",
  "apiserver_flowcontrol_demand_seats_smoothed",
  "apiserver_flowcontrol_rejected_requests_total",
  "apiserver_flowcontrol_dispatched_requests_total",
  "apiserver_flowcontrol_request_wait_duration_seconds_bucket",
]);
