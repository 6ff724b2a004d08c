import { describe, expect, it } from "vitest";
import { continueResourceVersion } from "./continue-token.ts";
import { serveList } from "./serve-list.ts";
import type { RequestServing, ServingInput } from "./serving.ts";

const base64url = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const TOKEN = base64url('{"v":"meta.k8s.io/v1","rv":123,"start":"a\\u0000"}');
const LATEST_TOKEN = base64url('{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}');

function serve(v: string, query: string, input: Partial<ServingInput> = {}): RequestServing {
  const serving = serveList({
    v,
    method: "GET",
    path: "/api/v1/pods",
    query,
    objects: 10_000,
    size: 4_000,
    ...input,
  });
  return serving ?? expect.fail("no LIST");
}

/** Source and limit in one word: `cache`, `etcd-page+limit`. */
const placed = (v: string, query: string, input: Partial<ServingInput> = {}) => {
  const { source, isLimitHonoured, refusal } = serve(v, query, input);
  if (refusal !== null) return `${refusal.status}`;
  return isLimitHonoured ? `${source}+limit` : source;
};

describe("serveList by resource version, match, limit and continue", () => {
  const OLD = ["1.26.3", "1.27.3", "1.28.3", "1.29.6", "1.30.14"];
  const MIDDLE = ["1.31.14", "1.32.13", "1.33.13"];
  const NEW = ["1.34.13", "1.35.10", "1.36.6", "1.37.2"];

  it.each([
    ["1", "", "etcd", "cache", "cache"],
    ["2", "limit=500", "etcd-page+limit", "cache+limit", "cache+limit"],
    ["3", `continue=${TOKEN}`, "etcd", "etcd", "snapshot"],
    ["3", `continue=${TOKEN}&limit=500`, "etcd-page+limit", "etcd-page+limit", "snapshot+limit"],
    ["3", "continue=placeholder&limit=500", "etcd-page+limit", "etcd-page+limit", "snapshot+limit"],
    ["4", "resourceVersion=0", "cache", "cache", "cache"],
    ["4", "resourceVersion=0&resourceVersionMatch=NotOlderThan", "cache", "cache", "cache"],
    ["5", "resourceVersion=0&limit=500", "cache", "cache", "cache"],
    ["5", "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=500", "cache", "cache", "cache"],
    ["6", "resourceVersion=7", "cache", "cache", "cache"],
    ["7", "resourceVersion=7&limit=500", "etcd-page+limit", "etcd-page+limit", "snapshot+limit"],
    ["8", "resourceVersion=7&resourceVersionMatch=NotOlderThan", "cache", "cache", "cache"],
    [
      "9",
      "resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=5",
      "etcd-page+limit",
      "cache+limit",
      "cache+limit",
    ],
    ["10", "resourceVersion=7&resourceVersionMatch=Exact", "etcd", "etcd", "snapshot"],
    [
      "10",
      "resourceVersion=7&resourceVersionMatch=Exact&limit=5",
      "etcd-page+limit",
      "etcd-page+limit",
      "snapshot+limit",
    ],
    ["11", "resourceVersionMatch=Exact", "422", "422", "422"],
    ["11", "resourceVersionMatch=NotOlderThan", "422", "422", "422"],
    ["12", "resourceVersion=0&resourceVersionMatch=Exact", "422", "422", "422"],
    ["13", `resourceVersion=7&continue=${TOKEN}`, "400", "400", "400"],
  ])("row %s: %s", (_, query, old, middle, recent) => {
    expect(OLD.map((v) => placed(v, query))).toEqual(OLD.map(() => old));
    expect(MIDDLE.map((v) => placed(v, query))).toEqual(MIDDLE.map(() => middle));
    expect(NEW.map((v) => placed(v, query))).toEqual(NEW.map(() => recent));
  });

  it("reads the latest state from etcd where etcd has no progress requests", () => {
    expect(placed("1.34.13", "", { etcdProgress: false })).toBe("etcd");
    expect(placed("1.31.14", "limit=5", { etcdProgress: false })).toBe("etcd-page+limit");
    expect(placed("1.31.14", "resourceVersion=0", { etcdProgress: false })).toBe("cache");
  });

  it("follows the gates", () => {
    expect(placed("1.33.13", "", { gates: { ConsistentListFromCache: false } })).toBe("etcd");
    expect(placed("1.34.13", "", { gates: { ConsistentListFromCache: false } })).toBe("cache");
    expect(placed("1.30.14", "", { gates: { ConsistentListFromCache: true } })).toBe("cache");
    expect(placed("1.30.14", "limit=5", { gates: { ConsistentListFromCache: true } })).toBe(
      "etcd-page+limit",
    );
    expect(placed("1.34.13", `continue=${TOKEN}`, { gates: { ListFromCacheSnapshot: false } })).toBe("etcd");
    expect(placed("1.33.13", `continue=${TOKEN}`, { gates: { ListFromCacheSnapshot: true } })).toBe(
      "snapshot",
    );
    expect(placed("1.26.3", "limit=5", { gates: { APIListChunking: false } })).toBe("etcd");
  });

  it("reads pages of the latest state from etcd in 1.33.0 to 1.33.2", () => {
    expect(placed("1.33.2", "limit=5")).toBe("etcd-page+limit");
    expect(placed("1.33.2", "")).toBe("cache");
    expect(placed("1.33.3", "limit=5")).toBe("cache+limit");
    expect(placed("1.33", "limit=5")).toBe("cache+limit");
  });

  it("goes to etcd for a snapshot that is not held", () => {
    expect(placed("1.36.6", `continue=${TOKEN}&limit=5`, { isSnapshotHeld: false })).toBe("etcd-page+limit");
    expect(
      serve("1.36.6", "resourceVersion=7&resourceVersionMatch=Exact", { isSnapshotHeld: false }).steps[0],
    ).toMatch(/410/);
  });

  it("serves a continuation at the latest state from the cache from 1.34 on", () => {
    expect(placed("1.34.13", `continue=${LATEST_TOKEN}&limit=5`)).toBe("cache+limit");
    expect(placed("1.33.13", `continue=${LATEST_TOKEN}&limit=5`)).toBe("etcd-page+limit");
    expect(placed("1.34.13", `continue=${LATEST_TOKEN}`, { etcdProgress: false })).toBe("etcd");
  });

  it("passes over the limit of a continued LIST at resource version 0 that memory serves", () => {
    expect(placed("1.34.13", `continue=${TOKEN}&limit=5&resourceVersion=0`)).toBe("snapshot");
    expect(placed("1.33.13", `continue=${TOKEN}&limit=5&resourceVersion=0`)).toBe("etcd-page+limit");
  });

  it("reads everything of a resource without cache from etcd, the limit honoured for any resource version", () => {
    expect(placed("1.36.6", "resourceVersion=0&limit=5", { path: "/api/v1/events" })).toBe("etcd-page+limit");
    expect(placed("1.36.6", "resourceVersion=0", { path: "/apis/events.k8s.io/v1/events" })).toBe("etcd");
    expect(placed("1.36.6", "resourceVersion=0", { path: "/apis/x.example.com/v1/events" })).toBe("cache");
    expect(placed("1.36.6", "resourceVersion=0", { isCached: false })).toBe("etcd");
  });

  it("refuses what does not decode, and sendInitialEvents on a LIST", () => {
    expect(placed("1.34", "limit=abc")).toBe("400");
    expect(placed("1.34", "fieldSelector=a")).toBe("400");
    expect(placed("1.34", "labelSelector=((")).toBe("400");
    expect(placed("1.34", "resourceVersion=abc")).toBe("400");
    expect(placed("1.34", "resourceVersion=5&resourceVersionMatch=Bogus")).toBe("422");
    expect(placed("1.34", `resourceVersion=0&continue=${TOKEN}&resourceVersionMatch=NotOlderThan`)).toBe(
      "422",
    );
    expect(placed("1.34", "sendInitialEvents=true")).toBe("422");
    expect(placed("1.26", "sendInitialEvents=true")).toBe("etcd");
  });

  it("is null for what is no LIST", () => {
    for (const query of ["watch=1", ""]) {
      const path = query === "" ? "/api/v1/namespaces/a/pods/x" : "/api/v1/pods";
      expect(serveList({ v: "1.34", method: "GET", path, query })).toBeNull();
    }
    expect(serveList({ v: "1.34", method: "GET", path: "/healthz" })).toBeNull();
  });
});

