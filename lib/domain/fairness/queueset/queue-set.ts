/**
 * Fair queuing of one priority level on one API server, event by event. The set has no clock: whoever drives it says
 * what happens when, in order of time, and schedules what follows (`onDispatch` starts a service time, `finish` may ask
 * for a `release` later). `QueueSetReplay` is such a driver.
 *
 * Virtual time R grows at (seats in use + seats waiting, at most the limit) / (queues with something waiting or
 * running). A queue's S is the R at which its head is dispatched in the virtual world; the head with the least S + work
 * goes first. R is rounded to its grid at every step, so it advances at exactly the events below and nowhere else.
 *
 * Properties, tested over seeded cases: seats in use are those of the requests that run or linger; no request waits
 * while the selected head would fit, except after an expiry; requests of one queue start in the order of their coming;
 * equal calls give equal states.
 *
 * Source: apiserver pkg/util/flowcontrol/fairqueuing/queueset/queueset.go, v1.29 to v1.37 (the same code; before
 * 1.28.5 the waiting limit differs, see `sweep`). Where upstream would panic this goes on and says so, see `crash`.
 */
import { DemandIntegrator } from "../demand/demand-integrator.ts";
import { FinishTree } from "./finish-tree.ts";
import { Queue, QueueSums } from "./queue.ts";
import { findConfigFault, type QueueSetConfig } from "./queue-set-config.ts";
import type { ArrivalResult, QueueSetCrash, QueueSetOptions } from "./queue-set-types.ts";
import { type QueuedRequest, RequestList } from "./request.ts";
import {
  ASSUMED_SERVICE_NS,
  durationOfWork,
  seatWork,
  unwind,
  WIND_BACK_AT,
  WIND_BACK_BY,
} from "./seat-seconds.ts";

export class QueueSet {
  /** Seat demand over time: the input of borrowing. */
  readonly demand: DemandIntegrator;
  #config: QueueSetConfig;
  readonly #onDispatch: (request: QueuedRequest) => void;
  /** May be longer than the configuration says while surplus queues drain. */
  readonly #queues: Queue[] = [];
  readonly #finishes = new FinishTree();
  /** Requests that run or linger, in the order of their start. */
  readonly #running = new RequestList();
  #nowNs: number;
  #virtualTime = 0;
  #windBacks = 0;
  /** Index of the queue that was dispatched from last. */
  #lastDispatched = 0;
  #enqueueAttempts = 0;
  #waitingRequests = 0;
  #waitingSeats = 0;
  #executingRequests = 0;
  #seatsInUse = 0;
  readonly #sums = new QueueSums();
  #lastChosenQueue = -1;
  #dispatches = 0;
  #unaccommodated = 0;
  #crash: QueueSetCrash | null = null;

  /** @throws {RangeError} where no hand can be dealt from the queues, or the limit is no whole number of seats. */
  constructor({ config, startNs, onDispatch, demand }: QueueSetOptions) {
    this.#config = config;
    this.#onDispatch = onDispatch;
    this.#nowNs = startNs;
    this.demand = demand ?? new DemandIntegrator(startNs);
    this.configure(startNs, config);
  }

