import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { formatBytes, formatCount, formatSeats } from "./format-figures.ts";
import { type PriceInput, priceRequest } from "./price-request.ts";

const price = (v: string, query: string, input: Partial<PriceInput> = {}) =>
  priceRequest({ v, method: "GET", path: "/api/v1/pods", query, ...input });
/** With a plain space where figures have a narrow one. */
const summary = (...args: Parameters<typeof price>) => price(...args).summary.replaceAll("\u202f", " ");

describe("priceRequest explains", () => {
  const facts = { objects: 20_000, size: 4_200, plMax: 37 };

  it.each([
    [
      "1.34",
      "resourceVersion=0",
      facts,
      "1.34: size-based; from cache; 20 000 × 4.2 KB → capped at 1 MB → 10 seats",
    ],
    [
      "1.34",
      "",
      { ...facts, plMax: 8 },
      "1.34: size-based; from cache; 20 000 × 4.2 KB → capped at 1 MB → 10 seats, capped at 8 seats",
    ],
    [
      "1.34",
      "continue=t&limit=500",
      { ...facts, size: 10_000 },
      "1.34: size-based; from etcd; 500 × 10 KB → 50 seats, capped at 37 seats",
    ],
    [
      "1.34",
      "resourceVersion=0",
      { objects: 5_000 },
      "1.34: size-based; from cache; 5 000 × 1.5 MB (size not known) → capped at 1 MB → 10 seats",
    ],
    ["1.34", "", { objects: 3, size: 100 }, "1.34: size-based; from cache; 3 × 100 B → 1 seat"],
    [
      "1.30",
      "limit=50&labelSelector=app",
      { objects: 500 },
      "1.30: count-based; from etcd; 550 objects (all, and the page once more) → 6 seats",
    ],
    ["1.30", "", { objects: 300 }, "1.30: count-based; from etcd; 600 objects (read and encoded) → 6 seats"],
    ["1.31", "", { objects: 300 }, "1.31: count-based; from cache; 300 objects → 3 seats"],
    [
      "1.31",
      "limit=abc",
      { objects: 300 },
      "1.31: limit or timeoutSeconds is not an integer: the maximum → 10 seats",
    ],
    ["1.31", "", { stats: "stale" as const }, "1.31: the count is stale: the maximum → 10 seats"],
    [
      "1.34",
      "",
      { stats: "error" as const },
      "1.34: size-based; from cache; the count cannot be read: taken for 1 000 000 000 objects; 1 000 000 000 × 1.5 MB → capped at 1 MB → 10 seats",
    ],
    ["1.34", "", {}, "1.34: the resource is not tracked (aggregated API, unknown) → 1 seat"],
    ["1.33", "fieldSelector=metadata.name%3Dx", facts, "1.33: one object by its name → 1 seat"],
    [
      "1.34",
      "fieldSelector=metadata.name%3Dx",
      { ...facts, size: 250_000 },
      "1.34: size-based; from cache; one object by its name; 1 × 250 KB → 3 seats",
    ],
    [
      "1.35",
      "watch=1",
      facts,
      "1.35: size-based; a watch with initial events, priced like a LIST; from cache; 20 000 × 4.2 KB → capped at 1 MB → 10 seats",
    ],
    ["1.34", "watch=1", facts, "1.34: a watch without initial events → 1 seat"],
    ["1.33", "watch=1", facts, "1.33: watches are not priced (WatchList off) → 1 seat"],
    ["1.27", "watch=1", facts, "1.27: watches are not priced → 1 seat"],
  ])("%s %s", (v, query, input, expected) => {
    expect(summary(v, query, input)).toBe(expected);
  });

  it("mutating requests and others", () => {
    const write = { method: "PUT", path: "/api/v1/namespaces/a/pods/x" };
    expect(summary("1.34", "", { ...write, watchers: 1000, plMax: 4 })).toBe(
      "1.34: 1 seat while it runs; 1 000 interested watches, 10 a seat for 5 ms → 100 seats → capped at 4 seats, the work kept → 4 seats for 125 ms more",
    );
    expect(summary("1.34", "", { ...write, watchers: 11 })).toBe(
      "1.34: 1 seat while it runs; 11 interested watches, 10 a seat for 5 ms → 2 seats → 2 seats for 5 ms more",
    );
    expect(summary("1.34", "", { ...write, watchers: 1 })).toBe(
      "1.34: 1 interested watch, fewer than 10 → 1 seat",
    );
    expect(summary("1.34", "", { ...write, method: "GET" })).toBe("1.34: get → 1 seat");
    expect(summary("1.34", "", { method: "OPTIONS" })).toBe("1.34: other methods → 1 seat");
    expect(
      summary("1.34", "", {
        method: "POST",
        path: "/api/v1/namespaces/a/serviceaccounts/s/token",
        watchers: 99,
      }),
    ).toBe("1.34: a token is no change that watches see → 1 seat");
  });

  it("ends every explanation of the recorded requests in the recorded seats", () => {
    const wrong: string[] = [];
    for (const file of ["seats-list.json.gz", "seats-watch.json", "seats-mutating.json"]) {
      for (const vector of readVectors<PriceInput & Recorded>(file).vectors) {
        const { initialSeats, steps, maximumSeats } = priceRequest(vector);
        const { finalSeats, id } = vector;
        const isWrite = finalSeats > 0;
        const end = isWrite ? `${formatSeats(finalSeats)} for ` : formatSeats(vector.initialSeats);
        const last = steps.at(-1) ?? "";
        const isRight = isWrite ? last.includes(end) : last.endsWith(` ${end}`);
        if (!isRight || initialSeats !== vector.initialSeats || initialSeats > maximumSeats)
          wrong.push(`${id}: ${last}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

interface Recorded {
  readonly id: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
}

describe("priceRequest tells where price and work differ", () => {
  const facts = { objects: 10_000, size: 10_000 };
  const gaps = (...args: Parameters<typeof price>) => price(...args).gaps.join(" ");

  it("a limit that is passed over", () => {
    const { initialSeats, serving } = price("1.34", "resourceVersion=0&limit=10", facts);
    expect([initialSeats, serving?.received.objects]).toEqual([1, 10_000]);
    expect(gaps("1.34", "resourceVersion=0&limit=10", facts)).toMatch(
      /by its limit, which is then passed over/,
    );
  });

  it("a page priced for the whole, a namespace priced like the cluster", () => {
    expect(gaps("1.31", "limit=100", facts)).toMatch(/whole collection/);
    expect(gaps("1.34", "", { ...facts, path: "/api/v1/namespaces/a/pods" })).toMatch(
      /like the whole cluster/,
    );
  });

  it("snapshots priced as etcd, events priced as cached", () => {
    expect(gaps("1.34", "resourceVersion=5&resourceVersionMatch=Exact", facts)).toMatch(
      /though memory serves it/,
    );
    expect(gaps("1.34", "", { ...facts, path: "/api/v1/events" })).toMatch(/though etcd is read/);
  });

  it("names without namespace, indexes, refusals", () => {
    expect(gaps("1.34", "fieldSelector=metadata.name%3Dx", facts)).toMatch(/one object, though all/);
    expect(gaps("1.34", "fieldSelector=spec.nodeName%3Dn", { ...facts, matchingObjects: 9 })).toMatch(
      /index/,
    );
    expect(gaps("1.34", "resourceVersionMatch=Exact", facts)).toMatch(/refused/);
  });

  it("and is silent where they do not", () => {
    expect(gaps("1.34", "", facts)).toBe("");
    expect(gaps("1.30", "limit=500", facts)).toBe("");
  });
});

describe("priceRequest", () => {
  it("says which requests pass APF by", () => {
    const passes = (method: string, path: string) => !price("1.34", "", { method, path }).isSubjectToFairness;
    expect(passes("POST", "/api/v1/namespaces/a/pods/x/exec")).toBe(true);
    expect(passes("GET", "/api/v1/namespaces/a/pods/x/log")).toBe(true);
    expect(passes("GET", "/api/v1/namespaces/a/services/x/proxy/y")).toBe(true);
    expect(passes("GET", "/api/v1/proxy/nodes/n")).toBe(true);
    expect(passes("GET", "/debug/pprof/heap")).toBe(true);
    expect(passes("GET", "/api/v1/watch")).toBe(true);
    expect(passes("GET", "/api/v1/namespaces/a/pods/x/status")).toBe(false);
    expect(passes("GET", "/healthz")).toBe(false);
    expect(price("1.34", "watch=1").isSubjectToFairness).toBe(true);
  });

  it("says by which version's rules it answers", () => {
    expect(price("1.99.1", "").rule.note).toMatch(/newer/);
    expect(price("1.34.2", "").rule).toMatchObject({ minor: 34, patch: 2, note: null });
  });
});

describe("figures", () => {
  it("group digits and use decimal units", () => {
    expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual([
      "0",
      "999",
      "1\u202f000",
      "1\u202f234\u202f567",
    ]);
    expect([0, 999, 999.6, 4_200, 1_500_000, 84e6, 1.5e15].map(formatBytes)).toEqual([
      "0 B",
      "999 B",
      "1 KB",
      "4.2 KB",
      "1.5 MB",
      "84 MB",
      "1.5 PB",
    ]);
  });
});
