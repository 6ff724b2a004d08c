import { describe, expect, it } from "vitest";
import { SeededRandom } from "../fairness/testing/seeded-random.ts";
import { estimateSeats, type SeatsInput } from "./estimate-seats.ts";
import { priceRequest } from "./price-request.ts";

const CASES = 3000;
const VERSIONS = [
  "1.26.3",
  "1.27.5",
  "1.28.3",
  "1.30.14",
  "1.31.14",
  "1.33.13",
  "1.34.0",
  "1.35.10",
  "1.37.2",
] as const;
const QUERIES = [
  "",
  "resourceVersion=0",
  "resourceVersion=0&limit=500",
  "limit=500",
  "limit=500&continue=tok",
  "resourceVersion=7&resourceVersionMatch=Exact",
  "resourceVersion=7&limit=20&labelSelector=a",
  "labelSelector=app%3Dweb&limit=50",
  "fieldSelector=metadata.name%3Dx",
  "fieldSelector=spec.nodeName%3Dn",
  "watch=1",
  "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "limit=abc",
] as const;
const PATHS = [
  "/api/v1/pods",
  "/api/v1/namespaces/a/pods",
  "/api/v1/events",
  "/apis/apps/v1/deployments",
] as const;

function randomInput(random: SeededRandom): SeatsInput {
  const isWrite = random.next() < 0.2;
  return {
    v: random.pick(VERSIONS),
    method: isWrite ? random.pick(["PUT", "PATCH", "DELETE"]) : "GET",
    path: isWrite ? "/api/v1/namespaces/a/pods/x" : random.pick(PATHS),
    query: isWrite ? "" : random.pick(QUERIES),
    stats: random.pick(["ok", "ok", "ok", "stale", "notfound"]),
    objects: random.integer(0, 50_000),
    size: random.integer(-1, 50_000),
    plMax: random.integer(0, 120),
    watchers: random.integer(0, 3_000),
    etcdProgress: random.next() < 0.8,
  };
}

describe("estimateSeats over seeded requests", () => {
  const random = new SeededRandom(7);
  const inputs = Array.from({ length: CASES }, () => randomInput(random));

  it("stays between 1 and the cap", () => {
    for (const input of inputs) {
      const { initialSeats, finalSeats, maximumSeats } = priceRequest(input);
      expect(initialSeats).toBeGreaterThanOrEqual(1);
      expect(Math.max(initialSeats, finalSeats)).toBeLessThanOrEqual(Math.max(1, maximumSeats));
      expect(Number.isInteger(initialSeats) && Number.isInteger(finalSeats)).toBe(true);
    }
  });

  it("never falls as the collection grows, in objects or in watchers", () => {
    for (const input of inputs) {
      const before = estimateSeats(input);
      const after = estimateSeats({
        ...input,
        objects: (input.objects ?? 0) + 1 + random.integer(0, 10_000),
        watchers: (input.watchers ?? 0) + random.integer(0, 100),
      });
      expect(after.initialSeats, JSON.stringify(input)).toBeGreaterThanOrEqual(before.initialSeats);
      expect(after.finalSeats, JSON.stringify(input)).toBeGreaterThanOrEqual(before.finalSeats);
    }
  });

  it("keeps the work of a write when its seats are capped", () => {
    for (const input of inputs) {
      const free = estimateSeats({ ...input, plMax: 0 });
      const capped = estimateSeats({ ...input, plMax: 1 });
      const work = ({ finalSeats, additionalLatencyMs }: typeof free) => finalSeats * additionalLatencyMs;
      // Nanoseconds are cut off, once for each seat.
      expect(Math.abs(work(capped) - work(free))).toBeLessThan(1e-4);
    }
  });

  it("handles at least what the client receives, wherever a LIST is served", () => {
    for (const input of inputs) {
      const { serving } = priceRequest(input);
      if (serving === null || serving.handled.objects === null || serving.received.objects === null) continue;
      expect(serving.handled.objects, JSON.stringify(input)).toBeGreaterThanOrEqual(
        Math.min(serving.received.objects, input.objects ?? 0),
      );
      expect(serving.source === "none").toBe(serving.refusal !== null);
      expect(serving.steps.length).toBeGreaterThan(0);
    }
  });
});
