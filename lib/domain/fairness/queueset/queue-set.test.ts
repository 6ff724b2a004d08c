import { describe, expect, it } from "vitest";
import { dumpQueueSet } from "./dump-queue-set.ts";
import { QueueSet } from "./queue-set.ts";
import type { QueueSetConfig } from "./queue-set-config.ts";
import { Flow, QueuedRequest } from "./request.ts";

const MS = 1_000_000;
const A = new Flow("service-accounts", "a");
const B = new Flow("service-accounts", "b");
const ONE_CARD = { queues: 64, handSize: 1, queueLengthLimit: 50 };

/** A set that is driven by hand, with the ids of what it dispatched in order. */
function open(config: QueueSetConfig) {
  const dispatched: number[] = [];
  const set = new QueueSet({ config, startNs: 0, onDispatch: ({ id }) => dispatched.push(id) });
  let next = 0;
  const arrive = (
    atNs: number,
    flow: Flow,
    initialSeats: number,
    finalSeats = 0,
    additionalLatencyNs = 0,
  ) => {
    const request = new QueuedRequest(next++, flow, { initialSeats, finalSeats, additionalLatencyNs });
    return { request, result: set.arrive(atNs, request) };
  };
  return { set, dispatched, arrive };
}

describe("dispatch order and virtual time of the reference", () => {
  it("D1: heads of 10 seats and of 1 finish at R 0.03 and 0.003; nine narrow ones, then the wide one", () => {
    const { set, dispatched, arrive } = open({ ...ONE_CARD, concurrencyLimit: 19 });
    const blocker = new Flow("service-accounts", "blocker");
    const first = arrive(0, blocker, 19).request;
    const wide = arrive(0, A, 10).request;
    const narrow = Array.from({ length: 12 }, () => arrive(0, B, 1).request);
    expect(wide.queue?.headFinishR).toBe(3_000_000);
    expect(narrow[0]?.queue?.headFinishR).toBe(300_000);
    set.finish(1000 * MS, first);
    expect(dispatched).toEqual([0, ...narrow.slice(0, 9).map(({ id }) => id), wide.id]);
    expect(set.seatsInUse).toBe(19);
  });

  it("D2: a request of 1 seat that ran 1 s pushes its queue on by 0.997 at completion", () => {
    const { set, arrive } = open({ ...ONE_CARD, concurrencyLimit: 1 });
    const { request } = arrive(0, A, 1);
    arrive(1, A, 1);
    const queue = request.queue;
    const before = queue?.nextDispatchR ?? Number.NaN;
    const [waiting] = queue?.waiting ?? [];
    set.finish(1000 * MS, request);
    // The next one was dispatched at once, which adds its 0.003.
    expect(waiting?.state).toBe("executing");
    expect((queue?.nextDispatchR ?? Number.NaN) - before).toBe(99_700_000 + 300_000);
  });

  it("D3: two active queues with 16 seats at limit 10 advance R at 5 per second, one with 3 seats at 3", () => {
    const { set, arrive } = open({ ...ONE_CARD, concurrencyLimit: 10 });
    const first = arrive(0, A, 8).request;
    const second = arrive(0, B, 8).request;
    const change = () => set.configure(set.nowNs + 1000 * MS, set.config);
    change();
    expect(set.virtualTime).toBe(500_000_000n);
    set.finish(1000 * MS, first);
    set.finish(1000 * MS, second);
    arrive(1000 * MS, A, 3);
    change();
    expect(set.virtualTime).toBe(800_000_000n);
  });

  it("D4: a head that does not fit holds up the whole level", () => {
    const { set, dispatched, arrive } = open({ ...ONE_CARD, concurrencyLimit: 10 });
    arrive(0, A, 8);
    // The wide one is selected: 4 seats of work in a fresh queue against 1 behind the 8 that A was charged.
    const wide = arrive(1, B, 4);
    const narrow = arrive(2, A, 1);
    expect([wide.result, narrow.result]).toEqual(["waiting", "waiting"]);
    expect(dispatched).toEqual([0]);
    expect(set.seatsInUse).toBe(8);
    expect(set.unaccommodated).toBeGreaterThan(0);
  });

  it("D5: (1, final 10, 50 ms) at limit 5 becomes final 5 for 100 ms, and 5 seats stay in the demand", () => {
    const { set, arrive } = open({ ...ONE_CARD, concurrencyLimit: 5 });
    const { request } = arrive(0, A, 1, 10, 50 * MS);
    expect(request.finalSeats).toBe(5);
    expect(request.additionalLatencyNs).toBe(100 * MS);
    set.finish(20 * MS, request);
    expect(request.state).toBe("lingering");
    expect(set.seatsInUse).toBe(5);
    expect(set.executingRequests).toBe(0);
    set.release(120 * MS, request);
    expect(set.seatsInUse).toBe(0);
    expect(set.waitingSeats).toBe(5);
    expect(set.demand.value).toBe(5);
  });
});

