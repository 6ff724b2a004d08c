import { ruleVersion } from "../../kubernetes/version.ts";
import type { QueueSetConfig } from "./queue-set-config.ts";
import { type QueueSetObserver, QueueSetReplay, type RequestOutcome, type RequestScript } from "./replay.ts";
import { Flow } from "./request.ts";

/** [arrival us, flow index, initial seats, final seats, additional latency us, service us, wait limit us, gives up at us] */
export type RequestRow = readonly [number, number, number, number, number, number, number, number];

/** A scenario in the fields of the vector set `queueset`. Times are whole microseconds. */
export interface QueueSetInput {
  /** Kubernetes version; absent: the rules of 1.28.5 and later. */
  readonly v?: string | undefined;
  /** `queues` 0: a Reject level, -1: exempt. */
  readonly config: QueueSetConfig;
  /** In order of time: [at us, queues, handSize, queueLengthLimit, concurrencyLimit]. */
  readonly changes: readonly (readonly [number, number, number, number, number])[];
  /** [FlowSchema name, flow distinguisher] */
  readonly flows: readonly (readonly [string, string])[];
  /** In order of arrival. Wait limit 0: none; gives up at -1: never. */
  readonly requests: readonly RequestRow[];
}

/**
 * E executed; F `queue-full`; L `concurrency-limit`; T waited too long (`time-out`); C the client left the queue; W it
 * waits for ever: nothing that could start or end it is left in the script.
 */
export type OutcomeLetter = "E" | "F" | "L" | "T" | "C" | "W";

/** [outcome, dispatch us, finish us, release us, index of the queue it joined]; -1 where it does not apply. */
export type OutcomeRow = readonly [OutcomeLetter, number, number, number, number];

export interface QueueSetAnswer {
  /** One per request, in their order. Fractions of a microsecond are whole nanoseconds. */
  readonly outcomes: readonly OutcomeRow[];
  readonly totals: {
    /** Highest values seen after an event. */
    readonly peakSeats: number;
    readonly peakWaiting: number;
    readonly peakQueueLen: number;
    /** Virtual time at the end in units of 10⁻⁸ seat-seconds, a decimal integer. */
    readonly r: string;
    /** What is still counted as waiting, see `QueueSet.waitingSeats`. */
    readonly seatsWaitingEnd: number;
    readonly seatsInUseEnd: number;
    /** Time of the last event in microseconds. */
    readonly end: number;
    /** Seat demand from 0 to `end`; `null` where `end` is 0. */
    readonly demandAvg: number | null;
    readonly demandDev: number | null;
    readonly demandMax: number;
  };
  /**
   * Where upstream's own code would panic when it plays this (a level's queues are reduced while requests linger), and
   * what follows is nobody's; else `null`.
   */
  readonly crash: { readonly atUs: number; readonly reason: string } | null;
}

const LETTERS: Readonly<Record<RequestOutcome, OutcomeLetter>> = {
  executed: "E",
  "queue-full": "F",
  "concurrency-limit": "L",
  "time-out": "T",
  "gave-up": "C",
};

const NS_PER_US = 1000;

/**
 * Plays a scenario to its end.
 *
 * @throws {RangeError} as `openReplay`.
 */
export function replayQueueSet(input: QueueSetInput): QueueSetAnswer {
  const rows: [OutcomeLetter, number, number, number, number][] = input.requests.map(() => [
    "W",
    -1,
    -1,
    -1,
    -1,
  ]);
  const row = (request: number) => at(rows, request);
  const replay = openReplay(input, {
    onAccept: (request, queueIndex) => {
      row(request)[4] = queueIndex;
    },
    onDispatch: (request, nowNs) => {
      row(request)[1] = nowNs / NS_PER_US;
    },
    onOutcome: (request, outcome, nowNs) => {
      row(request)[0] = LETTERS[outcome];
      row(request)[2] = nowNs / NS_PER_US;
    },
    onRelease: (request, nowNs) => {
      row(request)[3] = nowNs / NS_PER_US;
    },
  });
  const totals = playToEnd(replay);
  const { crash } = replay.queueSet;
  return {
    outcomes: rows,
    totals,
    crash: crash && { atUs: crash.atNs / NS_PER_US, reason: crash.reason },
  };
}

