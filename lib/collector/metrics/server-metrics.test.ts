import { describe, expect, test } from "vitest";
import { createServerMetricsReducer, splitGroupResource, type WantedSample } from "./server-metrics.ts";

const reduce = (samples: readonly WantedSample[]) => {
  const reducer = createServerMetricsReducer();
  for (const sample of samples) reducer.take(sample);
  return reducer.finish(1_000);
};
const s = (name: string, labels: Record<string, string>, value: number): WantedSample => ({
  name,
  labels,
  value,
});

describe("createServerMetricsReducer", () => {
  test("an empty page is all unknown, never zero", () => {
    const metrics = reduce([]);
    expect(metrics).toMatchObject({
      readAt: 1_000,
      processStartSeconds: null,
      requestsTotal: null,
      storageBytes: null,
      gitVersion: null,
      gates: [],
    });
    expect(metrics.levels.size).toBe(0);
    expect(metrics.resources.size).toBe(0);
  });

  test("a level's gauges and counters are summed over its FlowSchemas, and over nothing else", () => {
    const pl = "workload-low";
    const metrics = reduce([
      s("apiserver_flowcontrol_current_executing_seats", { priority_level: pl, flow_schema: "a" }, 3),
      s("apiserver_flowcontrol_current_executing_seats", { priority_level: pl, flow_schema: "b" }, 4),
      s("apiserver_flowcontrol_current_executing_seats", { priority_level: "system", flow_schema: "c" }, 9),
      s("apiserver_flowcontrol_nominal_limit_seats", { priority_level: pl }, 245),
      s(
        "apiserver_flowcontrol_rejected_requests_total",
        { priority_level: pl, flow_schema: "a", reason: "queue-full" },
        7,
      ),
      s(
        "apiserver_flowcontrol_rejected_requests_total",
        { priority_level: pl, flow_schema: "b", reason: "queue-full" },
        2,
      ),
      s(
        "apiserver_flowcontrol_request_wait_duration_seconds_bucket",
        { priority_level: pl, execute: "true", le: "+Inf" },
        5,
      ),
      s(
        "apiserver_flowcontrol_request_wait_duration_seconds_bucket",
        { priority_level: pl, execute: "false", le: "+Inf" },
        1,
      ),
    ]);
    const level = metrics.levels.get(pl);
    expect(level).toMatchObject({ executingSeats: 7, nominalSeats: 245, waitingSeats: null });
    expect(level?.rejectedTotal.get("queue-full")).toBe(9);
    expect(level?.waitBuckets.get(Number.POSITIVE_INFINITY)).toBe(6);
    expect(metrics.levels.get("system")?.executingSeats).toBe(9);
  });

  test("a level without a request yet has 0 of what the page publishes for others, and unknown of what it does not", () => {
    const metrics = reduce([
      s("apiserver_flowcontrol_nominal_limit_seats", { priority_level: "idle" }, 49),
      s(
        "apiserver_flowcontrol_current_executing_seats",
        { priority_level: "exempt", flow_schema: "exempt" },
        1,
      ),
      s(
        "apiserver_flowcontrol_dispatched_requests_total",
        { priority_level: "exempt", flow_schema: "exempt" },
        9,
      ),
    ]);
    expect(metrics.levels.get("idle")).toMatchObject({
      executingSeats: 0,
      executingRequests: 0,
      waitingRequests: 0,
      waitingSeats: null,
      dispatchedTotal: 0,
      demandSeatsSmoothed: null,
    });
  });

  test("names before 1.28 stand in only where the newer ones are absent", () => {
    const old = reduce([
      s("apiserver_flowcontrol_request_concurrency_limit", { priority_level: "system" }, 74),
      s(
        "apiserver_flowcontrol_request_concurrency_in_use",
        { priority_level: "system", flow_schema: "a" },
        2,
      ),
    ]);
    expect(old.levels.get("system")).toMatchObject({ nominalSeats: 74, executingSeats: 2 });
    const both = reduce([
      s("apiserver_flowcontrol_request_concurrency_limit", { priority_level: "system" }, 74),
      s("apiserver_flowcontrol_nominal_limit_seats", { priority_level: "system" }, 75),
    ]);
    expect(both.levels.get("system")?.nominalSeats).toBe(75);
  });

  test("counts of both generations meet under one group and resource, −1 kept", () => {
    const metrics = reduce([
      s("apiserver_resource_objects", { group: "apps", resource: "deployments" }, 12),
      s("apiserver_resource_size_estimate_bytes", { group: "apps", resource: "deployments" }, -1),
      s("apiserver_storage_objects", { resource: "deployments.apps" }, 12),
      s("apiserver_storage_objects", { resource: "widgets.example.com" }, 4),
    ]);
    expect(metrics.resources.get("apps/deployments")).toEqual({
      resourceObjects: 12,
      sizeEstimateBytes: -1,
      storageObjects: 12,
    });
    expect(metrics.resources.get("example.com/widgets")?.storageObjects).toBe(4);
    expect(metrics.publishes).toEqual({ resourceObjects: true, sizeEstimates: true, storageObjects: true });
  });

  test("request counters are summed over all labels; NaN is left out", () => {
    const metrics = reduce([
      s("apiserver_request_total", { verb: "LIST", code: "200" }, 10),
      s("apiserver_request_total", { verb: "LIST", code: "429" }, 5),
      s("process_resident_memory_bytes", {}, Number.NaN),
      s("apiserver_storage_size_bytes", { storage_cluster_id: "a" }, 100),
    ]);
    expect(metrics).toMatchObject({ requestsTotal: 15, residentMemoryBytes: null, storageBytes: 100 });
  });
});

