import { describe, expect, test } from "vitest";
import { advanceRates, histogramQuantile, type RateMemory } from "./rates.ts";
import { createServerMetricsReducer, type ServerMetrics } from "./server-metrics.ts";

const LEVEL = { priority_level: "workload-low", flow_schema: "service-accounts" };

/** A page at `seconds` with the counters given. */
function page(
  seconds: number,
  figures: {
    start?: number;
    requests?: number;
    rejected?: number;
    waits?: readonly (readonly [string, number])[];
  } = {},
): ServerMetrics {
  const reducer = createServerMetricsReducer();
  const take = (name: string, labels: Record<string, string>, value: number) =>
    reducer.take({ name, labels, value });
  take("process_start_time_seconds", {}, figures.start ?? 100.25);
  if (figures.requests !== undefined) take("apiserver_request_total", { verb: "GET" }, figures.requests);
  take("apiserver_flowcontrol_dispatched_requests_total", LEVEL, figures.requests ?? 0);
  if (figures.rejected !== undefined) {
    take(
      "apiserver_flowcontrol_rejected_requests_total",
      { ...LEVEL, reason: "queue-full" },
      figures.rejected,
    );
  }
  for (const [le, count] of figures.waits ?? []) {
    take("apiserver_flowcontrol_request_wait_duration_seconds_bucket", { ...LEVEL, le }, count);
  }
  return reducer.finish(seconds * 1000);
}

function run(pages: readonly ServerMetrics[]) {
  let memory: RateMemory | null = null;
  let rates = null;
  for (const one of pages) ({ memory, rates } = advanceRates(memory, one));
  return { memory, rates: rates?.levels.get("workload-low"), server: rates };
}

describe("advanceRates", () => {
  test("the first scrape has no rate at all", () => {
    const { rates, server } = run([page(1000, { requests: 5, rejected: 3, waits: [["+Inf", 3]] })]);
    expect(server?.requestsPerSecond).toBeNull();
    expect(rates).toMatchObject({ rejectedPerSecond: null, dispatchedPerSecond: null, waitP99: null });
    expect(rates?.rejectedPerSecondByReason.size).toBe(0);
  });

  test("the second scrape divides the increase by the time between", () => {
    const { rates, server } = run([
      page(1000, { requests: 100, rejected: 10 }),
      page(1030, { requests: 160, rejected: 25 }),
    ]);
    expect(server?.requestsPerSecond).toBe(2);
    expect(rates).toMatchObject({ rejectedPerSecond: 0.5, dispatchedPerSecond: 2 });
    expect(rates?.rejectedPerSecondByReason.get("queue-full")).toBe(0.5);
  });

  test("a reason that appears counts from zero; one that never occurred gives a known rate of 0", () => {
    const quiet = run([page(1000, { requests: 1 }), page(1030, { requests: 1 })]);
    expect(quiet.rates?.rejectedPerSecond).toBe(0);
    const first = run([page(1000, { requests: 1 }), page(1030, { requests: 1, rejected: 30 })]);
    expect(first.rates?.rejectedPerSecond).toBe(1);
  });

  test("rejections that were fewer than before are a rate not known, never 0", () => {
    const { rates } = run([
      page(1000, { requests: 100, rejected: 30 }),
      page(1030, { requests: 160, rejected: 25 }),
    ]);
    expect(rates?.rejectedPerSecond).toBeNull();
    expect(rates?.rejectedPerSecondByReason.size).toBe(0);
  });

  test.each([
    { title: "a later start time", start: 900.5, requests: 9999 },
    { title: "a fallen counter under the same start time", start: 100.25, requests: 2 },
  ])("$title is a restart: no rate, and the window begins anew", ({ start, requests }) => {
    const { server, memory } = run([page(1000, { requests: 100 }), page(1030, { start, requests })]);
    expect(server?.requestsPerSecond).toBeNull();
    expect(memory?.waits).toHaveLength(1);
  });

  test("a clock set by whole seconds is no restart", () => {
    const { server } = run([page(1000, { requests: 100 }), page(1030, { start: 101.25, requests: 130 })]);
    expect(server?.requestsPerSecond).toBe(1);
  });

  test("a level that waited for nobody since is remembered once, one that did anew", () => {
    const pages = [3, 3, 3, 4].map((count, i) => page(1000 + 30 * i, { waits: [["+Inf", count]] }));
    const { memory } = run(pages);
    const kept = memory?.waits.map(({ buckets }) => [...buckets.values()][0]);
    expect(kept).toHaveLength(4);
    expect(new Set(kept).size).toBe(2);
    expect(kept?.map((buckets) => buckets?.get(Number.POSITIVE_INFINITY))).toEqual([3, 3, 3, 4]);
  });

  test("the window of the wait grows to 5 minutes and stays there, at any pace", () => {
    const steady = Array.from({ length: 30 }, (_, i) => page(1000 + 30 * i, { waits: [["+Inf", i]] }));
    expect(run(steady).rates?.waitP99?.windowSeconds).toBe(300);
    const incident = Array.from({ length: 100 }, (_, i) => page(1000 + 5 * i, { waits: [["+Inf", i]] }));
    const { rates, memory } = run(incident);
    expect(rates?.waitP99?.windowSeconds).toBeGreaterThanOrEqual(300);
    expect(rates?.waitP99?.windowSeconds).toBeLessThan(330);
    expect(memory?.waits.length).toBeLessThan(15);
  });

  test("a p99 beyond the wait limit is a lower bound: no request waited as long as its bucket is wide", () => {
    const { rates } = run([
      page(1000, {
        waits: [
          ["15", 0],
          ["30", 0],
          ["+Inf", 0],
        ],
      }),
      page(1030, {
        waits: [
          ["15", 10],
          ["30", 100],
          ["+Inf", 100],
        ],
      }),
    ]);
    expect(rates?.waitP99).toEqual({ seconds: 15, isAtLeast: true, windowSeconds: 30 });
  });

  test("p99 is taken over the increase in the window, not over the life of the server", () => {
    const { rates } = run([
      page(1000, {
        waits: [
          ["1", 1_000_000],
          ["2", 1_000_000],
          ["+Inf", 1_000_000],
        ],
      }),
      page(1030, {
        waits: [
          ["1", 1_000_000],
          ["2", 1_000_100],
          ["+Inf", 1_000_100],
        ],
      }),
    ]);
    expect(rates?.waitP99).toEqual({ seconds: 1.99, isAtLeast: false, windowSeconds: 30 });
  });
});

describe("histogramQuantile", () => {
  const increase = (...pairs: readonly (readonly [number, number])[]) => new Map(pairs);
  test.each([
    { title: "nothing observed", buckets: increase([1, 0], [Infinity, 0]), expected: null },
    { title: "no buckets", buckets: increase(), expected: null },
    {
      title: "all in the first bucket",
      buckets: increase([1, 100], [Infinity, 100]),
      expected: { value: 0.99, isAtLeast: false },
    },
    {
      title: "in the open bucket: a lower bound",
      buckets: increase([1, 10], [30, 10], [Infinity, 100]),
      expected: { value: 30, isAtLeast: true },
    },
    {
      title: "buckets in any order",
      buckets: increase([Infinity, 100], [2, 100], [1, 98]),
      expected: { value: 1.5, isAtLeast: false },
    },
    {
      title: "a bucket with the bound 0",
      buckets: increase([0, 100], [Infinity, 100]),
      expected: { value: 0, isAtLeast: false },
    },
  ])("$title", ({ buckets, expected }) => {
    expect(histogramQuantile(0.99, buckets)).toEqual(expected);
  });
});
