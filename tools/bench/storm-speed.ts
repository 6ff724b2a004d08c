/** The simulation of storms in `lib/domain/storm`: what one takes at 5,000 copies, per request with retries, and how that grows. */
import { stormBands } from "../../lib/domain/storm/bands.ts";
import { simulateStorm } from "../../lib/domain/storm/simulate-storm.ts";
import type { StormInput } from "../../lib/domain/storm/storm-input.ts";
import type { StormResult } from "../../lib/domain/storm/storm-result.ts";
import {
  makeAgent,
  makeCluster,
  makeCollection,
  makeInformer,
  makeServer,
  makeStorm,
} from "../../lib/domain/storm/testing/make-storm.ts";
import { runBench } from "./support/clean-up.ts";
import { median } from "./support/figure.ts";
import { progress, report } from "./support/report.ts";

const COPIES = 5000;
const RUNS = 9;
const WARM_UPS = 6;
const SIZES = [1000, 10_000, 100_000] as const;
const MICROSECONDS = 1e6;

interface Timed {
  readonly cpuSeconds: number;
  readonly result: StormResult;
}

await runBench(async () => {
  const first = time(quietStorm(COPIES));
  for (let run = 0; run < WARM_UPS; run++) time(quietStorm(COPIES));
  const quiet = Array.from({ length: RUNS }, () => time(quietStorm(COPIES)));
  const { totals } = first.result;
  if (totals.rejectedAll !== 0 || totals.requests !== 6 * COPIES)
    throw new Error("the quiet storm is not quiet");
  const seconds = median(quiet.map(({ cpuSeconds }) => cpuSeconds));
  progress(`quiet: ${totals.requests} requests in ${(1000 * seconds).toFixed(0)} ms`);

  const busy = Array.from({ length: 3 }, () => time(busyStorm()));
  const busyTotals = busy[0]?.result.totals;
  const busySeconds = median(busy.map(({ cpuSeconds }) => cpuSeconds));
  if (busyTotals === undefined || busyTotals.requests < 5 * busyTotals.copies)
    throw new Error("the busy storm does not retry five times");
  const perRequest = (MICROSECONDS * busySeconds) / busyTotals.requests;
  progress(`busy: ${busyTotals.requests} requests, ${perRequest.toFixed(2)} µs each`);

  const growth = SIZES.map((copies) => {
    const runs = Array.from(
      { length: copies > 50_000 ? 3 : RUNS },
      () => time(quietStorm(copies)).cpuSeconds,
    );
    return median(runs) / (copies * Math.log2(copies));
  });
  const [small = Number.NaN, , large = Number.NaN] = growth;

  const startedAt = process.cpuUsage();
  const bands = stormBands(
    smallStorm(),
    Array.from({ length: 200 }, (_, seed) => seed),
  );
  const bandSeconds = process.cpuUsage(startedAt).user / MICROSECONDS;
  report(
    [
      {
        what: "5,000 copies × 3 resources, nobody rejected, CPU (median)",
        value: 1000 * seconds,
        unit: "milliseconds",
        aim: 100,
      },
      {
        what: "the same, the first of the process",
        value: 1000 * first.cpuSeconds,
        unit: "milliseconds",
        aim: null,
      },
      { what: "its requests", value: totals.requests, unit: "count", aim: null },
      { what: "with retries: CPU per request, µs", value: perRequest, unit: "ratio", aim: 10 },
      { what: "its requests", value: busyTotals.requests, unit: "count", aim: null },
      {
        what: "its requests ÷ LISTs and WATCHes that were needed",
        value: busyTotals.requests / (2 * busyTotals.copies),
        unit: "ratio",
        aim: null,
      },
      {
        what: "cost per n log n, at 100,000 copies over at 1,000",
        value: large / small,
        unit: "ratio",
        aim: 2,
      },
      { what: "200 seeds of a storm of 300 copies, CPU", value: bandSeconds, unit: "seconds", aim: null },
    ],
    [
      `${totals.events} events for ${totals.requests} requests, ${busyTotals.events} for ${busyTotals.requests}; ${bands.figures.requests?.p50} requests in a storm of the bands, which drains in ${bands.figures.drainSeconds?.p5.toFixed(1)} to ${bands.figures.drainSeconds?.p95.toFixed(1)} s`,
    ],
  );
});

function time(input: StormInput): Timed {
  const before = process.cpuUsage();
  const result = simulateStorm(input);
  return { cpuSeconds: process.cpuUsage(before).user / MICROSECONDS, result };
}

/** Three small resources, API servers with seats for everybody, starts at 250 a second. */
function quietStorm(copies: number): StormInput {
  const collections = [
    makeCollection({ resource: "nodes", objects: 100, storedBytes: 600_000 }),
    makeCollection({ objects: 100 }),
    makeCollection({ resource: "services", objects: 100, storedBytes: 200_000 }),
  ];
  const informers = ["nodes", "pods", "services"].map((resource) => makeInformer({ resource }));
  return makeStorm({
    cluster: makeCluster({
      collections,
      servers: [makeServer({ cores: 64, totalConcurrencySeats: 60_000 })],
    }),
    agents: [makeAgent({ replicas: copies, informers })],
    scenario: { kind: "start-all", windowSeconds: copies / 250 },
    hasProbes: false,
  });
}

/** 20,000 copies ask eight cores for 2,000 pods: most requests are rejected and come again. */
function busyStorm(): StormInput {
  return makeStorm({
    cluster: makeCluster({
      collections: [makeCollection({ objects: 2000 })],
      servers: [makeServer({ cores: 8 })],
    }),
    agents: [makeAgent({ replicas: 20_000 })],
    hasProbes: false,
  });
}

function smallStorm(): StormInput {
  return makeStorm({
    cluster: makeCluster({
      collections: [makeCollection({ objects: 5000 })],
      servers: [makeServer({ cores: 4 })],
    }),
    agents: [makeAgent({ replicas: 300 })],
  });
}