describe("what cannot be a figure", () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300])(
    "%d is left out, also of sums",
    (value) => {
      const pl = "workload-low";
      const metrics = reduce([
        s("apiserver_request_total", { verb: "LIST" }, 5),
        s("apiserver_request_total", { verb: "GET" }, value),
        s("process_resident_memory_bytes", {}, value),
        s("apiserver_resource_objects", { resource: "pods" }, value),
        s("apiserver_flowcontrol_current_executing_seats", { priority_level: pl }, value),
        s("apiserver_flowcontrol_current_limit_seats", { priority_level: pl }, 9),
      ]);
      expect(metrics.requestsTotal).toBe(5);
      expect(metrics.residentMemoryBytes).toBeNull();
      expect(metrics.resources.get("/pods")?.resourceObjects ?? null).toBeNull();
      expect(metrics.levels.get(pl)).toMatchObject({ executingSeats: null, currentLimitSeats: 9 });
    },
  );

  test.each([0.5, 1e17])("%d is no number of objects", (value) => {
    const { resources } = reduce([
      s("apiserver_resource_objects", { resource: "pods" }, value),
      s("apiserver_storage_objects", { resource: "nodes" }, value),
    ]);
    expect(resources.get("/pods")?.resourceObjects ?? null).toBeNull();
    expect(resources.get("/nodes")?.storageObjects ?? null).toBeNull();
  });

  test.each([-5, 0, 9e12, 1e15])(
    "a process that started at %d s is one whose start is not known",
    (value) => {
      expect(reduce([s("process_start_time_seconds", {}, value)]).processStartSeconds).toBeNull();
    },
  );
});

test.each([
  ["apiserver_flowcontrol_current_executing_seats", { priority_level: "a" }],
  ["apiserver_flowcontrol_current_limit_seats", { priority_level: "a" }],
  ["process_resident_memory_bytes", {}],
  ["apiserver_request_total", { verb: "GET" }],
])("there is never less than nothing of %s", (name, labels) => {
  const metrics = reduce([s(name, labels, -5)]);
  expect([metrics.levels.size, metrics.residentMemoryBytes, metrics.requestsTotal]).toEqual([0, null, null]);
});

describe("a page that invents names is refused before it takes the memory of others", () => {
  const many = (name: string, label: string, more: Record<string, string> = {}) =>
    Array.from({ length: 25_000 }, (_, index) => s(name, { ...more, [label]: `${index}` }, 1));
  const level = { priority_level: "a" };

  test.each([
    ["priority levels", many("apiserver_flowcontrol_current_executing_seats", "priority_level")],
    ["reasons of rejection", many("apiserver_flowcontrol_rejected_requests_total", "reason", level)],
    [
      "buckets of a histogram",
      many("apiserver_flowcontrol_request_wait_duration_seconds_bucket", "le", level),
    ],
    ["feature gates", many("kubernetes_feature_enabled", "name")],
    ["resources", many("apiserver_resource_objects", "resource")],
    [
      "priority levels",
      [s("apiserver_flowcontrol_nominal_limit_seats", { priority_level: "x".repeat(1e5) }, 1)],
    ],
  ])("%s", (what, samples) => {
    expect(() => reduce(samples)).toThrow(
      expect.objectContaining({ reason: "too-large", message: expect.stringContaining(what) }),
    );
  });

  test("a version of any length is not kept", () => {
    const { gitVersion } = reduce([s("kubernetes_build_info", { git_version: "v".repeat(1e5) }, 1)]);
    expect(gitVersion).toBeNull();
  });
});

test("a resource without a dot belongs to the core group", () => {
  expect(splitGroupResource("pods")).toEqual(["pods", ""]);
  expect(splitGroupResource("endpointslices.discovery.k8s.io")).toEqual([
    "endpointslices",
    "discovery.k8s.io",
  ]);
});
