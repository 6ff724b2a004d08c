import { describe, expect, test } from "vitest";
import type { ResourceSize } from "../../domain/clusters/version-part.ts";
import { createServerMetricsReducer } from "../metrics/server-metrics.ts";
import { chooseSamples, LISTABLE_COLLECTIONS, measureSample, SAMPLED_COLLECTIONS } from "./choose-samples.ts";
import { decideSizes, decideSizesFromCounts } from "./decide-sizes.ts";

interface Figures {
  readonly resourceObjects?: number;
  readonly sizeBytes?: number;
  readonly storageObjects?: number;
}

/** A page of a server at `minor` with one resource, and one other so that the metric itself is published. */
function sizesOf(minor: 33 | 34, figures: Figures, gate?: boolean): ResourceSize | undefined {
  const reducer = createServerMetricsReducer();
  const take = (name: string, labels: Record<string, string>, value: number) =>
    reducer.take({ name, labels, value });
  if (minor === 34) {
    take(
      "kubernetes_feature_enabled",
      { name: "SizeBasedListCostEstimate", stage: "BETA" },
      gate === false ? 0 : 1,
    );
    take("apiserver_resource_objects", { group: "", resource: "nodes" }, 3);
    if (gate !== false)
      take("apiserver_resource_size_estimate_bytes", { group: "", resource: "nodes" }, 3000);
  }
  take("apiserver_storage_objects", { resource: "nodes" }, 3);
  if (figures.resourceObjects !== undefined) {
    take("apiserver_resource_objects", { group: "", resource: "pods" }, figures.resourceObjects);
  }
  if (figures.sizeBytes !== undefined) {
    take("apiserver_resource_size_estimate_bytes", { group: "", resource: "pods" }, figures.sizeBytes);
  }
  if (figures.storageObjects !== undefined) {
    take("apiserver_storage_objects", { resource: "pods" }, figures.storageObjects);
  }
  return decideSizes([{ serverId: "a", metrics: reducer.finish(0) }]).find((row) => row.resource === "pods");
}

describe("decideSizes", () => {
  test("both known", () => {
    expect(sizesOf(34, { resourceObjects: 200, sizeBytes: 800_000 })).toEqual({
      group: "",
      resource: "pods",
      serverId: "a",
      objects: { state: "known", value: 200 },
      storedBytes: { state: "known", value: 800_000 },
      objectsSource: "apiserver_resource_objects",
    });
  });

  test("zero objects are known, not missing", () => {
    expect(sizesOf(34, { resourceObjects: 0, sizeBytes: 0 })?.objects).toEqual({ state: "known", value: 0 });
  });

  test.each([
    { title: "a size of −1", figures: { resourceObjects: 1000, sizeBytes: -1 }, reason: "minus-one" },
    { title: "no size at all (events)", figures: { resourceObjects: 1000 }, reason: "absent" },
  ])("$title: the API server reckons with 1,500,000 bytes an object", ({ figures, reason }) => {
    expect(sizesOf(34, figures)?.storedBytes).toMatchObject({
      state: "unknown",
      reason,
      assumed: 1_500_000_000,
    });
  });

  test("a size of −1 with no objects is assumed to be 0", () => {
    expect(sizesOf(34, { resourceObjects: 0, sizeBytes: -1 })?.storedBytes).toMatchObject({ assumed: 0 });
  });

  test("a count of −1 is unknown; what is assumed follows the version", () => {
    expect(sizesOf(34, { resourceObjects: -1, sizeBytes: -1 })).toMatchObject({
      objects: { state: "unknown", reason: "minus-one", assumed: 1_000_000_000 },
      storedBytes: { state: "unknown", assumed: 1.5e15 },
      objectsSource: null,
    });
    const before = sizesOf(33, { storageObjects: -1 });
    expect(before?.objects).toMatchObject({ reason: "minus-one", assumed: null });
    expect(before?.objects).toHaveProperty("assumedBecause", expect.stringContaining("at the maximum"));
  });

  test("the older count stands in for a newer one of −1", () => {
    expect(sizesOf(34, { resourceObjects: -1, storageObjects: 7 })).toMatchObject({
      objects: { state: "known", value: 7 },
      objectsSource: "apiserver_storage_objects",
    });
  });

  test("a resource with a size and no count is not found by the estimator: 1 seat", () => {
    expect(sizesOf(34, { sizeBytes: 5 })?.objects).toMatchObject({
      reason: "absent",
      assumed: null,
      assumedBecause: expect.stringContaining("1 seat"),
    });
  });

  test.each([
    { title: "before 1.34", row: () => sizesOf(33, { storageObjects: 10 }) },
    { title: "with the gate off", row: () => sizesOf(34, { resourceObjects: 10 }, false) },
  ])("$title sizes are not published, and nothing is assumed", ({ row }) => {
    expect(row()?.storedBytes).toMatchObject({ reason: "not-published", assumed: null });
    expect(row()?.objects).toEqual({ state: "known", value: 10 });
  });

  test("servers are rows of their own, sorted by group, resource, server", () => {
    const page = (count: number) => {
      const reducer = createServerMetricsReducer();
      reducer.take({
        name: "apiserver_storage_objects",
        labels: { resource: "leases.coordination.k8s.io" },
        value: 1,
      });
      reducer.take({ name: "apiserver_storage_objects", labels: { resource: "pods" }, value: count });
      return reducer.finish(0);
    };
    const rows = decideSizes([
      { serverId: "b", metrics: page(5) },
      { serverId: "a", metrics: page(6) },
    ]);
    expect(rows.map(({ resource, serverId, objects }) => [resource, serverId, objects])).toEqual([
      ["pods", "a", { state: "known", value: 6 }],
      ["pods", "b", { state: "known", value: 5 }],
      ["leases", "a", { state: "known", value: 1 }],
      ["leases", "b", { state: "known", value: 1 }],
    ]);
  });
});

