import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import {
  estimateListSeats,
  estimateMutatingSeats,
  estimateWatchSeats,
  type ListSeatsInput,
  type MutatingSeatsInput,
  type SeatEstimate,
} from "./estimate-seats.ts";

interface Outputs {
  readonly id: string;
  readonly example?: string;
  readonly requestInfo: Readonly<Record<string, string>>;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
}

function differences<Input>(
  vectors: readonly (Input & Outputs)[],
  estimate: (input: Input) => SeatEstimate,
): string[] {
  return vectors.flatMap((vector) => {
    const found = estimate(vector);
    const info = new Map<string, unknown>(Object.entries(found.requestInfo));
    const wrong = [
      ...(["initialSeats", "finalSeats", "additionalLatencyMs"] as const)
        .filter((field) => found[field] !== vector[field])
        .map((field) => `${field} ${found[field]}, recorded ${vector[field]}`),
      ...Object.entries(vector.requestInfo)
        .filter(([field, value]) => info.get(field) !== value)
        .map(([field, value]) => `${field} ${String(info.get(field))}, recorded ${value}`),
    ];
    return wrong.map((text) => `${vector.id}: ${text}`);
  });
}

describe("recorded seats", () => {
  it("agree for all 5399 LISTs and requests of a flat seat", () => {
    const { vectors } = readVectors<ListSeatsInput & Outputs>("seats-list.json.gz");
    expect(vectors).toHaveLength(5399);
    expect(differences(vectors, estimateListSeats)).toEqual([]);
  });

  it("agree for all 1941 watches", () => {
    const { vectors } = readVectors<ListSeatsInput & Outputs>("seats-watch.json");
    expect(vectors).toHaveLength(1941);
    expect(differences(vectors, estimateWatchSeats)).toEqual([]);
  });

  it("agree for all 1962 mutating requests", () => {
    const { vectors } = readVectors<MutatingSeatsInput & Outputs>("seats-mutating.json");
    expect(vectors).toHaveLength(1962);
    expect(differences(vectors, estimateMutatingSeats)).toEqual([]);
  });

  it("carry the worked examples of the versions they were recorded from", () => {
    const { vectors } = readVectors<ListSeatsInput & Outputs>("seats-list.json.gz");
    const watches = readVectors<ListSeatsInput & Outputs>("seats-watch.json").vectors;
    const examples = new Set([...vectors, ...watches].map(({ example }) => example));
    expect(examples.size).toBeGreaterThan(40);
  });
});

