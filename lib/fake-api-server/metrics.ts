import type { RequestShape, ServerFigures } from "./figures.ts";
import { buildInfo, gatesOf, type KubernetesVersion } from "./kubernetes-version.ts";
import { FILLER_FAMILY, metricsFiller } from "./metrics-filler.ts";
import { addFlowControl } from "./metrics-flow-control.ts";
import { MetricsPage } from "./metrics-page.ts";
import type { PrecompressedPart } from "./reply.ts";
import { spread } from "./spread.ts";

/** One resource's count and size, as this server knows them. */
export interface ResourceFigures {
  readonly group: string;
  readonly resource: string;
  /** `null`: not known yet, published as -1. */
  readonly objects: number | null;
  readonly storedBytes: number | null;
}

export interface MetricsInput {
  readonly version: KubernetesVersion;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly figures: ServerFigures;
  readonly resources: readonly ResourceFigures[];
  readonly unavailableApiServices: readonly string[];
  readonly fillerBytes: number;
}

/**
 * The /metrics page of this version, in the names and labels that it publishes.
 * Source: apiserver pkg/util/flowcontrol/metrics, pkg/endpoints/metrics, pkg/storage/etcd3/metrics, component-base.
 */
export function metricsBody(input: MetricsInput): (string | PrecompressedPart)[] {
  const page = new MetricsPage();
  const { minor } = input.version;
  addProcess(page, input.figures);
  addBuild(page, input);
  addRequests(page, input.figures);
  addSizes(page, input);
  addFlowControl(page, input.figures.levels, minor);
  page
    .family(
      "apiserver_flowcontrol_seat_fair_frac",
      "gauge",
      "ALPHA",
      "Fair fraction of server's concurrency to allocate to each priority level that can use it",
    )
    .add({}, input.figures.seatFairFrac);
  if (input.fillerBytes <= 0) return [page.text()];
  const [before, after] = page.splitAt(FILLER_FAMILY);
  return [before, metricsFiller(input.fillerBytes), after];
}

function addProcess(page: MetricsPage, figures: ServerFigures): void {
  const gauge = (name: string, help: string, value: number) =>
    page.family(name, "gauge", "ALPHA", help).add({}, value);
  page
    .family(
      "process_cpu_seconds_total",
      "counter",
      "ALPHA",
      "Total user and system CPU time spent in seconds.",
    )
    .add({}, Math.round(figures.cpuSecondsTotal * 100) / 100);
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", figures.residentMemoryBytes);
  gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", figures.residentMemoryBytes * 1.4);
  gauge(
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    Math.round(figures.startedAt / 10) / 100,
  );
  gauge("process_open_fds", "Number of open file descriptors.", figures.openFds);
  gauge("process_max_fds", "Maximum number of open file descriptors.", 1048576);
  if (figures.cores !== null) {
    gauge(
      "go_sched_gomaxprocs_threads",
      "The current runtime.GOMAXPROCS setting, or the number of operating system threads that can execute user-level Go code simultaneously. Sourced from /sched/gomaxprocs:threads.",
      figures.cores,
    );
  }
  gauge("go_goroutines", "Number of goroutines that currently exist.", figures.goroutines);
  gauge(
    "go_memstats_heap_inuse_bytes",
    "Number of heap bytes that are in use.",
    Math.round(figures.residentMemoryBytes * 0.8),
  );
}

function addBuild(page: MetricsPage, { version, featureGates }: MetricsInput): void {
  const build = buildInfo(version);
  page
    .family(
      "kubernetes_build_info",
      "gauge",
      version.minor >= 36 ? "BETA" : "ALPHA",
      "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    )
    .add(
      {
        major: build.major,
        minor: build.minor,
        git_version: build.gitVersion,
        git_commit: build.gitCommit,
        git_tree_state: build.gitTreeState,
        build_date: build.buildDate,
        go_version: build.goVersion,
        compiler: build.compiler,
        platform: build.platform,
      },
      1,
    );
  const gates = page.family(
    "kubernetes_feature_enabled",
    "gauge",
    version.minor >= 28 ? "BETA" : "ALPHA",
    "This metric records the data about the stage and enablement of a k8s feature.",
  );
  for (const gate of gatesOf(version.minor, featureGates)) {
    gates.add({ name: gate.name, stage: gate.stage }, gate.enabled ? 1 : 0);
  }
}

const METRIC_VERBS: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  deletecollection: "DELETECOLLECTION",
};
const metricVerb = (verb: string) => METRIC_VERBS[verb] ?? verb.toUpperCase();

const shapeLabels = (shape: RequestShape) => ({
  component: "apiserver",
  group: shape.group,
  resource: shape.resource,
  scope: shape.scope,
  subresource: shape.subresource,
  verb: metricVerb(shape.verb),
  version: shape.version,
});

const RESPONSE_BOUNDS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