/**
 * A scenario at its start, to be played event by event: `step`, `runUntil`, and `dumpQueueSet` in between.
 *
 * @throws {RangeError} where `v` is no version, a configuration cannot be used, requests or changes are not in order
 * of time, or a request names a flow that is not given.
 */
export function openReplay(
  { v, config, changes, flows, requests }: QueueSetInput,
  observer: QueueSetObserver = {},
): QueueSetReplay {
  checkOrder(
    "requests",
    requests.map(([atUs]) => atUs),
  );
  checkOrder(
    "changes",
    changes.map(([atUs]) => atUs),
  );
  return new QueueSetReplay({
    config,
    changes: changes.map(([atUs, queues, handSize, queueLengthLimit, concurrencyLimit]) => ({
      atNs: atUs * NS_PER_US,
      config: { queues, handSize, queueLengthLimit, concurrencyLimit },
    })),
    requests: scriptOf(flows, requests),
    version: v === undefined ? undefined : ruleVersion(v),
    observer,
  });
}

function checkOrder(field: string, times: readonly number[]): void {
  const early = times.findIndex((time, i) => time < (times[i - 1] ?? 0));
  if (early >= 0) throw new RangeError(`${field}[${early}] comes before the one above it, or before 0.`);
}

function playToEnd(replay: QueueSetReplay): QueueSetAnswer["totals"] {
  const { queueSet } = replay;
  let peakSeats = 0;
  let peakWaiting = 0;
  let peakQueueLen = 0;
  let arrivals = 0;
  while (replay.step()) {
    peakSeats = Math.max(peakSeats, queueSet.seatsInUse);
    peakWaiting = Math.max(peakWaiting, queueSet.waitingRequests);
    if (replay.arrivals === arrivals) continue;
    // Only an arrival makes a queue longer.
    arrivals = replay.arrivals;
    const length = queueSet.queues[queueSet.lastChosenQueue]?.waiting.length ?? 0;
    peakQueueLen = Math.max(peakQueueLen, length);
  }
  const { average, deviation, max } = queueSet.demand.results(queueSet.nowNs);
  return {
    peakSeats,
    peakWaiting,
    peakQueueLen,
    r: String(queueSet.virtualTime),
    seatsWaitingEnd: queueSet.waitingSeats,
    seatsInUseEnd: queueSet.seatsInUse,
    end: queueSet.nowNs / NS_PER_US,
    demandAvg: Number.isNaN(average) ? null : average,
    demandDev: Number.isNaN(deviation) ? null : deviation,
    demandMax: max,
  };
}

function scriptOf(flows: QueueSetInput["flows"], requests: readonly RequestRow[]): RequestScript {
  const known = flows.map(
    ([flowSchemaName, flowDistinguisher]) => new Flow(flowSchemaName, flowDistinguisher),
  );
  return {
    count: requests.length,
    arrivalNs: (request) => at(requests, request)[0] * NS_PER_US,
    flow: (request) => at(known, at(requests, request)[1]),
    estimate: (request) => {
      const [, , initialSeats, finalSeats, additionalLatencyUs] = at(requests, request);
      return { initialSeats, finalSeats, additionalLatencyNs: additionalLatencyUs * NS_PER_US };
    },
    serviceNs: (request) => at(requests, request)[5] * NS_PER_US,
    waitLimitNs: (request) => at(requests, request)[6] * NS_PER_US,
    givesUpAtNs: (request) => {
      const givesUpAtUs = at(requests, request)[7];
      return givesUpAtUs < 0 ? Number.POSITIVE_INFINITY : givesUpAtUs * NS_PER_US;
    },
  };
}

/** @throws {RangeError} where there is no such element, as when a request names a flow that is not given. */
function at<T>(rows: readonly T[], index: number): T {
  const found = rows[index];
  if (found === undefined) throw new RangeError(`There is no entry ${index}; ${rows.length} are given.`);
  return found;
}
