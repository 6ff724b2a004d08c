import { describe, expect, it } from "vitest";
import { makeRandomScenario } from "../testing/random-scenario.ts";
import { dumpQueueSet } from "./dump-queue-set.ts";
import type { QueueSet } from "./queue-set.ts";
import type { QueueSetReplay } from "./replay.ts";
import { openReplay, type QueueSetInput, replayQueueSet } from "./replay-line.ts";
import type { QueuedRequest } from "./request.ts";
import { WIND_BACK_AT } from "./seat-seconds.ts";

const SCENARIOS = 150;

/** Plays `SCENARIOS` seeded cases event by event. Without changes of queues where a property needs stable queues. */
function playAll(
  changeChance: number,
  look: (replay: QueueSetReplay, input: QueueSetInput, events: string[]) => void,
): void {
  for (let seed = 1; seed <= SCENARIOS; seed++) {
    const input = makeRandomScenario({ seed, requests: 80, changeChance });
    const events: string[] = [];
    const replay = openReplay(input, {
      onDispatch: (request) => events.push(`dispatch ${request}`),
      onOutcome: (request, outcome) => events.push(`${outcome} ${request}`),
    });
    look(replay, input, events);
  }
}

const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0);

const countWaiting = (waiting: readonly QueuedRequest[]) => [
  waiting.length,
  sum(waiting.map(({ maxSeats }) => maxSeats)),
  sum(waiting.map(({ initialSeats }) => initialSeats)),
  sum(waiting.map(({ totalWork }) => totalWork)),
];

/** The head that upstream's scan would select: the first of the least S + work behind the last dispatched queue. */
function selectByScan(queueSet: QueueSet) {
  const { queues } = queueSet;
  let selected = null;
  for (let step = 1; step <= queues.length; step++) {
    const queue = queues[(queueSet.lastDispatchedQueue + step) % queues.length];
    if (queue === undefined || queue.waiting.first === null) continue;
    if (selected === null || queue.headFinishR < selected.headFinishR) selected = queue;
  }
  return selected?.waiting.first ?? null;
}

describe("the queue set over seeded cases", () => {
  it("loses and invents no seat: its counters are those of its requests after every event", () => {
    const wrong: unknown[] = [];
    playAll(0.1, (replay) => {
      const { queueSet } = replay;
      while (replay.step()) {
        const running = [...queueSet.running];
        const counted = [
          sum(running.map(({ maxSeats }) => maxSeats)),
          running.filter(({ state }) => state === "executing").length,
          queueSet.seatsInUse + queueSet.waitingSeats,
          ...queueSet.queues.flatMap(({ waiting }) => countWaiting([...waiting])),
        ];
        const kept = [
          queueSet.seatsInUse,
          queueSet.executingRequests,
          queueSet.demand.value,
          ...queueSet.queues.flatMap((queue) => [
            queue.waiting.length,
            queue.waitingSeats,
            queue.waitingInitialSeats,
            queue.waitingWork,
          ]),
        ];
        if (kept.join() !== counted.join()) wrong.push({ atNs: queueSet.nowNs, kept, counted });
      }
      if (queueSet.seatsInUse + queueSet.executingRequests > 0) wrong.push(dumpQueueSet(queueSet));
    });
    expect(wrong).toEqual([]);
  });

  it("leaves no seat idle: after all but an expiry, the head that a scan selects does not fit", () => {
    playAll(0, (replay, _, events) => {
      const { queueSet } = replay;
      let isSettled = true;
      for (;;) {
        const known = events.length;
        if (!replay.step()) break;
        const news = events.slice(known);
        if (news.some((event) => /^(time-out|gave-up)/.test(event))) isSettled = false;
        else isSettled = true;
        const head = selectByScan(queueSet);
        const { concurrencyLimit } = queueSet.config;
        if (!isSettled || head === null) continue;
        if (queueSet.seatsInUse >= concurrencyLimit) continue;
        const fits =
          head.maxSeats > concurrencyLimit
            ? queueSet.executingRequests === 0
            : queueSet.seatsInUse + head.maxSeats <= concurrencyLimit;
        expect(fits).toBe(false);
      }
    });
  });

  it("goes beyond its limit only for one request at a time that is wider", () => {
    playAll(0, (replay, _, events) => {
      const { queueSet } = replay;
      for (;;) {
        const known = events.length;
        if (!replay.step()) break;
        if (!events.slice(known).some((event) => event.startsWith("dispatch"))) continue;
        if (queueSet.seatsInUse > queueSet.config.concurrencyLimit) {
          expect(queueSet.executingRequests).toBe(1);
        }
      }
    });
  });

  it("keeps the order of each queue, and so of each flow with one card", () => {
    for (let seed = 1; seed <= SCENARIOS; seed++) {
      const input = makeRandomScenario({ seed, requests: 80, changeChance: 0 });
      const { outcomes } = replayQueueSet(input);
      const lastOfQueue = new Map<number, number>();
      for (const [letter, dispatchUs, , , queue] of outcomes) {
        if (letter !== "E") continue;
        expect(dispatchUs).toBeGreaterThanOrEqual(lastOfQueue.get(queue) ?? 0);
        lastOfQueue.set(queue, dispatchUs);
      }
    }
  });

  it("gives every request one outcome, and executed ones the service they asked for", () => {
    for (let seed = 1; seed <= SCENARIOS; seed++) {
      const input = makeRandomScenario({ seed, requests: 80, changeChance: 0 });
      for (const [request, [letter, dispatchUs, finishUs, releaseUs]] of replayQueueSet(
        input,
      ).outcomes.entries()) {
        const [arrivalUs = 0, , , , , serviceUs = 0, waitLimitUs = 0, givesUpUs = 0] =
          input.requests[request] ?? [];
        expect("EFLTC").toContain(letter);
        if (letter === "E") {
          expect(finishUs).toBeCloseTo(dispatchUs + serviceUs, 3);
          expect(releaseUs).toBeGreaterThanOrEqual(finishUs);
          if (waitLimitUs > 0) expect(dispatchUs).toBeLessThanOrEqual(arrivalUs + waitLimitUs);
        }
        if (letter === "T") expect(finishUs).toBe(arrivalUs + waitLimitUs);
        if (letter === "C") expect(finishUs).toBe(givesUpUs);
      }
    }
  });

  it("plays equal scenarios equally, byte for byte, at every moment", () => {
    for (const seed of [3, 17, 99]) {
      const trace = () => {
        const replay = openReplay(makeRandomScenario({ seed, requests: 60, changeChance: 0.1 }));
        const dumps: string[] = [];
        while (replay.step()) dumps.push(JSON.stringify(dumpQueueSet(replay.queueSet)));
        return dumps.join("\n");
      };
      expect(trace()).toBe(trace());
    }
  });

  it("winds virtual time back in mid-run without a trace in any outcome", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const scenario = makeRandomScenario({ seed, requests: 80, changeChance: 0 });
      const soon = playBehind(scenario, 1_000_000);
      // The blocker of 3,000 seats adds 300,000 units a microsecond: half of the scenario's own way below the point.
      const ownWay = Number(soon.virtualTime) - 1_000_000 * 300_000;
      const late = playBehind(scenario, Math.floor((WIND_BACK_AT - ownWay / 2) / 300_000));
      expect(soon.windBacks).toBe(0);
      expect(late.windBacks).toBe(1);
      expect(late.outcomes).toEqual(soon.outcomes);
    }
  });

  it("winds virtual time back several times at once after a long busy stretch", () => {
    const scenario = makeRandomScenario({ seed: 5, requests: 80, changeChance: 0 });
    const late = playBehind(scenario, 20_000_000_000);
    expect(late.windBacks).toBeGreaterThan(2);
    expect(late.outcomes).toEqual(playBehind(scenario, 1_000_000).outcomes);
    expect(late.virtualTime).toBeGreaterThan(6_000_000_000_000_000n);
  });
});