describe("details of dispatch", () => {
  it("dispatches nothing at an expiry, but at the next arrival", () => {
    const { set, dispatched, arrive } = open({ ...ONE_CARD, queues: 1, concurrencyLimit: 10 });
    arrive(0, A, 5);
    const wide = arrive(1, A, 6).request;
    const narrow = arrive(2, A, 1).request;
    set.eject(15_000 * MS, wide);
    expect(narrow.state).toBe("waiting");
    arrive(15_001 * MS, A, 1);
    expect(dispatched).toEqual([0, 2, 3]);
  });

  it("tests the width before the final seats shrink: wider than the limit starts only when nothing executes", () => {
    const { set, arrive } = open({ ...ONE_CARD, queues: 1, concurrencyLimit: 5 });
    const first = arrive(0, A, 1).request;
    const tailed = arrive(1, A, 1, 10, 50 * MS);
    expect(tailed.result).toBe("waiting");
    set.finish(5 * MS, first);
    expect(tailed.request.state).toBe("executing");
    expect(tailed.request.maxSeats).toBe(5);
  });

  it("starts a request wider than the limit beside one that only lingers", () => {
    const { set, arrive } = open({ ...ONE_CARD, queues: 1, concurrencyLimit: 5 });
    const first = arrive(0, A, 1, 3, 1000 * MS).request;
    set.finish(5 * MS, first);
    expect(arrive(6 * MS, A, 9).result).toBe("executing");
    expect(set.seatsInUse).toBe(12);
  });

  it("never shrinks final seats on Reject and exempt levels", () => {
    for (const queues of [0, -1]) {
      const { arrive } = open({ queues, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 5 });
      expect(arrive(0, A, 1, 10, 50 * MS).request.maxSeats).toBe(10);
    }
  });

  it("has no limit on an exempt level, and rejects beyond it on a Reject level", () => {
    const exempt = open({ queues: -1, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 0 });
    const reject = open({ queues: 0, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 13 });
    const results = (set: typeof exempt) => [9, 4, 1].map((seats) => set.arrive(0, A, seats).result);
    expect(results(exempt)).toEqual(["executing", "executing", "executing"]);
    expect(results(reject)).toEqual(["executing", "executing", "concurrency-limit"]);
  });

  it("rejects with queue-full only while the seats in use reach the limit", () => {
    const { set, arrive } = open({ ...ONE_CARD, queues: 1, queueLengthLimit: 1, concurrencyLimit: 10 });
    arrive(0, A, 6);
    // 6 of 10 seats: the rest is too narrow for these, and the length limit does not apply.
    expect([arrive(0, A, 6), arrive(0, A, 6), arrive(0, A, 6)].map(({ result }) => result)).toEqual([
      "waiting",
      "waiting",
      "waiting",
    ]);
    set.configure(1, { ...set.config, concurrencyLimit: 6 });
    expect(arrive(2, A, 1).result).toBe("queue-full");
  });
});

