import { describe, expect, it } from "vitest";
import { CLIENT_GO_MINORS, clientGoRules } from "./client-go.ts";
import { type INFORMER_CLIENTS, informerClient } from "./clients.ts";
import { persistentFailureRate } from "./failure-rate.ts";
import { toQueryString } from "./reflector-request.ts";
import { REFLECTOR_SITUATIONS, reflectorRequests } from "./situations.ts";

describe("clientGoRules", () => {
  it("reads a version of client-go and of Kubernetes alike", () => {
    expect(clientGoRules("v0.34.1")).toEqual(clientGoRules("1.34.1"));
    expect(clientGoRules("0.38.0").version).toMatchObject({ minor: 37, isClamped: true });
    expect(clientGoRules("0.20").version.note).toMatch(/older/);
    expect(() => clientGoRules("latest")).toThrow(RangeError);
  });

  it("turns WatchListClient on from 1.35", () => {
    const on = CLIENT_GO_MINORS.filter((minor) => clientGoRules(`0.${minor}`).watchListDefault);
    expect(on).toEqual([35, 36, 37]);
    expect([26, 27, 28, 30, 31].map((minor) => clientGoRules(`0.${minor}`).watchListSwitch)).toEqual([
      "none",
      "field",
      "environment",
      "environment",
      "gate",
    ]);
  });
});

describe("informerClient", () => {
  it("knows the client-go inside controller-runtime, and when its limit went", () => {
    expect(informerClient("controller-runtime", "v0.20.4")).toMatchObject({
      rate: { qps: 20, burst: 30 },
      cacheSyncTimeoutSeconds: 120,
    });
    const recent = informerClient("controller-runtime", "v0.23.1");
    expect(recent).toMatchObject({ rate: null, watchListDefault: true });
    expect(recent.rules.version.minor).toBe(35);
    expect(() => informerClient("controller-runtime", "1.34")).toThrow(/controller-runtime/);
  });

  it("knows the defaults of components", () => {
    const rate = (name: (typeof INFORMER_CLIENTS)[number], v: string) => informerClient(name, v).rate;
    expect(rate("kubelet", "1.26")).toEqual({ qps: 5, burst: 10 });
    expect(rate("kubelet", "1.27")).toEqual({ qps: 50, burst: 100 });
    expect(rate("client-go", "0.34")).toEqual({ qps: 5, burst: 10 });
    expect(rate("kube-proxy", "1.34")).toEqual({ qps: 5, burst: 10 });
    expect(rate("kube-scheduler", "1.34")).toEqual({ qps: 50, burst: 100 });
    expect(rate("kube-controller-manager", "1.34")).toEqual({ qps: 20, burst: 30 });
    const watchList = [31, 32, 33, 34, 35].map(
      (minor) => informerClient("kube-controller-manager", `1.${minor}`).watchListDefault,
    );
    expect(watchList).toEqual([false, true, false, true, true]);
  });
});

describe("persistentFailureRate", () => {
  const rate = (v: string, retryAfterSeconds: number | null, isFollowedByList = false) =>
    persistentFailureRate(clientGoRules(v), { retryAfterSeconds, isFollowedByList });

  it("is 1/45 and 11/(10 R + 45) up to 1.35", () => {
    expect(rate("1.35", null)).toBeCloseTo(1 / 45, 12);
    expect(rate("1.30", 1)).toBeCloseTo(11 / 55, 12);
    expect(rate("1.30", null, true)).toBeCloseTo(2 / 45, 12);
  });

  it("is higher than that formula where the attempts alone take two minutes: back-off begins anew each time", () => {
    expect(rate("1.30", 32)).toBeCloseTo(11 / (320 + 1.2), 12);
    expect(rate("1.30", 32)).toBeGreaterThan(11 / (320 + 45));
  });

  it("is more than twice as high from 1.36 on", () => {
    expect(rate("1.36", null)).toBeCloseTo(7 / 120.6, 3);
    expect(rate("1.36", 1) / rate("1.35", 1)).toBeGreaterThan(2);
  });
});

describe("reflectorRequests", () => {
  const texts = (situation: (typeof REFLECTOR_SITUATIONS)[number], version: string) =>
    reflectorRequests(informerClient("client-go", version), situation).requests.map(({ query }) =>
      toQueryString(query).replace(/timeoutSeconds=\d+/, "timeoutSeconds=N"),
    );

  it("starts with a LIST and a WATCH up to 1.34, with one stream from 1.35", () => {
    expect(texts("start", "1.34")).toEqual([
      "limit=500&resourceVersion=0",
      "allowWatchBookmarks=true&resourceVersion=100&timeoutSeconds=N&watch=true",
    ]);
    expect(texts("start", "1.35")).toEqual([
      "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true",
    ]);
    expect(texts("start-without-server-watch-list", "1.35")).toHaveLength(3);
  });

  it("has requests and a title for every situation and version", () => {
    for (const situation of REFLECTOR_SITUATIONS) {
      for (const minor of CLIENT_GO_MINORS) {
        const { title, requests } = reflectorRequests(informerClient("client-go", `0.${minor}`), situation);
        expect(title).not.toBe("");
        expect(requests.length).toBeGreaterThan(0);
      }
    }
  });

  it("shows the pages of a resource without cache", () => {
    expect(texts("start-paged", "1.34").slice(0, 3)).toEqual([
      "limit=500&resourceVersion=0",
      "continue=page-2&limit=500",
      "continue=page-3&limit=500",
    ]);
  });
});
