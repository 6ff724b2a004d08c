import { describe, expect, it } from "vitest";
import { priceRequest } from "./price-request.ts";
import { serveWatch } from "./serve-watch.ts";
import type { RequestServing, ServingInput } from "./serving.ts";

function serve(v: string, query: string, input: Partial<ServingInput> = {}): RequestServing {
  const watch = `watch=1${query === "" ? "" : `&${query}`}`;
  const facts = { objects: 10_000, size: 4_000, changesSince: 40 };
  return (
    serveWatch({ v, method: "GET", path: "/api/v1/pods", query: watch, ...facts, ...input }) ??
    expect.fail("no WATCH")
  );
}

/** Source, freshness and what is gone through, or the status of a refusal. */
const begins = (v: string, query: string, input: Partial<ServingInput> = {}) => {
  const { source, freshness, refusal, handled } = serve(v, query, input);
  return refusal === null ? `${source} ${freshness} ${handled.objects}` : `${refusal.status}`;
};
const objects = ({ handled, received }: RequestServing) => [handled.objects, received.objects];

const EVENTS = { path: "/api/v1/events" } as const;
const NAME = "fieldSelector=metadata.name%3Dx";
const INITIAL = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
const WITHOUT = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan";

describe("serveWatch by what the WATCH asks for", () => {
  it("begins with the whole state from the cache, of any age without WatchList and as of now with it", () => {
    for (const v of ["1.26.3", "1.27.16", "1.28.15", "1.29.6", "1.30.14", "1.31.14", "1.33.13"]) {
      expect(begins(v, ""), v).toBe("cache any 10000");
      expect(begins(v, "resourceVersion=0"), v).toBe("cache any 10000");
    }
    for (const v of ["1.32.13", "1.34.13", "1.37.2"]) {
      expect(begins(v, ""), v).toBe("cache latest 10000");
      expect(begins(v, "resourceVersion=0"), v).toBe("cache any 10000");
    }
    expect(begins("1.33.13", "", { gates: { WatchList: true } })).toBe("cache latest 10000");
    expect(begins("1.34.13", "", { gates: { WatchList: false } })).toBe("cache any 10000");
  });

  it("reads the state from etcd for no resource version in early patches of 1.27, 1.28 and 1.29", () => {
    for (const v of ["1.27.12", "1.28.8", "1.29.3"]) {
      expect(begins(v, ""), v).toBe("etcd latest 10000");
      expect(begins(v, "resourceVersion=0"), v).toBe("cache any 10000");
      expect(begins(v, "", { gates: { WatchList: true } }), v).toBe("cache latest 10000");
    }
    for (const v of ["1.27.13", "1.28.9", "1.29.4"]) expect(begins(v, ""), v).toBe("cache any 10000");
  });

  it("begins with the changes since a resource version, of the whole resource", () => {
    for (const v of ["1.26.3", "1.33.13", "1.37.2"]) {
      const serving = serve(v, "resourceVersion=7");
      expect(serving).toMatchObject({ source: "history", freshness: "after" });
      expect(serving.handled).toEqual({ objects: 40, bytes: 160_000, isUpperBound: false });
      expect(serving.received).toEqual({ objects: 40, bytes: 160_000, isUpperBound: false });
      const narrow = serve(v, "resourceVersion=7", { path: "/api/v1/namespaces/a/pods" });
      expect([narrow.handled.isUpperBound, narrow.received.isUpperBound]).toEqual([false, true]);
    }
    expect(serve("1.37.2", "resourceVersion=7", { changesSince: null }).handled.objects).toBeNull();
  });

  it("answers 410 where the cache does not remember all changes since", () => {
    expect(begins("1.37.2", "resourceVersion=7", { isSnapshotHeld: false })).toBe("410");
    expect(begins("1.33.13", "resourceVersion=7", { versionState: "compacted" })).toBe("410");
    expect(begins("1.37.2", "resourceVersion=0", { versionState: "compacted" })).toBe("cache any 10000");
    expect(begins("1.37.2", "resourceVersion=7", { ...EVENTS, versionState: "compacted" })).toBe("410");
  });

  it("begins with nothing from a resource version that is still to come, or where no initial events are wanted", () => {
    expect(begins("1.37.2", "resourceVersion=7", { versionState: "future" })).toBe("history after 0");
    for (const rv of ["", "&resourceVersion=0"]) {
      expect(begins("1.37.2", `${WITHOUT}${rv}`)).toBe("history after 0");
      expect(begins("1.37.2", `${WITHOUT}${rv}`, EVENTS)).toBe("etcd after 0");
    }
    expect(begins("1.37.2", `${WITHOUT}&resourceVersion=7`)).toBe("history after 40");
  });

  it("sends the whole state for a watch-list, whatever its resource version", () => {
    expect(begins("1.37.2", INITIAL)).toBe("cache latest 10000");
    expect(begins("1.37.2", `${INITIAL}&resourceVersion=0`)).toBe("cache any 10000");
    expect(begins("1.37.2", `${INITIAL}&resourceVersion=7`)).toBe("cache at-least 10000");
    expect(begins("1.37.2", `${INITIAL}&resourceVersion=7`, { versionState: "future" })).toBe("504");
    expect(begins("1.37.2", `${INITIAL}&resourceVersion=7`, { ...EVENTS, versionState: "future" })).toBe(
      "504",
    );
  });

  it("reads the state of a resource without cache from etcd", () => {
    for (const v of ["1.26.3", "1.33.13", "1.37.2"]) {
      expect(begins(v, "", EVENTS)).toBe("etcd latest 10000");
      expect(begins(v, "resourceVersion=0", EVENTS)).toBe("etcd any 10000");
      expect(begins(v, "resourceVersion=7", EVENTS)).toBe("etcd after 40");
    }
    expect(begins("1.37.2", `${INITIAL}`, EVENTS)).toBe("etcd latest 10000");
  });

  it("refuses what the API server refuses", () => {
    const refused = (v: string, query: string) => begins(v, query);
    for (const query of [INITIAL, WITHOUT]) expect(refused("1.33.13", query)).toBe("422");
    expect(refused("1.37.2", "sendInitialEvents=true")).toBe("422");
    expect(refused("1.37.2", "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5")).toBe(
      "422",
    );
    expect(refused("1.37.2", "resourceVersion=5&resourceVersionMatch=NotOlderThan")).toBe("422");
    expect(refused("1.26.3", "resourceVersion=5&resourceVersionMatch=NotOlderThan")).toBe("422");
    expect(refused("1.26.3", "sendInitialEvents=true")).toBe("cache any 10000");
    expect(refused("1.37.2", `${INITIAL}&continue=x`)).toBe("422");
    expect(refused("1.37.2", "continue=x")).toBe("422");
    expect(refused("1.37.2", "continue=x&resourceVersion=7")).toBe("history after 40");
    expect(refused("1.33.13", "continue=x")).toBe("cache any 10000");
    expect(refused("1.37.2", "limit=abc")).toBe("400");
    expect(refused("1.37.2", "fieldSelector=a")).toBe("400");
    expect(refused("1.37.2", "resourceVersion=abc")).toBe("500");
  });

  it("checks what stands behind the old path as a LIST", () => {
    const old = { path: "/api/v1/watch/pods" };
    const serving = (query: string) => serveWatch({ v: "1.37.2", method: "GET", query, ...old, objects: 7 });
    expect(serving("resourceVersion=0")).toMatchObject({ source: "cache", handled: { objects: 7 } });
    expect(serving(INITIAL)?.refusal?.status).toBe(422);
    const one = { path: "/api/v1/watch/namespaces/a/pods/x", matchingObjects: 1 };
    expect(objects(serve("1.37.2", "", one))).toEqual([1, 1]);
  });

  it("is null for what is no WATCH", () => {
    expect(serveWatch({ v: "1.37", method: "GET", path: "/api/v1/pods", query: "watch=0" })).toBeNull();
    expect(serveWatch({ v: "1.37", method: "GET", path: "/healthz" })).toBeNull();
  });
});