function addRequests(page: MetricsPage, { levels, watches }: ServerFigures): void {
  const totals = new Map<string, { labels: Record<string, string>; value: number }>();
  const count = (shape: RequestShape, code: string, value: number) => {
    const labels = { ...shapeLabels(shape), code, dry_run: "" };
    const key = Object.values(labels).join("\0");
    const row = totals.get(key) ?? { labels, value: 0 };
    row.value += value;
    totals.set(key, row);
  };
  const flows = levels.flatMap((level) => level.flows);
  for (const flow of flows) {
    const { shape } = flow;
    // About one write in forty meets a conflict; the two codes add up to what was dispatched.
    const conflicts = shape.verb === "update" ? Math.floor(flow.dispatchedTotal / 40) : 0;
    count(shape, "200", flow.dispatchedTotal - conflicts);
    if (conflicts > 0) count(shape, "409", conflicts);
    const rejected = Object.values(flow.rejectedTotals).reduce((sum, value) => sum + value, 0);
    if (rejected > 0) count(shape, "429", rejected);
  }
  const requests = page.family(
    "apiserver_request_total",
    "counter",
    "STABLE",
    "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
  );
  for (const { labels, value } of totals.values()) requests.add(labels, value);

  const sizes = page.family(
    "apiserver_response_sizes",
    "histogram",
    "STABLE",
    "Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.",
  );
  const seen = new Set<string>();
  for (const flow of flows) {
    const labels = shapeLabels(flow.shape);
    const key = Object.values(labels).join("\0");
    if ((flow.shape.verb !== "list" && flow.shape.verb !== "get") || seen.has(key)) continue;
    seen.add(key);
    const total = flows
      .filter((other) => Object.values(shapeLabels(other.shape)).join("\0") === key)
      .reduce((sum, other) => sum + other.dispatchedTotal, 0);
    const isWide = flow.seatsEach > 1;
    const counts = isWide ? [0, 0, 0, 0, 0, 0, total, 0] : spread(total, [0.3, 0.5, 0.17, 0.03, 0, 0, 0, 0]);
    sizes.addHistogram(labels, RESPONSE_BOUNDS, counts, total * (isWide ? 1.87e8 : 8200));
  }

  const longRunning = page.family(
    "apiserver_longrunning_requests",
    "gauge",
    "STABLE",
    "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
  );
  for (const { group, version, resource, scope, open } of watches) {
    longRunning.add(
      { component: "apiserver", group, resource, scope, subresource: "", verb: "WATCH", version },
      open,
    );
  }
  const executing = (isRead: boolean) =>
    flows
      .filter((flow) => ["get", "list", "watch"].includes(flow.shape.verb) === isRead)
      .reduce((sum, flow) => sum + flow.executingRequests, 0);
  const waiting = (isRead: boolean) =>
    flows
      .filter((flow) => ["get", "list", "watch"].includes(flow.shape.verb) === isRead)
      .reduce((sum, flow) => sum + flow.waitingRequests, 0);
  page
    .family(
      "apiserver_current_inflight_requests",
      "gauge",
      "STABLE",
      "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
    )
    .add({ request_kind: "mutating" }, executing(false))
    .add({ request_kind: "readOnly" }, executing(true));
  page
    .family(
      "apiserver_current_inqueue_requests",
      "gauge",
      "ALPHA",
      "Maximal number of queued requests in this apiserver per request kind in last second.",
    )
    .add({ request_kind: "mutating" }, waiting(false))
    .add({ request_kind: "readOnly" }, waiting(true));
}

function addSizes(
  page: MetricsPage,
  { version, figures, resources, unavailableApiServices }: MetricsInput,
): void {
  const { minor } = version;
  const stored = page.family(
    "apiserver_storage_objects",
    "gauge",
    "STABLE",
    minor >= 35
      ? "(Deprecated since 1.34.0) Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1."
      : "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
  );
  for (const { group, resource, objects } of resources) {
    stored.add({ resource: group === "" ? resource : `${resource}.${group}` }, objects ?? -1);
  }
  if (minor >= 34) {
    const counts = page.family(
      "apiserver_resource_objects",
      "gauge",
      "ALPHA",
      "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    );
    const bytes = page.family(
      "apiserver_resource_size_estimate_bytes",
      "gauge",
      "ALPHA",
      "Estimated size of stored objects in database. Estimate is based on sum of last observed sizes of serialized objects. In case of a fetching error, the value will be -1.",
    );
    for (const { group, resource, objects, storedBytes } of resources) {
      counts.add({ group, resource }, objects ?? -1);
      bytes.add({ group, resource }, storedBytes ?? -1);
    }
  }
  if (minor >= 28) {
    page
      .family(
        "apiserver_storage_size_bytes",
        "gauge",
        minor >= 30 ? "STABLE" : "ALPHA",
        "Size of the storage database file physically allocated in bytes.",
      )
      .add({ [minor >= 30 ? "storage_cluster_id" : "cluster"]: "etcd-0" }, figures.storageBytes);
  } else {
    page
      .family(
        "apiserver_storage_db_total_size_in_bytes",
        "gauge",
        "ALPHA",
        "Total size of the storage database file physically allocated in bytes.",
      )
      .add({ endpoint: "https://127.0.0.1:2379" }, figures.storageBytes);
  }
  const aggregator = page.family(
    "aggregator_unavailable_apiservice",
    "gauge",
    "ALPHA",
    "Gauge of APIServices which are marked as unavailable broken down by APIService name.",
  );
  for (const name of unavailableApiServices) aggregator.add({ name }, 1);
}