  get config(): QueueSetConfig {
    return this.#config;
  }
  get nowNs(): number {
    return this.#nowNs;
  }
  /** R in units of 10⁻⁸ seat-seconds. */
  get virtualTime(): bigint {
    return unwind(this.#virtualTime, this.#windBacks);
  }
  /** How often R was wound back; readings of queues and requests lie that much lower, see `unwind`. */
  get windBacks(): number {
    return this.#windBacks;
  }
  get waitingRequests(): number {
    return this.#waitingRequests;
  }
  /**
   * As upstream counts them. A request whose final seats shrink at dispatch leaves (old − new width) in here for ever,
   * and so in the seat demand.
   */
  get waitingSeats(): number {
    return this.#waitingSeats;
  }
  /** Handlers that run; lingering requests are not counted. */
  get executingRequests(): number {
    return this.#executingRequests;
  }
  /** Held by running and lingering requests. */
  get seatsInUse(): number {
    return this.#seatsInUse;
  }
  get queues(): readonly Queue[] {
    return this.#queues;
  }
  /** Running and lingering requests in the order of their start. */
  get running(): Iterable<QueuedRequest> {
    return this.#running;
  }
  get lastDispatchedQueue(): number {
    return this.#lastDispatched;
  }
  /** That the last arrival chose, also where it was rejected; -1 without queues. */
  get lastChosenQueue(): number {
    return this.#lastChosenQueue;
  }
  get dispatches(): number {
    return this.#dispatches;
  }
  /** How often the selected head did not fit: `request_dispatch_no_accommodation_total`. */
  get unaccommodated(): number {
    return this.#unaccommodated;
  }
  /** The first moment at which upstream's code would panic; from then on this state is nobody's. Else `null`. */
  get crash(): QueueSetCrash | null {
    return this.#crash;
  }

  /** A request comes. Where the result is "executing", `onDispatch` was called; a rejected one is `gone`. */
  arrive(nowNs: number, request: QueuedRequest): ArrivalResult {
    this.#advanceTo(nowNs);
    request.arrivedAtNs = nowNs;
    request.arrivalR = this.#virtualTime;
    this.#lastChosenQueue = -1;
    if (this.#config.queues < 1) return this.#arriveWithoutQueues(request);
    const queue = this.#chooseQueue(request);
    this.#lastChosenQueue = queue.index;
    const { concurrencyLimit, queueLengthLimit } = this.#config;
    if (this.#seatsInUse >= concurrencyLimit && queue.waiting.length >= queueLengthLimit) {
      this.#bound(queue);
      request.state = "gone";
      return "queue-full";
    }
    this.#enqueue(request, queue);
    this.#bound(queue);
    this.#dispatchAll();
    // Dispatching may have changed the state, which the compiler cannot see.
    return (request as QueuedRequest).state === "executing" ? "executing" : "waiting";
  }

  /**
   * The handler of an executing request returned. Its seats are released now, or, where it has additional latency,
   * when `release` is called that much later: then its state is "lingering".
   */
  finish(nowNs: number, request: QueuedRequest): void {
    this.#advanceTo(nowNs);
    this.#executingRequests--;
    const { queue } = request;
    if (queue !== null) {
      queue.finish();
      const surplusNs = nowNs - request.startedAtNs - ASSUMED_SERVICE_NS;
      queue.nextDispatchR += seatWork(request.initialSeats, surplusNs);
      this.#bound(queue);
    }
    if (request.additionalLatencyNs > 0) request.state = "lingering";
    else this.#releaseSeats(request);
    this.#dispatchAll();
  }

  /** The additional latency of a lingering request is over. */
  release(nowNs: number, request: QueuedRequest): void {
    this.#advanceTo(nowNs);
    this.#releaseSeats(request);
    this.#dispatchAll();
  }

  /**
   * A waiting request leaves its queue: its waiting limit expired or its client left. Nothing is dispatched in its
   * place, even where what waits behind it would fit now.
   */
  eject(nowNs: number, request: QueuedRequest): void {
    this.#advanceTo(nowNs);
    this.#removeWaiting(request);
  }

  /**
   * Up to 1.28.4, before `arrive` with the coming request: takes the requests off the front of its queue that have
   * waited longer than `limitNs` says, and returns them in order. The waiting limit is looked at only then.
   */
  sweep(nowNs: number, request: QueuedRequest, limitNs: (request: QueuedRequest) => number): QueuedRequest[] {
    this.#advanceTo(nowNs);
    if (this.#config.queues < 1) return [];
    const queue = this.#chooseQueue(request);
    this.#enqueueAttempts--;
    const swept: QueuedRequest[] = [];
    for (const waiting of queue.waiting) {
      if (nowNs - waiting.arrivedAtNs <= limitNs(waiting)) break;
      swept.push(waiting);
    }
    for (const waiting of swept) this.#removeWaiting(waiting);
    return swept;
  }

  /**
   * New limits or queues from now on. More queues come at once, surplus ones go as they run empty; what runs, runs on.
   *
   * @throws {RangeError} as the constructor; the set keeps what it had.
   */
  configure(nowNs: number, config: QueueSetConfig): void {
    const fault = findConfigFault(config);
    if (fault !== null) throw new RangeError(`The queue set cannot be configured so: ${fault}.`);
    this.#advanceTo(nowNs);
    this.#config = config;
    if (config.queues > this.#queues.length) {
      while (this.#queues.length < config.queues)
        this.#queues.push(new Queue(this.#queues.length, this.#sums));
      this.#rebuildFinishes();
    }
    this.#dispatchAll();
  }

  /** Virtual time goes on to `nowNs`; to be called before any state changes. */
  #advanceTo(nowNs: number): void {
    const elapsedNs = nowNs - this.#nowNs;
    if (elapsedNs === 0) return;
    if (elapsedNs < 0) throw new RangeError(`Time went back from ${this.#nowNs} to ${nowNs} ns.`);
    this.#nowNs = nowNs;
    const { activeQueues, seats } = this.#sums;
    if (activeQueues === 0) return;
    this.#virtualTime += seatWork(Math.min(seats, this.#config.concurrencyLimit) / activeQueues, elapsedNs);
    if (this.#virtualTime >= WIND_BACK_AT) this.#windBack();
  }

  #windBack(): void {
    const times = Math.floor((this.#virtualTime - WIND_BACK_AT) / WIND_BACK_BY) + 1;
    const by = times * WIND_BACK_BY;
    this.#virtualTime -= by;
    this.#windBacks += times;
    for (const queue of this.#queues) {
      // The reading of an idle queue is renewed before its next use.
      if (!queue.isActive) continue;
      queue.nextDispatchR -= by;
      for (const request of queue.waiting) request.arrivalR -= by;
    }
    this.#rebuildFinishes();
  }

  #arriveWithoutQueues(request: QueuedRequest): ArrivalResult {
    if (!this.#fits(request.maxSeats)) {
      request.state = "gone";
      return "concurrency-limit";
    }
    this.#start(request);
    return "executing";
  }

  /** The queue of the hand with the least work waiting; the scan starts one card further at each attempt. */
  #chooseQueue(request: QueuedRequest): Queue {
    const { queues, handSize } = this.#config;
    const hand = request.flow.hand(queues, handSize);
    let position = this.#enqueueAttempts++ % handSize;
    let chosen = this.#queueAt(hand[position] ?? 0);
    for (let looked = 1; looked < handSize; looked++) {
      position = position + 1 === handSize ? 0 : position + 1;
      const queue = this.#queueAt(hand[position] ?? 0);
      if (queue.waitingWork < chosen.waitingWork) chosen = queue;
    }
    return chosen;
  }

  #queueAt(index: number): Queue {
    const queue = this.#queues[index];
    if (queue === undefined) throw new Error(`There is no queue ${index}.`);
    return queue;
  }

  #enqueue(request: QueuedRequest, queue: Queue): void {
    if (!queue.isActive) queue.nextDispatchR = this.#virtualTime;
    request.state = "waiting";
    request.queue = queue;
    queue.enqueue(request);
    this.#waitingRequests++;
    this.#waitingSeats += request.maxSeats;
    this.#noteDemand();
  }

  #removeWaiting(request: QueuedRequest): void {
    const { queue } = request;
    if (queue === null || request.state !== "waiting") return;
    queue.remove(request);
    request.state = "gone";
    this.#waitingRequests--;
    this.#waitingSeats -= request.maxSeats;
    this.#noteDemand();
    this.#bound(queue);
  }