describe("serveList by the state of the cache", () => {
  it("falls back to etcd, or refuses, where the cache is behind", () => {
    const behind = { cacheState: "behind" } as const;
    expect(placed("1.34.13", "", behind)).toBe("etcd");
    expect(placed("1.34.13", "limit=5", behind)).toBe("etcd-page+limit");
    expect(placed("1.34.13", "resourceVersion=0", behind)).toBe("cache");
    expect(serve("1.34.13", "resourceVersion=7", behind).refusal).toMatchObject({
      status: 504,
      retryAfterSeconds: 1,
    });
    const gates = { ConsistentListFromCacheSkipTimeoutFallback: true };
    expect(serve("1.37.2", "", { ...behind, gates }).refusal).toMatchObject({
      status: 429,
      retryAfterSeconds: 1,
    });
    expect(placed("1.36.6", "", { ...behind, gates })).toBe("etcd");
  });

  it("answers 429 while the cache is filled, but for pages without selector, from 1.31 on", () => {
    const filling = { cacheState: "initializing" } as const;
    expect(placed("1.34.13", "resourceVersion=0", filling)).toBe("429");
    expect(placed("1.34.13", "resourceVersion=0&limit=500", filling)).toBe("etcd-page+limit");
    expect(placed("1.34.13", "resourceVersion=0&limit=500&labelSelector=a", filling)).toBe("429");
    for (const exact of [`continue=${TOKEN}`, "resourceVersion=7&resourceVersionMatch=Exact"]) {
      expect(placed("1.33.13", exact, filling)).toBe("etcd");
      expect(placed("1.34.13", exact, filling)).toBe("429");
      expect(placed("1.34.13", `${exact}&limit=5`, filling)).toBe("etcd-page+limit");
      expect(placed("1.34.13", exact, { ...filling, etcdProgress: false })).toBe("etcd");
    }
    expect(serve("1.31.14", "", filling).refusal?.retryAfterSeconds).toBe(1);
    expect(placed("1.30.14", "resourceVersion=0", filling)).toBe("etcd");
    expect(placed("1.30.14", "resourceVersion=7", filling)).toBe("cache");
    expect(serve("1.30.14", "resourceVersion=7", filling).steps[0]).toMatch(/waits/);
    const gates = { ConsistentListFromCache: true, ResilientWatchCacheInitialization: false };
    for (const v of ["1.30.14", "1.32.13"]) expect(placed(v, "", { ...filling, gates })).toBe("etcd");
  });

  it("waits for one state that the cache has not come to, where it could have a snapshot of it", () => {
    const behind = { cacheState: "behind" } as const;
    for (const exact of ["resourceVersion=7&resourceVersionMatch=Exact", "resourceVersion=7&limit=5"]) {
      expect(placed("1.33.13", exact, behind)).toMatch(/^etcd/);
      expect(serve("1.34.13", exact, behind).refusal).toMatchObject({ status: 504, retryAfterSeconds: 1 });
      expect(placed("1.34.13", exact, { ...behind, etcdProgress: false })).toMatch(/^etcd/);
    }
  });
});