describe("changes of configuration", () => {
  it("keeps surplus queues until the seats of their last request are released", () => {
    const { set, arrive } = open({ queues: 8, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 1 });
    const running = arrive(0, A, 1).request;
    const waiting = arrive(0, A, 1).request;
    set.configure(1, { queues: 4, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 1 });
    expect(set.queues).toHaveLength(8);
    set.finish(2, running);
    expect(waiting.state).toBe("executing");
    expect(set.queues).toHaveLength(8);
    set.finish(3, waiting);
    expect(set.queues).toHaveLength(7);
    expect(set.queues.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("drains its queues when the level becomes a Reject level", () => {
    const { set, arrive } = open({ ...ONE_CARD, concurrencyLimit: 1 });
    const running = arrive(0, A, 1).request;
    const waiting = arrive(0, A, 1).request;
    set.configure(1, { queues: 0, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 1 });
    expect(arrive(2, A, 1).result).toBe("concurrency-limit");
    set.finish(3, running);
    expect(waiting.state).toBe("executing");
    set.finish(4, waiting);
    expect(set.seatsInUse).toBe(0);
    expect(arrive(5, A, 1).result).toBe("executing");
  });

  it("removes once more when two lingering requests of one surplus queue are released, as upstream does", () => {
    const { set, arrive } = open({ queues: 8, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 100 });
    const tails = [arrive(0, A, 1, 1, 10 * MS).request, arrive(0, A, 1, 1, 10 * MS).request];
    set.configure(1, { queues: 4, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 100 });
    for (const tail of tails) set.finish(2, tail);
    expect(set.queues).toHaveLength(8);
    for (const tail of tails) set.release(2 + 10 * MS, tail);
    expect(set.queues).toHaveLength(6);
    expect(set.seatsInUse).toBe(0);
    expect(set.crash).toBeNull();
  });

  it("says where upstream would panic: the last queue is removed twice", () => {
    const { set, arrive } = open({ queues: 2, handSize: 1, queueLengthLimit: 50, concurrencyLimit: 100 });
    // A flow whose one card is the last queue.
    const flow = Array.from({ length: 20 }, (_, i) => new Flow("s", `f${i}`)).find(
      (candidate) => candidate.hand(2, 1)[0] === 1,
    );
    const tails = [1, 2].map(() => arrive(0, flow ?? A, 1, 1, 10 * MS).request);
    set.configure(1, { queues: 0, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 100 });
    for (const tail of tails) set.finish(2, tail);
    for (const tail of tails) set.release(3, tail);
    expect(set.crash).toEqual({ atNs: 3, reason: expect.stringContaining("removed twice") });
    expect(set.seatsInUse).toBe(0);
  });

  it("dispatches at a higher limit and lets what runs run at a lower one", () => {
    const { set, arrive } = open({ ...ONE_CARD, concurrencyLimit: 2 });
    for (let i = 0; i < 6; i++) arrive(0, A, 1);
    set.configure(1, { ...set.config, concurrencyLimit: 5 });
    expect(set.seatsInUse).toBe(5);
    set.configure(2, { ...set.config, concurrencyLimit: 1 });
    expect(set.seatsInUse).toBe(5);
  });

  it("refuses what upstream refuses and keeps what it had", () => {
    const { set } = open({ ...ONE_CARD, concurrencyLimit: 1 });
    expect(() => set.configure(1, { ...set.config, handSize: 65 })).toThrow(RangeError);
    expect(() => set.configure(1, { ...set.config, concurrencyLimit: 1.5 })).toThrow(RangeError);
    expect(set.config.handSize).toBe(1);
    expect(() => set.configure(-1, set.config)).toThrow(/Time went back/);
  });
});

describe("dumpQueueSet", () => {
  it("shows every queue, what waits, runs and lingers, and survives JSON", () => {
    const { set, arrive } = open({ queues: 2, handSize: 2, queueLengthLimit: 50, concurrencyLimit: 3 });
    const lingering = arrive(0, A, 1, 2, 10 * MS).request;
    set.finish(3 * MS, lingering);
    arrive(4 * MS, A, 1);
    arrive(5 * MS, B, 3);
    const dump = dumpQueueSet(set);
    expect(JSON.parse(JSON.stringify(dump))).toEqual(dump);
    expect(dump).toMatchObject({
      atNs: 5 * MS,
      seatsInUse: 3,
      waitingSeats: 3,
      waitingRequests: 1,
      executingRequests: 1,
      dispatches: 2,
      queueless: [],
    });
    const states = dump.queues.flatMap(({ waiting, running }) => [...waiting, ...running]);
    expect(states.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual([
      "0 lingering",
      "1 executing",
      "2 waiting",
    ]);
    const queue = dump.queues.find(({ waiting }) => waiting.length > 0);
    expect(queue).toMatchObject({ waitingInitialSeats: 3, waitingSeats: 3, waitingWork: "0.00900000ss" });
    expect(queue?.waiting[0]).toMatchObject({ flowDistinguisher: "b", startedAtNs: null });
  });

  it("lists what runs without queues apart", () => {
    const { set, arrive } = open({ queues: 0, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 3 });
    arrive(0, A, 2);
    expect(dumpQueueSet(set)).toMatchObject({ queues: [], queueless: [{ id: 0, state: "executing" }] });
  });
});