describe("worked examples of the count formula", () => {
  const seats = (v: string, query: string, input: Partial<ListSeatsInput> = {}) =>
    estimateListSeats({ v, method: "GET", path: "/api/v1/pods", query, plMax: 10, ...input }).initialSeats;
  const COUNTED = ["1.26.3", "1.27.3", "1.28.3", "1.29.6", "1.30.14", "1.31.14", "1.32.13", "1.33.13"];

  it.each([
    ["C1", COUNTED, "resourceVersion=0", 50, 1],
    ["C2", COUNTED, "resourceVersion=0", 900, 9],
    ["C3", COUNTED, "resourceVersion=0", 901, 10],
    ["C4", COUNTED, "resourceVersion=0&limit=100", 10_000, 10],
    ["C5", ["1.30.14"], "", 300, 6],
    ["C6", ["1.31.14"], "", 300, 3],
    ["C7", ["1.30.14"], "limit=500", 10_000, 10],
    ["C8", ["1.30.14"], "limit=100", 10_000, 2],
    ["C9", ["1.31.14"], "limit=100", 10_000, 10],
    ["C10", ["1.30.14"], "limit=50&labelSelector=app%3Da", 500, 6],
    ["C11", ["1.31.14"], "limit=50&labelSelector=app%3Da", 500, 5],
    ["C12", ["1.33.13"], "continue=tok&limit=500", 10_000, 10],
    ["C13", ["1.33.13"], "continue=tok&limit=100", 10_000, 2],
    ["C14", ["1.31.14"], "resourceVersion=123&limit=100", 10_000, 2],
    ["C15", ["1.30.14"], "resourceVersion=123&resourceVersionMatch=NotOlderThan&limit=100", 10_000, 2],
    ["C15", ["1.31.14"], "resourceVersion=123&resourceVersionMatch=NotOlderThan&limit=100", 10_000, 10],
    ["C16", ["1.26.3", "1.24.0"], "fieldSelector=metadata.name%3Dx", 10_000, 1],
    ["C21", COUNTED, "resourceVersion=0", 0, 1],
    ["C23", ["1.26.3", "1.28.3", "1.30.14"], "", 51, 2],
  ] as const)("%s in %j", (_, versions, query, objects, expected) => {
    for (const v of versions) expect(seats(v, query, { objects })).toBe(expected);
  });

  it("C17: what is not tracked costs 1 seat", () => {
    expect(seats("1.24", "", { stats: "notfound" })).toBe(1);
    expect(seats("1.26", "")).toBe(1);
  });

  it("C18: a stale count costs the maximum", () => {
    expect(seats("1.33.13", "resourceVersion=0", { stats: "stale", objects: 1 })).toBe(10);
  });

  it("C19: a level caps the price from 1.28 on, and not in 1.26.0", () => {
    expect(seats("1.26.0", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(10);
    expect(seats("1.28.0", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(8);
    expect(seats("1.27.4", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(10);
    expect(seats("1.27.5", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(8);
    expect(seats("1.26.7", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(10);
    expect(seats("1.26.8", "resourceVersion=0", { objects: 10_000, plMax: 8 })).toBe(8);
  });

  it("C20: leader-election caps at 4", () => {
    expect(seats("1.28.3", "resourceVersion=0", { objects: 10_000, plMax: 4 })).toBe(4);
  });

  it("C22: without progress requests of etcd a consistent LIST is priced as read from etcd", () => {
    expect(seats("1.31.14", "", { objects: 300, etcdProgress: false })).toBe(6);
  });

  it("C24, C25: a watch with initial events is priced where the gate is on", () => {
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    expect(seats("1.32.13", query, { objects: 300 })).toBe(3);
    expect(seats("1.31.14", query, { objects: 300 })).toBe(1);
    expect(seats("1.33.13", query, { objects: 300 })).toBe(1);
    expect(seats("1.31.14", query, { objects: 300, gates: { WatchList: true } })).toBe(3);
  });
});

describe("worked examples of the size formula", () => {
  const seats = (query: string, input: Partial<ListSeatsInput>, path = "/api/v1/pods") =>
    ["1.34.13", "1.35.10", "1.36.6", "1.37.2"].map(
      (v) => estimateListSeats({ v, method: "GET", path, query, plMax: 37, ...input }).initialSeats,
    );
  const all = (expected: number) => [expected, expected, expected, expected];
  const NAME = "fieldSelector=metadata.name%3Dx";
  const EXACT = "resourceVersion=5&resourceVersionMatch=Exact";

  it.each([
    ["S1", "resourceVersion=0", 10_000, 10_000, 37, 10],
    ["S2", "resourceVersion=0&limit=500", 10_000, 10_000, 37, 10],
    ["S3", "resourceVersion=0&limit=10", 10_000, 10_000, 37, 1],
    ["S4", "resourceVersion=0&limit=11", 10_000, 10_000, 37, 2],
    ["S5", "", 100, 2_000, 37, 2],
    ["S6", "", 99, 1_000, 37, 1],
    ["S6", "", 101, 1_000, 37, 2],
    ["S7", "", 5_000, 2_000, 8, 8],
    ["S8", "continue=t&limit=500", 10_000, 10_000, 37, 37],
    ["S9", "continue=t&limit=100", 10_000, 2_000, 37, 2],
    ["S10", "continue=t&limit=10&labelSelector=a", 2_000, 1_000, 37, 10],
    ["S11", EXACT, 10_000, 10_000, 100, 100],
    ["S12", "resourceVersion=5&limit=50", 10_000, 10_000, 37, 5],
    ["S13", "", 0, 0, 37, 1],
    ["S21", NAME, 10_000, 2_000, 37, 1],
    ["S21", NAME, 10_000, 250_000, 37, 3],
    ["S23", "resourceVersion=0", 400, 1_000_000, 37, 10],
    ["S24", EXACT, 400, 1_000_000, 100, 100],
    ["S26", "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 10_000, 10_000, 37, 10],
    ["S29", "watch=1&resourceVersion=123", 10_000, 10_000, 37, 1],
  ] as const)("%s", (_, query, objects, size, plMax, expected) => {
    expect(seats(query, { objects, size, plMax })).toEqual(all(expected));
  });

  it("S14, S15, S16: events have no size, which stands for 1.5 MB", () => {
    const events = "/api/v1/events";
    expect(seats("", { objects: 5_000 }, events)).toEqual(all(10));
    expect(seats("", { objects: 5_000, size: 0, plMax: 8 }, events)).toEqual(all(8));
    expect(seats("continue=t&limit=500", { objects: 5_000, size: -1 }, events)).toEqual(all(37));
    expect(seats("continue=t", { objects: 1, size: null }, events)).toEqual(all(15));
  });

  it("S17 to S20: a stale count stands for a huge collection", () => {
    const stats = "stale";
    expect(seats("resourceVersion=0", { stats })).toEqual(all(10));
    expect(seats("continue=t&limit=500", { stats })).toEqual(all(37));
    expect(seats("continue=t&limit=1", { stats })).toEqual(all(15));
    expect(seats(NAME, { stats })).toEqual(all(10));
    expect(seats(`${NAME}&${EXACT}`, { stats })).toEqual(all(15));
  });

  it("S22: an aggregated API is not tracked", () => {
    expect(seats("", {}, "/apis/metrics.k8s.io/v1beta1/pods")).toEqual(all(1));
  });

  it("S25: without the gate objects are counted and 10 seats are the limit", () => {
    const gates = { SizeBasedListCostEstimate: false };
    expect(seats("resourceVersion=0", { objects: 10_000, size: 10_000, gates })).toEqual(all(10));
    expect(seats("continue=t", { objects: 10_000, size: 10_000, gates, plMax: 0 })).toEqual(all(10));
  });

  it("S27, S28: watches from the beginning are priced from 1.35 on", () => {
    const facts = { objects: 10_000, size: 10_000 };
    for (const query of [
      "watch=1&resourceVersion=0",
      "watch=1",
      "watch=1&resourceVersion=0&sendInitialEvents=false",
    ]) {
      expect(seats(query, facts)).toEqual([1, 10, 10, 10]);
    }
  });

  it("S30: a LIST of one namespace is priced like the whole collection", () => {
    const facts = { objects: 10_000, size: 10_000 };
    expect(seats("resourceVersion=0", facts, "/api/v1/namespaces/a/pods")).toEqual(all(10));
  });
});

describe("worked examples of mutating requests", () => {
  const estimate = (watchers: number, plMax: number, path = "/api/v1/namespaces/a/pods/x") => {
    const { initialSeats, finalSeats, additionalLatencyMs } = estimateMutatingSeats({
      v: "1.34.13",
      method: "PUT",
      path,
      watchers,
      plMax,
    });
    return [initialSeats, finalSeats, additionalLatencyMs];
  };

  it.each([
    [0, [1, 0, 0], [1, 0, 0]],
    [9, [1, 0, 0], [1, 0, 0]],
    [10, [1, 1, 5], [1, 1, 5]],
    [11, [1, 2, 5], [1, 2, 5]],
    [95, [1, 10, 5], [1, 4, 12.5]],
    [101, [1, 10, 5.5], [1, 4, 13.75]],
    [1000, [1, 10, 50], [1, 4, 125]],
    [5000, [1, 10, 250], [1, 4, 625]],
  ])("%i watchers", (watchers, wide, narrow) => {
    expect(estimate(watchers, 10)).toEqual(wide);
    expect(estimate(watchers, 4)).toEqual(narrow);
  });

  it("token requests and deletions of collections cost 1 seat", () => {
    expect(estimate(5000, 10, "/api/v1/namespaces/a/serviceaccounts/s/token")).toEqual([1, 0, 0]);
    const { requestInfo, finalSeats } = estimateMutatingSeats({
      v: "1.34",
      method: "DELETE",
      path: "/api/v1/pods",
      watchers: 5000,
    });
    expect([requestInfo.verb, finalSeats]).toEqual(["deletecollection", 0]);
  });
});

describe("estimates of versions outside the known ones", () => {
  it("are those of the nearest known", () => {
    const input = {
      method: "GET",
      path: "/api/v1/pods",
      query: "",
      objects: 10_000,
      size: 10_000,
      plMax: 37,
    };
    expect(estimateListSeats({ ...input, v: "1.20.0" })).toEqual(
      estimateListSeats({ ...input, v: "1.26.0" }),
    );
    expect(estimateListSeats({ ...input, v: "1.99.0" })).toEqual(estimateListSeats({ ...input, v: "1.37" }));
    expect(() => estimateListSeats({ ...input, v: "new" })).toThrow(RangeError);
  });

  it("stay the same however many versions were asked for before", () => {
    const input = { method: "GET", path: "/api/v1/pods", query: "", objects: 300 };
    for (let patch = 0; patch < 200; patch++) {
      expect(estimateListSeats({ ...input, v: `1.30.${patch}` }).initialSeats).toBe(6);
      expect(estimateListSeats({ ...input, v: `1.31.${patch}` }).initialSeats).toBe(3);
    }
  });
});