describe("serveList by what etcd has of the resource version", () => {
  const EXACT = "resourceVersion=7&resourceVersionMatch=Exact";
  const events = { path: "/api/v1/events" };

  it("answers 410 for one state that etcd has compacted, unless a snapshot is held", () => {
    const compacted = { versionState: "compacted" } as const;
    for (const query of [EXACT, "resourceVersion=7&limit=5", `continue=${TOKEN}&limit=5`]) {
      expect(placed("1.33.13", query, compacted)).toBe("410");
      expect(placed("1.37.2", query, compacted)).toBe("410");
      expect(placed("1.37.2", query, { ...compacted, ...events })).toBe("410");
      expect(placed("1.37.2", query, { ...compacted, isSnapshotHeld: true })).toMatch(/^snapshot/);
    }
    expect(placed("1.37.2", "resourceVersion=7", compacted)).toBe("cache");
    expect(placed("1.33.13", `continue=${LATEST_TOKEN}`, compacted)).toBe("etcd");
  });

  it("refuses a resource version that is not there yet, by cache, snapshot or etcd", () => {
    const future = { versionState: "future" } as const;
    const refusal = (v: string, query: string, input: Partial<ServingInput> = {}) => {
      const { status, retryAfterSeconds } = serve(v, query, { ...future, ...input }).refusal ?? {};
      return `${status} ${retryAfterSeconds}`;
    };
    for (const v of ["1.30.14", "1.33.13", "1.37.2"]) {
      expect(refusal(v, "resourceVersion=7")).toBe("504 1");
      expect(refusal(v, "resourceVersion=7", events)).toBe("504 null");
      expect(placed(v, "resourceVersion=0", future)).toBe("cache");
    }
    expect(refusal("1.30.14", "resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=5")).toBe(
      "504 null",
    );
    for (const query of [EXACT, "resourceVersion=7&limit=5"]) {
      expect(refusal("1.33.13", query)).toBe("500 null");
      expect(refusal("1.36.6", query)).toBe("504 1");
      expect(refusal("1.36.6", query, events)).toBe("500 null");
      expect(refusal("1.37.2", query, events)).toBe("504 null");
    }
  });

  it("says that a text in place of a continue token is only a placeholder", () => {
    expect(serve("1.34", "continue=next").steps.join()).toMatch(/placeholder/);
    expect(serve("1.34", `continue=${TOKEN}`).steps.join()).not.toMatch(/placeholder/);
  });
});