test("counts from one-object LISTS say so; what the server did not tell stays unknown", () => {
  const rows = decideSizesFromCounts("a", [
    { group: "", resource: "pods", count: 12 },
    { group: "", resource: "nodes", count: null },
  ]);
  expect(
    rows.map(({ resource, objects, objectsSource }) => [resource, objects.state, objectsSource]),
  ).toEqual([
    ["nodes", "unknown", null],
    ["pods", "known", "remainingItemCount"],
  ]);
});

describe("samples", () => {
  const size = (group: string, resource: string, objects: number, bytes: number): ResourceSize => ({
    group,
    resource,
    serverId: "a",
    objects: { state: "known", value: objects },
    storedBytes: { state: "known", value: bytes },
    objectsSource: "apiserver_resource_objects",
  });

  test("Secrets can never be chosen, nor anything the minimal role does not list", () => {
    expect(LISTABLE_COLLECTIONS.some(({ path }) => path.includes("secrets"))).toBe(false);
    expect(chooseSamples([size("", "secrets", 1e6, 1e9), size("", "configmaps", 1e6, 1e9)])).toEqual([]);
  });

  test("pods come first, then the largest by bytes; small collections are left alone", () => {
    const chosen = chooseSamples([
      size("", "nodes", 5000, 75_000_000),
      size("apps", "deployments", 900, 4_000_000),
      size("apps", "daemonsets", 30, 900_000),
      size("", "pods", 3, 9_000),
    ]);
    expect(chosen.map((each) => each.path)).toEqual([
      "/api/v1/pods",
      "/api/v1/nodes",
      "/apis/apps/v1/deployments",
    ]);
  });

  test("never more than the bound", () => {
    const all = LISTABLE_COLLECTIONS.map(({ group, resource }) => size(group, resource, 1e4, 1e6));
    expect(chooseSamples(all)).toHaveLength(SAMPLED_COLLECTIONS);
  });

  test("bytes are averaged; an empty page has none", () => {
    const items = [{ metadata: { name: "ä" }, spec: {} }, { metadata: { name: "b" } }];
    const measured = measureSample({ group: "", resource: "nodes" }, { items, bytesPerItem: [100, 51] }, 61);
    expect(measured).toEqual({
      group: "",
      resource: "nodes",
      sampledObjects: 2,
      jsonBytes: 76,
      metadataBytes: 87,
      protobufBytes: 31,
    });
    expect(measureSample({ group: "", resource: "nodes" }, { items: [], bytesPerItem: [] }, 5)).toMatchObject(
      {
        sampledObjects: 0,
        jsonBytes: null,
        metadataBytes: null,
        protobufBytes: null,
      },
    );
  });
});
