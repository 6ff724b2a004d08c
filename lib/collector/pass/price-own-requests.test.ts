import { describe, expect, test } from "vitest";
import type { KnownVersion } from "../scrape-memory.ts";
import { type PricingMemory, priceOwnRequests } from "./price-own-requests.ts";

const version = (gitVersion: string, gates: KnownVersion["gates"] = null): PricingMemory["versions"] =>
  new Map([["id-api-0", { gitVersion, platform: null, gates }]]);

const collections: PricingMemory["collections"] = new Map([
  ["/pods", { objects: 20_000, objectBytes: 5000 }],
  ["apps/deployments", { objects: 300, objectBytes: 2000 }],
  ["apps/daemonsets", { objects: 300, objectBytes: null }],
]);
const sent = (...paths: readonly string[]) => paths.map((path) => ({ path, seconds: 0.5 }));
const price = (gitVersion: string, ...paths: readonly string[]) =>
  priceOwnRequests(sent(...paths), { versions: version(gitVersion), collections });

describe("what our own requests cost", () => {
  test("reads of no collection cost a seat each", () => {
    expect(
      price(
        "v1.34.2",
        "/version",
        "/metrics",
        "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
      ),
    ).toEqual({ widestSeats: 1, seatSeconds: 1.5, notPriced: 0 });
  });

  test("a page is priced by its bytes from 1.34 on, the whole collection by its objects before", () => {
    const page = "/apis/apps/v1/deployments?limit=100";
    expect(price("v1.34.2", page)).toEqual({ widestSeats: 2, seatSeconds: 1, notPriced: 0 });
    expect(price("v1.31.2", page)).toEqual({ widestSeats: 3, seatSeconds: 1.5, notPriced: 0 });
  });

  test("the widest counts, whatever else was sent", () => {
    expect(price("v1.34.2", "/version", "/api/v1/pods?resourceVersion=0", "/api/v1/pods?limit=1")).toEqual({
      widestSeats: 10,
      seatSeconds: 6,
      notPriced: 0,
    });
  });

  test("gates as the server publishes them decide", () => {
    const gates = [{ name: "SizeBasedListCostEstimate", stage: "BETA", enabled: false }];
    const versions = version("v1.34.2", gates);
    const seats = priceOwnRequests(sent("/apis/apps/v1/deployments?limit=100"), { versions, collections });
    expect(seats?.widestSeats).toBe(3);
  });
});

describe("what is not known", () => {
  test("a LIST of a collection without a count is not priced, and counted", () => {
    expect(price("v1.34.2", "/apis/example.io/v1/widgets?limit=500", "/version")).toEqual({
      widestSeats: 1,
      seatSeconds: 0.5,
      notPriced: 1,
    });
  });

  test("a size that is not known matters only where prices go by bytes", () => {
    const page = "/apis/apps/v1/daemonsets?limit=500";
    expect(price("v1.34.2", page)).toMatchObject({ widestSeats: 0, notPriced: 1 });
    expect(price("v1.31.2", page)).toMatchObject({ widestSeats: 3, notPriced: 0 });
  });

  test("without a version nothing is", () => {
    expect(priceOwnRequests(sent("/version"), { versions: new Map(), collections })).toBeNull();
    expect(price("unversioned", "/version")).toBeNull();
  });

  test("an attempt that sent nothing held no seat", () => {
    expect(price("v1.34.2")).toEqual({ widestSeats: 0, seatSeconds: 0, notPriced: 0 });
  });
});
