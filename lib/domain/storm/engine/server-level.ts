import type { DemandIntegrator } from "../../fairness/demand/demand-integrator.ts";
import type { PriorityLevelObject } from "../../fairness/fairness-part.ts";
import { QueueSet } from "../../fairness/queueset/queue-set.ts";
import type { RejectionReason } from "../../fairness/queueset/rejection-reason.ts";
import type { QueuedRequest } from "../../fairness/queueset/request.ts";
import type { StormLevelSeries } from "../storm-result.ts";
import type { StepClock, StepSeries } from "./step-series.ts";

export interface ServerLevelOptions {
  readonly object: PriorityLevelObject;
  readonly limit: number;
  readonly nominalSeats: number;
  readonly startNs: number;
  readonly demand: DemandIntegrator | null;
  readonly onDispatch: (request: QueuedRequest) => void;
  readonly clock: StepClock;
}

/** One priority level of one API server that something came to: its queue set and its series. */
export class ServerLevel {
  readonly name: string;
  readonly isExempt: boolean;
  readonly nominalSeats: number;
  queueSet: QueueSet;
  readonly #object: PriorityLevelObject;
  readonly #clock: StepClock;
  readonly #limits: StepSeries;
  readonly #seats: StepSeries;
  readonly #requests: StepSeries;
  readonly #waiting: StepSeries;
  readonly #rejected = new Map<RejectionReason, StepSeries>();
  readonly #rejectedNow = new Map<RejectionReason, number>();
  #limit: number;
  #seatsMax = 0;
  #requestsMax = 0;
  #waitingMax = 0;
  limitPeak: number;
  seatsPeak = 0;
  requestsPeak = 0;
  waitingPeak = 0;

  constructor(options: ServerLevelOptions) {
    const { object, limit, startNs, onDispatch, clock } = options;
    this.name = object.name;
    this.isExempt = object.type === "Exempt";
    this.nominalSeats = options.nominalSeats;
    this.#object = object;
    this.#limit = limit;
    this.limitPeak = this.isExempt ? 0 : limit;
    this.queueSet = this.#open(limit, startNs, options.demand, onDispatch);
    this.#clock = clock;
    this.#limits = clock.make("last");
    this.#seats = clock.make("max");
    this.#requests = clock.make("max");
    this.#waiting = clock.make("max");
  }

  get limit(): number {
    return this.#limit;
  }

  /** The server came back: nothing waits or runs. */
  restart({
    limit,
    startNs,
    demand,
    onDispatch,
  }: Pick<ServerLevelOptions, "limit" | "startNs" | "demand" | "onDispatch">): void {
    this.#limit = limit;
    this.queueSet = this.#open(limit, startNs, demand, onDispatch);
  }

  setLimit(nowNs: number, limit: number): void {
    if (this.isExempt || limit === this.#limit) return;
    this.#limit = limit;
    this.limitPeak = Math.max(this.limitPeak, limit);
    this.queueSet.configure(nowNs, this.#config(limit));
  }

  /** To be called after anything changed. */
  note(): void {
    const { seatsInUse, waitingRequests, executingRequests } = this.queueSet;
    if (seatsInUse > this.#seatsMax) this.#seatsMax = seatsInUse;
    if (waitingRequests > this.#waitingMax) this.#waitingMax = waitingRequests;
    if (executingRequests > this.#requestsMax) this.#requestsMax = executingRequests;
  }

  noteRejection(reason: RejectionReason): void {
    this.#rejectedNow.set(reason, (this.#rejectedNow.get(reason) ?? 0) + 1);
  }

  closeStep(): void {
    this.#limits.push(this.isExempt ? 0 : this.#limit);
    this.#seats.push(this.#seatsMax);
    this.#requests.push(this.#requestsMax);
    this.#waiting.push(this.#waitingMax);
    for (const reason of this.#rejectedNow.keys()) {
      if (!this.#rejected.has(reason)) this.#rejected.set(reason, this.#clock.make("sum"));
    }
    for (const [reason, series] of this.#rejected) series.push(this.#rejectedNow.get(reason) ?? 0);
    this.#rejectedNow.clear();
    this.seatsPeak = Math.max(this.seatsPeak, this.#seatsMax);
    this.requestsPeak = Math.max(this.requestsPeak, this.#requestsMax);
    this.waitingPeak = Math.max(this.waitingPeak, this.#waitingMax);
    const { seatsInUse, waitingRequests, executingRequests } = this.queueSet;
    this.#seatsMax = seatsInUse;
    this.#waitingMax = waitingRequests;
    this.#requestsMax = executingRequests;
  }

  series(): StormLevelSeries {
    return {
      priorityLevelName: this.name,
      isExempt: this.isExempt,
      nominalSeats: this.nominalSeats,
      limitSeats: this.#limits.values(),
      executingSeats: this.#seats.values(),
      executingRequests: this.#requests.values(),
      waitingRequests: this.#waiting.values(),
      rejected: Object.fromEntries(
        [...this.#rejected].map(([reason, series]) => [reason, series.values()] as const),
      ),
    };
  }

  #open(
    limit: number,
    startNs: number,
    demand: DemandIntegrator | null,
    onDispatch: (request: QueuedRequest) => void,
  ): QueueSet {
    return new QueueSet({
      config: this.#config(limit),
      startNs,
      onDispatch,
      ...(demand === null ? {} : { demand }),
    });
  }

  #config(limit: number) {
    const { queues, handSize, queueLengthLimit, limitResponse, type } = this.#object;
    return {
      queues: type === "Exempt" ? -1 : limitResponse === "Queue" ? (queues ?? 64) : 0,
      handSize: handSize ?? 8,
      queueLengthLimit: queueLengthLimit ?? 50,
      concurrencyLimit: limit,
    };
  }
}
