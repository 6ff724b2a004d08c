import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { countInterestedWatchers, createWatchTracker } from "./watch-tracker.ts";

interface Vector {
  readonly id: string;
  readonly watches: readonly (readonly [method: string, path: string, query: string])[];
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly requestInfo: { readonly verb: string };
    readonly watchers: number;
  }[];
}

const watch = (path: string, query = "watch=1") => ({ method: "GET", path, query });
const write = (method: string, path: string) => ({ method, path });

describe("countInterestedWatchers", () => {
  it("agrees with every request of the 78 recorded vectors", () => {
    const { vectors } = readVectors<Vector>("watch-tracker.json");
    expect(vectors).toHaveLength(78);
    const wrong = vectors.flatMap(({ id, watches, requests }) => {
      const lines = watches.map(([method, path, query]) => ({ method, path, query }));
      return requests.flatMap(({ method, path, requestInfo, watchers }) => {
        // Watches among the requests are recorded without the query that makes them watches.
        const query = requestInfo.verb === "watch" ? "watch=1" : "";
        const found = countInterestedWatchers(lines, { method, path, query });
        return found === watchers ? [] : [`${id} ${method} ${path}: ${found}, recorded ${watchers}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("passes over watches of pods that pin a node, by the resource's name in any group", () => {
    const pods = write("PUT", "/api/v1/namespaces/a/pods/x");
    const pinned = watch("/api/v1/pods", "watch=1&fieldSelector=spec.nodeName%3Dn1");
    const open = watch("/api/v1/pods", "watch=1&fieldSelector=spec.nodeName%3D");
    const excluded = watch("/api/v1/pods", "watch=1&fieldSelector=spec.nodeName!%3Dn1");
    expect(countInterestedWatchers([pinned, open, excluded], pods)).toBe(2);
    const metrics = watch("/apis/metrics.k8s.io/v1beta1/pods", pinned.query);
    expect(
      countInterestedWatchers([metrics], write("PUT", "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods/x")),
    ).toBe(0);
    const nodes = watch("/api/v1/nodes", pinned.query);
    expect(countInterestedWatchers([nodes], write("PUT", "/api/v1/nodes/n1"))).toBe(1);
  });

  it("misses watches by name over all namespaces, and by name for a create", () => {
    const byName = watch("/api/v1/pods", "watch=1&fieldSelector=metadata.name%3Dx");
    const inNamespace = watch("/api/v1/namespaces/a/pods", byName.query);
    expect(countInterestedWatchers([byName, inNamespace], write("PUT", "/api/v1/namespaces/a/pods/x"))).toBe(
      1,
    );
    expect(countInterestedWatchers([byName, inNamespace], write("POST", "/api/v1/namespaces/a/pods"))).toBe(
      0,
    );
    expect(
      countInterestedWatchers(
        [watch("/api/v1/namespaces", "watch=1&fieldSelector=metadata.name%3Da")],
        write("PUT", "/api/v1/namespaces/a"),
      ),
    ).toBe(0);
  });

  it("is 0 for reads", () => {
    expect(countInterestedWatchers([watch("/api/v1/pods")], write("GET", "/api/v1/pods"))).toBe(0);
  });
});

describe("createWatchTracker", () => {
  it("forgets a watch once", () => {
    const tracker = createWatchTracker();
    const forget = tracker.register(watch("/api/v1/pods"));
    tracker.register(watch("/api/v1/namespaces/a/pods"));
    tracker.register(watch("/api/v1/pods", ""));
    const pods = write("PATCH", "/api/v1/namespaces/a/pods/x/status");
    expect(tracker.countInterested(pods)).toBe(2);
    forget();
    forget();
    expect(tracker.countInterested(pods)).toBe(1);
    expect(tracker.dump()).toEqual([
      { apiGroup: "", resource: "pods", namespace: "a", name: "", watches: 1 },
    ]);
  });

  it("dumps sorted counts", () => {
    const tracker = createWatchTracker();
    for (const path of ["/api/v1/secrets", "/apis/apps/v1/deployments", "/api/v1/pods", "/api/v1/pods"]) {
      tracker.register(watch(path));
    }
    expect(tracker.dump().map(({ apiGroup, resource, watches }) => [apiGroup, resource, watches])).toEqual([
      ["", "pods", 2],
      ["", "secrets", 1],
      ["apps", "deployments", 1],
    ]);
  });
});
