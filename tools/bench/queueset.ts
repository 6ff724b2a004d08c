/** The queue set of `lib/domain/fairness`: request lifecycles per second on one core, growth of cost and memory. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { QueueSetReplay, type RequestScript } from "../../lib/domain/fairness/queueset/replay.ts";
import { Flow } from "../../lib/domain/fairness/queueset/request.ts";
import { SeededRandom } from "../../lib/domain/fairness/testing/seeded-random.ts";
import { runBench } from "./support/clean-up.ts";
import { median } from "./support/figure.ts";
import { progress, report } from "./support/report.ts";

/** workload-low of a default server: 128 queues, hands of 6, nominal limit. */
const CONFIG = { queues: 128, handSize: 6, queueLengthLimit: 50, concurrencyLimit: 245 };
const FLOWS = 200;
const WIDEST = 5;
const MEAN_SERVICE_NS = 50_000_000;
const WAIT_LIMIT_NS = 15_000_000_000;
/** Share of the limit that the requests ask for on average: most of them wait, hardly one is rejected. */
const LOAD_RATIO = 0.97;
const SIZES = [10_000, 100_000, 1_000_000] as const;
const RUNS = 5;
/** Aim: 300,000 lifecycles per second. */
const AIM_SECONDS_PER_MILLION = 1_000_000 / 300_000;

await runBench(async () => {
  play(makeScript(50_000, LOAD_RATIO), CONFIG.concurrencyLimit);
  const seconds = SIZES.map((size) => {
    const runs = Array.from({ length: RUNS }, () => {
      const script = makeScript(size, LOAD_RATIO);
      const startedAt = performance.now();
      play(script, CONFIG.concurrencyLimit);
      return (performance.now() - startedAt) / 1000;
    });
    const middle = median(runs);
    progress(`${size} requests: ${middle.toFixed(3)} s, ${Math.round(size / middle)} lifecycles per second`);
    return middle;
  });
  const [small = Number.NaN, medium = Number.NaN, large = Number.NaN] = seconds;
  const perUnit = (cost: number, size: number) => cost / (size * Math.log2(size));
  const bytes = [100_000, 1_000_000].map((size) => bytesPerWaiting(size));
  report(
    [
      {
        what: "1,000,000 lifecycles, one core (median)",
        value: large,
        unit: "seconds",
        aim: AIM_SECONDS_PER_MILLION,
      },
      { what: "100,000 lifecycles", value: medium, unit: "seconds", aim: AIM_SECONDS_PER_MILLION / 10 },
      { what: "10,000 lifecycles", value: small, unit: "seconds", aim: AIM_SECONDS_PER_MILLION / 100 },
      {
        what: "cost per n log n, at 1,000,000 over at 10,000",
        value: perUnit(large, 1_000_000) / perUnit(small, 10_000),
        unit: "ratio",
        aim: 1,
      },
      {
        what: "memory of a waiting request, at 1,000,000 over at 100,000",
        value: (bytes[1] ?? Number.NaN) / (bytes[0] ?? Number.NaN),
        unit: "ratio",
        aim: 1.2,
      },
    ],
    [
      `${Math.round(1_000_000 / large)} lifecycles per second at 1,000,000, ${Math.round(100_000 / medium)} at 100,000, ${Math.round(10_000 / small)} at 10,000; ${Math.round(bytes[1] ?? 0)} bytes for each waiting request`,
    ],
  );
});

/** Requests of many flows at random times; equal sizes and loads give equal scripts. Load 0: all come at once. */
function makeScript(count: number, loadRatio: number): RequestScript {
  const random = new SeededRandom(42);
  const flows = Array.from(
    { length: FLOWS },
    (_, flow) => new Flow("service-accounts", `system:serviceaccount:ns-${flow}:default`),
  );
  const estimates = Array.from({ length: WIDEST }, (_, seats) => ({
    initialSeats: seats + 1,
    finalSeats: 0,
    additionalLatencyNs: 0,
  }));
  const meanSeats = (1 + WIDEST) / 2;
  const gapNs = (meanSeats * MEAN_SERVICE_NS) / (CONFIG.concurrencyLimit * loadRatio);
  const arrivals = new Float64Array(count);
  const services = new Float64Array(count);
  const flowNumbers = new Uint8Array(count);
  const widths = new Uint8Array(count);
  let nowNs = 0;
  for (let request = 0; request < count; request++) {
    nowNs += loadRatio === 0 ? 0 : Math.round(random.exponential(gapNs));
    arrivals[request] = nowNs;
    services[request] = Math.round(random.exponential(MEAN_SERVICE_NS));
    flowNumbers[request] = random.integer(0, FLOWS - 1);
    widths[request] = random.integer(0, WIDEST - 1);
  }
  return {
    count,
    arrivalNs: (request) => arrivals[request] ?? 0,
    flow: (request) => flows[flowNumbers[request] ?? 0] ?? new Flow("", ""),
    estimate: (request) =>
      estimates[widths[request] ?? 0] ?? { initialSeats: 1, finalSeats: 0, additionalLatencyNs: 0 },
    serviceNs: (request) => services[request] ?? 0,
    waitLimitNs: () => WAIT_LIMIT_NS,
    givesUpAtNs: () => Number.POSITIVE_INFINITY,
  };
}

/** Plays a script to its end; throws unless every request had its outcome. */
function play(requests: RequestScript, concurrencyLimit: number): void {
  let outcomes = 0;
  const replay = new QueueSetReplay({
    config: { ...CONFIG, concurrencyLimit },
    changes: [],
    requests,
    observer: { onOutcome: () => outcomes++ },
  });
  replay.runUntil(Number.MAX_SAFE_INTEGER);
  if (outcomes !== requests.count) throw new Error(`${outcomes} outcomes for ${requests.count} requests`);
}

/** Heap that each of `count` requests takes while all of them wait at once. */
function bytesPerWaiting(count: number): number {
  const requests = makeScript(count, 0);
  const before = usedHeapBytes();
  const replay = new QueueSetReplay({
    config: { ...CONFIG, queueLengthLimit: count, concurrencyLimit: 1 },
    changes: [],
    requests,
    observer: {},
  });
  while (replay.arrivals < count) replay.step();
  const used = usedHeapBytes() - before;
  const { waitingRequests } = replay.queueSet;
  if (waitingRequests < count - WIDEST) throw new Error(`only ${waitingRequests} of ${count} requests wait`);
  return used / count;
}

function usedHeapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage: unknown = runInNewContext("gc");
  if (typeof collectGarbage === "function") collectGarbage();
  return process.memoryUsage().heapUsed;
}
