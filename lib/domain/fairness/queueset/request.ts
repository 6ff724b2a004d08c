import { dealHand } from "../shuffle-sharding/deal-hand.ts";
import { type FlowHash, hashFlow, NO_HASH } from "../shuffle-sharding/flow-hash.ts";
import type { Queue } from "./queue.ts";
import { ASSUMED_SERVICE_NS, seatWork } from "./seat-seconds.ts";

/** A flow: what shares a hand of queues. Make one per flow and use it for all its requests; hash and hand are kept. */
export class Flow {
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  #hash: FlowHash | null = null;
  #hand: readonly number[] = [];
  #handOfQueues = 0;

  constructor(flowSchemaName: string, flowDistinguisher: string) {
    this.flowSchemaName = flowSchemaName;
    this.flowDistinguisher = flowDistinguisher;
  }

  /** Queue indexes in deal order. No hash is computed for one queue. */
  hand(queues: number, handSize: number): readonly number[] {
    if (this.#handOfQueues !== queues || this.#hand.length !== handSize) {
      if (queues > 1) this.#hash ??= hashFlow(this.flowSchemaName, this.flowDistinguisher);
      this.#hand = dealHand(this.#hash ?? NO_HASH, queues, handSize);
      this.#handOfQueues = queues;
    }
    return this.#hand;
  }
}

/**
 * Where a request stands. `arriving` before `QueueSet.arrive`; `lingering` after its handler returned and before its
 * additional latency is over; `gone` once it holds neither a seat nor a place in a queue.
 */
export type RequestState = "arriving" | "waiting" | "executing" | "lingering" | "gone";

/** What a request costs, as the work estimator says. Seats are whole and not negative, the latency in nanoseconds. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyNs: number;
}

/** A request in a queue set, which alone changes it. Readable from outside for drawing and debugging. */
export class QueuedRequest {
  /** The caller's own number; the queue set does not look at it. */
  readonly id: number;
  readonly flow: Flow;
  readonly initialSeats: number;
  /** May shrink at dispatch, and the latency then grows, see `fitFinalSeats`. */
  finalSeats: number;
  additionalLatencyNs: number;
  state: RequestState = "arriving";
  /** `null` where the level has no queues: Reject and exempt. */
  queue: Queue | null = null;
  arrivedAtNs = 0;
  startedAtNs = 0;
  /** Virtual time of its arrival. */
  arrivalR = 0;
  previous: QueuedRequest | null = null;
  next: QueuedRequest | null = null;
  readonly finalWork: number;
  readonly totalWork: number;

  constructor(id: number, flow: Flow, { initialSeats, finalSeats, additionalLatencyNs }: WorkEstimate) {
    this.id = id;
    this.flow = flow;
    this.initialSeats = initialSeats;
    this.finalSeats = finalSeats;
    this.additionalLatencyNs = additionalLatencyNs;
    this.finalWork = seatWork(finalSeats, additionalLatencyNs);
    this.totalWork = seatWork(initialSeats, ASSUMED_SERVICE_NS) + this.finalWork;
  }

  /** The seats it holds while it runs and lingers. */
  get maxSeats(): number {
    return Math.max(this.initialSeats, this.finalSeats);
  }
}

/** Requests in order of their coming; any of them may leave. Each request is in one list at most. */
export class RequestList {
  first: QueuedRequest | null = null;
  last: QueuedRequest | null = null;
  length = 0;

  push(request: QueuedRequest): void {
    request.previous = this.last;
    if (this.last === null) this.first = request;
    else this.last.next = request;
    this.last = request;
    this.length++;
  }

  /** Takes out a request that is in this list. */
  remove(request: QueuedRequest): void {
    const { previous, next } = request;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.last = previous;
    else next.previous = previous;
    request.previous = null;
    request.next = null;
    this.length--;
  }

  *[Symbol.iterator](): Iterator<QueuedRequest> {
    for (let request = this.first; request !== null; request = request.next) yield request;
  }
}