describe("serveList on volume", () => {
  const objects = (serving: RequestServing) => [serving.handled.objects, serving.received.objects];

  it("counts all objects for the first LIST of an informer, whatever its limit", () => {
    const serving = serve("1.34.13", "resourceVersion=0&limit=500");
    expect(serving.handled).toEqual({ objects: 10_000, bytes: 40_000_000, isUpperBound: false });
    expect(serving.received).toEqual({ objects: 10_000, bytes: 40_000_000, isUpperBound: false });
    expect(serving.steps.at(-1)).toMatch(/limit is passed over/);
  });

  it("takes the size of the form asked for into what the client receives", () => {
    const serving = serve("1.34.13", "resourceVersion=0", { objectResponseBytes: 500 });
    expect([serving.handled.bytes, serving.received.bytes]).toEqual([40_000_000, 5_000_000]);
    expect(serve("1.34.13", "", { size: -1 }).handled.bytes).toBeNull();
  });

  it("walks all for a namespace before the B-tree, but for pods in 1.30 and 1.31", () => {
    const facts = { path: "/api/v1/namespaces/a/configmaps", namespaceObjects: 3 };
    expect(objects(serve("1.31.14", "resourceVersion=0", facts))).toEqual([10_000, 3]);
    expect(objects(serve("1.32.13", "resourceVersion=0", facts))).toEqual([3, 3]);
    expect(
      objects(serve("1.32.13", "resourceVersion=0", { ...facts, gates: { BtreeWatchCache: false } })),
    ).toEqual([10_000, 3]);
    const pods = { ...facts, path: "/api/v1/namespaces/a/pods" };
    expect(objects(serve("1.29.6", "resourceVersion=0", pods))).toEqual([10_000, 3]);
    expect(objects(serve("1.30.14", "resourceVersion=0", pods))).toEqual([3, 3]);
    expect(objects(serve("1.30.14", "", pods))).toEqual([3, 3]);
    expect(serve("1.34.13", "", { path: facts.path }).handled).toMatchObject({
      objects: 10_000,
      isUpperBound: true,
    });
  });

  it("narrows a cluster-wide LIST to the namespace of its field selector", () => {
    const facts = { namespaceObjects: 30, matchingObjects: 30 };
    expect(objects(serve("1.34.13", "fieldSelector=metadata.namespace%3Da", facts))).toEqual([30, 30]);
  });

  it("looks only at the pods of a node, through the index", () => {
    const query = "fieldSelector=spec.nodeName%3Dn1&resourceVersion=0";
    expect(objects(serve("1.34.13", query, { matchingObjects: 20 }))).toEqual([20, 20]);
    expect(serve("1.34.13", query).handled).toMatchObject({ objects: 10_000, isUpperBound: true });
    expect(objects(serve("1.30.14", "fieldSelector=spec.nodeName%3Dn1", { matchingObjects: 20 }))).toEqual([
      10_000, 20,
    ]);
    expect(objects(serve("1.34.13", query, { path: "/api/v1/secrets", matchingObjects: 20 }))).toEqual([
      10_000, 20,
    ]);
    expect(
      objects(
        serve("1.34.13", "fieldSelector=spec.nodeName%3Dn1,metadata.namespace%3Da", { matchingObjects: 5 }),
      ),
    ).toEqual([5, 5]);
  });

  it("does not take matches of a second selector for all that the index holds", () => {
    for (const query of [
      "fieldSelector=spec.nodeName%3Dn1&labelSelector=app",
      "fieldSelector=spec.nodeName%3Dn1,status.phase%3DRunning",
      "fieldSelector=spec.nodeName%3Dn1,metadata.namespace!%3Da",
    ]) {
      const serving = serve("1.34.13", query, { matchingObjects: 3 });
      expect(serving.handled, query).toMatchObject({ objects: 10_000, isUpperBound: true });
      expect(serving.received, query).toMatchObject({ objects: 3, isUpperBound: false });
    }
  });

  it("looks at all and returns the matches of another selector", () => {
    expect(objects(serve("1.34.13", "labelSelector=app%3Da", { matchingObjects: 12 }))).toEqual([10_000, 12]);
    const unknown = serve("1.34.13", "labelSelector=app%3Da");
    expect(unknown.received).toMatchObject({ objects: 10_000, isUpperBound: true });
  });

  it("reads a page from etcd, or pages twice as large each until enough match", () => {
    expect(objects(serve("1.30.14", "limit=500"))).toEqual([500, 500]);
    expect(objects(serve("1.30.14", "limit=100&labelSelector=a", { matchingObjects: 1_000 }))).toEqual([
      1_500, 100,
    ]);
    expect(objects(serve("1.30.14", "limit=100&labelSelector=a", { matchingObjects: 5 }))).toEqual([
      10_000, 5,
    ]);
    expect(objects(serve("1.30.14", "limit=100&labelSelector=a", { matchingObjects: 10_000 }))).toEqual([
      100, 100,
    ]);
    expect(serve("1.30.14", "limit=100&labelSelector=a").handled).toMatchObject({
      objects: 10_000,
      isUpperBound: true,
    });
  });

  it("reads one object by name where its key is known, and all where the namespace is not", () => {
    const query = "fieldSelector=metadata.name%3Dx";
    expect(objects(serve("1.34.13", query, { path: "/api/v1/namespaces/a/pods" }))).toEqual([1, 1]);
    expect(objects(serve("1.34.13", query, { path: "/api/v1/nodes" }))).toEqual([1, 1]);
    const wide = serve("1.34.13", query, { matchingObjects: 2 });
    expect([wide.isSingleKey, ...objects(wide)]).toEqual([false, 10_000, 2]);
    const widgets = { path: "/apis/example.com/v1/widgets", isNamespaced: false };
    expect(serve("1.34.13", query, widgets).isSingleKey).toBe(true);
    expect(placed("1.34.13", `${query}&resourceVersion=7&resourceVersionMatch=Exact`, widgets)).toBe("etcd");
  });

  it("reads one object by its key as it is now, whatever the limit, and knows whether it is there by a match", () => {
    const nodes = { path: "/api/v1/nodes" };
    for (const v of ["1.30.14", "1.33.13", "1.37.2"]) {
      const serving = serve(v, "fieldSelector=metadata.name%3Dx&resourceVersion=7&limit=5", nodes);
      expect([serving.source, serving.freshness], v).toEqual(["etcd", "at-least"]);
      expect(placed(v, "fieldSelector=metadata.name%3Dx&limit=5&resourceVersion=0", nodes)).toMatch(/^cache/);
    }
    const query = "fieldSelector=metadata.name%3Dx";
    const handled = (matchingObjects?: number) => serve("1.37.2", query, { ...nodes, matchingObjects });
    expect(handled().handled).toMatchObject({ objects: 1, isUpperBound: true });
    expect(handled(1).handled).toMatchObject({ objects: 1, isUpperBound: false });
    expect(handled(0).received).toMatchObject({ objects: 0, isUpperBound: false });
  });

  it("knows only a bound of what is left for a continued LIST", () => {
    const serving = serve("1.34.13", `continue=${TOKEN}&limit=500`);
    expect(serving.handled).toMatchObject({ objects: 10_000, isUpperBound: true });
    expect(serving.received).toMatchObject({ objects: 500, isUpperBound: true });
  });

  it("is nothing for a refused LIST and unknown for an untracked collection", () => {
    expect(serve("1.34", "limit=abc").handled).toEqual({ objects: 0, bytes: 0, isUpperBound: false });
    expect(serve("1.34", "", { stats: "notfound" }).handled).toMatchObject({ objects: null, bytes: null });
  });

  it("encodes piece by piece from 1.33 on", () => {
    expect(serve("1.32", "").isStreamed).toBe(false);
    expect(serve("1.33", "").isStreamed).toBe(true);
    expect(serve("1.33", "", { gates: { StreamingCollectionEncodingToJSON: false } }).isStreamed).toBe(false);
  });
});

describe("continueResourceVersion", () => {
  it("reads the version out of a token, and none out of anything else", () => {
    expect(continueResourceVersion(TOKEN)).toBe(123);
    expect(continueResourceVersion(LATEST_TOKEN)).toBe(-1);
    for (const token of ["", "tok", "a.b", base64url("[1]"), base64url('{"v":"x"}')]) {
      expect(continueResourceVersion(token)).toBeNull();
    }
  });
});