describe("serveWatch by the state of the cache", () => {
  it("waits for a cache that is being filled up to 1.30 and answers 429 from 1.31 on", () => {
    const filling = { cacheState: "initializing" } as const;
    expect(serve("1.30.14", "resourceVersion=7", filling).steps[0]).toMatch(/waits/);
    for (const query of ["", "resourceVersion=0", "resourceVersion=7", INITIAL]) {
      expect(serve("1.37.2", query, filling).refusal).toMatchObject({ status: 429, retryAfterSeconds: 1 });
    }
    expect(begins("1.37.2", "", { ...filling, ...EVENTS })).toBe("etcd latest 10000");
  });

  it("waits for a cache that is behind only where the state is asked for", () => {
    const behind = { cacheState: "behind" } as const;
    expect(begins("1.37.2", INITIAL, behind)).toBe("504");
    expect(begins("1.37.2", "", behind)).toBe("504");
    expect(begins("1.37.2", `${INITIAL}&resourceVersion=7`, behind)).toBe("504");
    expect(begins("1.37.2", "resourceVersion=0", behind)).toBe("cache any 10000");
    expect(begins("1.37.2", "resourceVersion=7", behind)).toBe("history after 40");
    expect(begins("1.33.13", "", behind)).toBe("cache any 10000");
  });

  it("fails a watch-list with bookmarks where etcd has no progress requests", () => {
    const old = { etcdProgress: false };
    expect(begins("1.37.2", `${INITIAL}&allowWatchBookmarks=true`, old)).toBe("500");
    expect(begins("1.37.2", INITIAL, old)).toBe("cache latest 10000");
    expect(begins("1.37.2", `${INITIAL}&allowWatchBookmarks=0`, old)).toBe("cache latest 10000");
    expect(begins("1.37.2", "resourceVersion=7&allowWatchBookmarks=true", old)).toBe("history after 40");
  });
});