  #dispatchAll(): void {
    while (this.#waitingRequests > 0 && this.#seatsInUse < this.#config.concurrencyLimit) {
      if (!this.#dispatchNext()) return;
    }
  }

  /** Starts the head that would be done first; false, and nothing at all is started, where it does not fit. */
  #dispatchNext(): boolean {
    if (this.#finishes.least === Number.POSITIVE_INFINITY) {
      this.#noteCrash("all that waits is in queues that were removed");
      return false;
    }
    const queue = this.#queueAt(this.#finishes.firstLeastFrom(this.#lastDispatched + 1));
    const request = queue.waiting.first;
    if (request === null) return false;
    // The width is that before the shrinking, as upstream's.
    if (!this.#fits(request.maxSeats)) {
      this.#unaccommodated++;
      return false;
    }
    queue.remove(request);
    this.#fitFinalSeats(request);
    this.#lastDispatched = queue.index;
    this.#waitingRequests--;
    this.#waitingSeats -= request.maxSeats;
    queue.begin(request.maxSeats);
    queue.nextDispatchR += request.totalWork;
    this.#bound(queue);
    this.#start(request);
    return true;
  }

  /** Final seats never exceed the limit; the latency grows so that the work stays what it was. */
  #fitFinalSeats(request: QueuedRequest): void {
    const { concurrencyLimit } = this.#config;
    if (request.finalSeats <= concurrencyLimit) return;
    request.additionalLatencyNs = durationOfWork(request.finalWork, concurrencyLimit);
    request.finalSeats = concurrencyLimit;
  }

  #fits(seats: number): boolean {
    const { queues, concurrencyLimit } = this.#config;
    if (queues < 0) return true;
    if (seats > concurrencyLimit) return this.#executingRequests === 0;
    return this.#seatsInUse + seats <= concurrencyLimit;
  }

  #start(request: QueuedRequest): void {
    request.state = "executing";
    request.startedAtNs = this.#nowNs;
    this.#executingRequests++;
    this.#seatsInUse += request.maxSeats;
    this.#dispatches++;
    this.#running.push(request);
    this.#noteDemand();
    this.#onDispatch(request);
  }

  #releaseSeats(request: QueuedRequest): void {
    request.state = "gone";
    this.#running.remove(request);
    this.#seatsInUse -= request.maxSeats;
    this.#noteDemand();
    const { queue } = request;
    if (queue === null) return;
    queue.release(request.maxSeats);
    if (this.#queues.length > this.#config.queues && !queue.isActive) this.#removeSurplus(queue.index);
  }

  /**
   * Takes out the queue at an index. One whose requests all linger is removed at the first release and, as upstream,
   * once more at every further one while there is a surplus: then whatever queue stands there is lost with its requests.
   */
  #removeSurplus(index: number): void {
    const queue = this.#queues[index];
    if (queue === undefined) {
      this.#noteCrash("a queue is removed twice, and none stands in its place");
      return;
    }
    queue.detach();
    this.#queues.splice(index, 1);
    for (let next = index; next < this.#queues.length; next++) this.#queueAt(next).index--;
    if (this.#lastDispatched >= index) this.#lastDispatched--;
    this.#rebuildFinishes();
  }

  /** Anti-windup: no head is dispatched in the virtual world before it came. Due when the head of a queue or S changed. */
  #bound(queue: Queue): void {
    const head = queue.waiting.first;
    if (head !== null && queue.nextDispatchR < head.arrivalR) queue.nextDispatchR = head.arrivalR;
    // A removed queue keeps its last index, where another stands now.
    if (this.#queues[queue.index] === queue) this.#finishes.set(queue.index, queue.headFinishR);
  }

  #rebuildFinishes(): void {
    this.#finishes.reset(this.#queues.length);
    for (const queue of this.#queues) this.#finishes.set(queue.index, queue.headFinishR);
  }

  #noteCrash(reason: string): void {
    this.#crash ??= { atNs: this.#nowNs, reason };
  }

  #noteDemand(): void {
    this.demand.set(this.#nowNs, this.#seatsInUse + this.#waitingSeats);
  }
}