/** The scenario behind one request of 3,000 seats that runs alone until `busyUs`; times are counted from its end. */
function playBehind({ config, flows, requests }: QueueSetInput, busyUs: number) {
  const later = (us: number) => (us < 0 ? us : us + busyUs + 1);
  const { queues, handSize, queueLengthLimit, concurrencyLimit } = config;
  const input: QueueSetInput = {
    config: { ...config, concurrencyLimit: 3000 },
    changes: [[busyUs + 1, queues, handSize, queueLengthLimit, concurrencyLimit]],
    flows: [...flows, ["service-accounts", "blocker"]],
    requests: [
      [0, flows.length, 3000, 0, 0, busyUs, 0, -1],
      ...requests.map(
        ([at, flow, initial, final, latency, service, limit, givesUp]) =>
          [later(at), flow, initial, final, latency, service, limit, later(givesUp)] as const,
      ),
    ],
  };
  const outcomes: string[] = [];
  const note = (what: string, request: number, nowNs: number) => {
    if (request > 0) outcomes.push(`${nowNs - (busyUs + 1) * 1000} ${what} ${request}`);
  };
  const replay = openReplay(input, {
    onDispatch: (request, nowNs) => note("dispatch", request, nowNs),
    onOutcome: (request, outcome, nowNs) => note(outcome, request, nowNs),
    onRelease: (request, nowNs) => note("release", request, nowNs),
  });
  replay.runUntil(Number.MAX_SAFE_INTEGER);
  const { windBacks, virtualTime } = replay.queueSet;
  return { outcomes, windBacks, virtualTime };
}

describe("the waiting limit up to 1.28.4", () => {
  const input = (v: string): QueueSetInput => ({
    v,
    config: { queues: 1, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 1 },
    changes: [],
    flows: [["global-default", ""]],
    requests: [
      [0, 0, 1, 0, 0, 40_000_000, 15_000_000, -1],
      [1, 0, 1, 0, 0, 1000, 15_000_000, -1],
      [2, 0, 1, 0, 0, 1000, 15_000_000, 20_000_000],
      [15_000_001, 0, 1, 0, 0, 1000, 15_000_000, -1],
      [15_000_002, 0, 1, 0, 0, 1000, 15_000_000, -1],
    ],
  });

  it("is looked at only when another request comes to the same queue, and must be exceeded", () => {
    const { outcomes } = replayQueueSet(input("1.28.4"));
    expect(outcomes.map(([letter, , finishUs]) => [letter, finishUs])).toEqual([
      ["E", 40_000_000],
      // At 15,000,001 it has waited just its limit; the next arrival finds it over.
      ["T", 15_000_002],
      // Nobody comes while it is over its limit, but its client leaves.
      ["C", 20_000_000],
      ["E", 40_001_000],
      ["E", 40_002_000],
    ]);
  });

  it("ends the wait on time from 1.28.5 on", () => {
    const { outcomes } = replayQueueSet(input("1.28.5"));
    expect(outcomes.slice(1).map(([letter, , finishUs]) => [letter, finishUs])).toEqual([
      ["T", 15_000_001],
      ["T", 15_000_002],
      ["T", 30_000_001],
      ["T", 30_000_002],
    ]);
  });
});