describe("serveWatch on volume", () => {
  it("goes through the whole resource in the cache for a namespace or a selector", () => {
    const namespaced = { path: "/api/v1/namespaces/a/pods", namespaceObjects: 30 };
    for (const v of ["1.30.14", "1.33.13", "1.37.2"]) {
      expect(objects(serve(v, "resourceVersion=0", namespaced)), v).toEqual([10_000, 30]);
      const node = "resourceVersion=0&fieldSelector=spec.nodeName%3Dn1";
      expect(objects(serve(v, node, { matchingObjects: 20 })), v).toEqual([10_000, 20]);
      expect(serve(v, node).received).toMatchObject({ objects: 10_000, isUpperBound: true });
    }
    expect(
      objects(serve("1.37.2", "", { ...namespaced, ...EVENTS, path: "/api/v1/namespaces/a/events" })),
    ).toEqual([30, 30]);
  });

  it("passes over limit and continue", () => {
    const serving = serve("1.33.13", "resourceVersion=0&limit=5&continue=x");
    expect(serving).toMatchObject({ isLimitHonoured: false, isStreamed: true, isWatch: true });
    expect(serving.received).toEqual({ objects: 10_000, bytes: 40_000_000, isUpperBound: false });
  });

  it("takes one object by its key from 1.31 on, where the key is known", () => {
    const named = { path: "/api/v1/namespaces/a/pods", matchingObjects: 1 };
    expect(objects(serve("1.30.14", `resourceVersion=0&${NAME}`, named))).toEqual([10_000, 1]);
    expect(objects(serve("1.31.14", `resourceVersion=0&${NAME}`, named))).toEqual([1, 1]);
    expect(objects(serve("1.37.2", NAME, named))).toEqual([1, 1]);
    expect(serve("1.37.2", NAME, { path: "/api/v1/nodes" }).handled).toMatchObject({
      objects: 1,
      isUpperBound: true,
    });
    expect(objects(serve("1.37.2", NAME, { matchingObjects: 2 }))).toEqual([10_000, 2]);
    expect(objects(serve("1.30.14", NAME, { ...named, path: "/api/v1/namespaces/a/events" }))).toEqual([
      1, 1,
    ]);
  });

  it("sends nothing at first for a name without its namespace in 1.31", () => {
    expect(objects(serve("1.31.14", `resourceVersion=0&${NAME}`, { matchingObjects: 2 }))).toEqual([0, 0]);
    expect(objects(serve("1.32.13", `resourceVersion=0&${NAME}`, { matchingObjects: 2 }))).toEqual([
      10_000, 2,
    ]);
  });

  it("takes the size of the form asked for into what the client receives", () => {
    const serving = serve("1.37.2", "", { objectResponseBytes: 500 });
    expect([serving.handled.bytes, serving.received.bytes]).toEqual([40_000_000, 5_000_000]);
    expect(serve("1.37.2", "", { stats: "notfound" }).handled).toMatchObject({ objects: null, bytes: null });
  });
});

describe("priceRequest tells where price and work of a WATCH differ", () => {
  const gaps = (v: string, query: string, path = "/api/v1/pods") =>
    priceRequest({ v, method: "GET", path, query: `watch=1&${query}`, objects: 500, size: 900 }).gaps.join(
      " ",
    );

  it.each([
    ["1.34", "resourceVersion=0", /1 seat, though the whole state/],
    ["1.33", "", /1 seat, though the whole state/],
    ["1.37", "resourceVersion=7", /have no price/],
    ["1.37", WITHOUT, /priced for the whole state, which is not sent/],
    ["1.37", NAME, /as one object, though all/],
    ["1.37", "resourceVersionMatch=Exact", /refused/],
  ])("%s %s", (v, query, expected) => {
    expect(gaps(v, query)).toMatch(expected);
  });

  it("of a resource without cache", () => {
    expect(gaps("1.37", "", "/api/v1/namespaces/a/events")).toMatch(/etcd is read\. A namespace is priced/);
  });

  it("and is silent where they do not", () => {
    expect(gaps("1.37", "resourceVersion=0")).toBe("");
    expect(gaps("1.37", `${WITHOUT}&resourceVersion=7`)).toMatch(/have no price/);
    expect(gaps("1.37", "", "/api/v1/namespaces/a/pods")).toBe("");
  });
});
