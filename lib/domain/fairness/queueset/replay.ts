/**
 * Plays scripted requests through a `QueueSet` on an event clock of whole nanoseconds. Events of one instant come in
 * this order: completions (by request number), ends of additional latency (in the order of the completions),
 * configuration changes, expiries and clients that give up (by request number), arrivals (by request number). What an
 * event causes at the same instant joins in that order. Nothing is random: equal scripts give equal outcomes.
 */

import { EventHeap } from "../../events/event-heap.ts";
import { isAtLeast, type RuleVersion } from "../../kubernetes/version.ts";
import { QueueSet } from "./queue-set.ts";
import type { QueueSetConfig } from "./queue-set-config.ts";
import { type Flow, QueuedRequest, type WorkEstimate } from "./request.ts";

/** Requests by number, 0 to `count` - 1, in order of arrival. Times in whole nanoseconds. */
export interface RequestScript {
  readonly count: number;
  arrivalNs(request: number): number;
  flow(request: number): Flow;
  estimate(request: number): WorkEstimate;
  serviceNs(request: number): number;
  /** Longest wait in the queue, from arrival; 0: none. */
  waitLimitNs(request: number): number;
  /** When the client leaves if the request still waits then; infinite: never. */
  givesUpAtNs(request: number): number;
}

export interface ConfigChange {
  readonly atNs: number;
  readonly config: QueueSetConfig;
}

/**
 * `executed`; `queue-full` and `concurrency-limit`: rejected at arrival; `time-out`: its waiting limit expired;
 * `gave-up`: its client left the queue (counted as `time-out`, up to 1.28.4 as `cancelled`).
 */
export type RequestOutcome = "executed" | "queue-full" | "concurrency-limit" | "time-out" | "gave-up";

export interface QueueSetObserver {
  onDispatch?(request: number, nowNs: number): void;
  /** The handler returned, or the request was rejected or left: its outcome is known. */
  onOutcome?(request: number, outcome: RequestOutcome, nowNs: number): void;
  /** Its seats are free; only for executed requests. */
  onRelease?(request: number, nowNs: number): void;
  /** It was let in: index of the queue it joined, -1 without queues. Follows its `onDispatch` if it starts at once. */
  onAccept?(request: number, queueIndex: number, nowNs: number): void;
}

export interface QueueSetScenario {
  readonly config: QueueSetConfig;
  /** In order of time. */
  readonly changes: readonly ConfigChange[];
  readonly requests: RequestScript;
  readonly observer: QueueSetObserver;
  /** Decides the rule for the waiting limit. Absent: today's. */
  readonly version?: RuleVersion | undefined;
}

export class QueueSetReplay {
  readonly queueSet: QueueSet;
  readonly #requests: RequestScript;
  readonly #changes: readonly ConfigChange[];
  readonly #observer: QueueSetObserver;
  readonly #expiresAtOnce: boolean;
  readonly #completions = new EventHeap<QueuedRequest>();
  readonly #releases = new EventHeap<QueuedRequest>();
  readonly #expiries = new EventHeap<QueuedRequest>();
  #nextArrival = 0;
  #nextChange = 0;
  #completed = 0;

  constructor({ config, changes, requests, observer, version }: QueueSetScenario) {
    this.#requests = requests;
    this.#changes = changes;
    this.#observer = observer;
    this.#expiresAtOnce = version === undefined || isAtLeast(version, 28, 5);
    this.queueSet = new QueueSet({ config, startNs: 0, onDispatch: (request) => this.#dispatch(request) });
  }

  /** Requests that have come so far. */
  get arrivals(): number {
    return this.#nextArrival;
  }

  /** Time of the next event; infinite at the end of the script. */
  get nextEventNs(): number {
    this.#dropOldExpiries();
    return Math.min(
      this.#completions.nextTime,
      this.#releases.nextTime,
      this.#changeNs(),
      this.#expiries.nextTime,
      this.#arrivalNs(),
    );
  }

  /** Plays the next event; false at the end of the script. */
  step(): boolean {
    return this.#playNext(Number.MAX_VALUE);
  }

  /** Plays all events up to and including `untilNs`. */
  runUntil(untilNs: number): void {
    while (this.#playNext(untilNs)) {
      // All is done in the condition.
    }
  }

  #playNext(untilNs: number): boolean {
    const nowNs = this.nextEventNs;
    if (nowNs > untilNs) return false;
    if (this.#completions.nextTime === nowNs) this.#complete(nowNs);
    else if (this.#releases.nextTime === nowNs) this.#release(nowNs);
    else if (this.#changeNs() === nowNs) this.#change(nowNs);
    else if (this.#expiries.nextTime === nowNs) this.#expire(nowNs);
    else this.#arrive(nowNs);
    return true;
  }

  #changeNs(): number {
    return this.#changes[this.#nextChange]?.atNs ?? Number.POSITIVE_INFINITY;
  }

  #arrivalNs(): number {
    return this.#nextArrival < this.#requests.count
      ? this.#requests.arrivalNs(this.#nextArrival)
      : Number.POSITIVE_INFINITY;
  }

  #arrive(nowNs: number): void {
    const number = this.#nextArrival++;
    const { queueSet } = this;
    const request = new QueuedRequest(number, this.#requests.flow(number), this.#requests.estimate(number));
    if (!this.#expiresAtOnce) {
      for (const swept of queueSet.sweep(nowNs, request, (waiting) => this.#sweepLimitNs(waiting))) {
        this.#observer.onOutcome?.(swept.id, "time-out", nowNs);
      }
    }
    const result = queueSet.arrive(nowNs, request);
    if (result === "queue-full" || result === "concurrency-limit") {
      this.#observer.onOutcome?.(number, result, nowNs);
      return;
    }
    this.#observer.onAccept?.(number, queueSet.lastChosenQueue, nowNs);
    if (result === "waiting") this.#scheduleExpiry(request);
  }

  #sweepLimitNs(request: QueuedRequest): number {
    return this.#requests.waitLimitNs(request.id) || Number.POSITIVE_INFINITY;
  }

  #scheduleExpiry(request: QueuedRequest): void {
    const atNs = Math.min(this.#requests.givesUpAtNs(request.id), this.#expiryNs(request));
    if (atNs !== Number.POSITIVE_INFINITY) this.#expiries.push(atNs, request.id, request);
  }

  #expiryNs(request: QueuedRequest): number {
    const limitNs = this.#expiresAtOnce ? this.#requests.waitLimitNs(request.id) : 0;
    return limitNs > 0 ? request.arrivedAtNs + limitNs : Number.POSITIVE_INFINITY;
  }

  /** Expiries of requests that have left their queue are no events. */
  #dropOldExpiries(): void {
    while (this.#expiries.first !== null && this.#expiries.first.state !== "waiting") this.#expiries.pop();
  }

  #expire(nowNs: number): void {
    const request = this.#expiries.pop();
    if (request === null) return;
    this.queueSet.eject(nowNs, request);
    const isLimit = this.#expiryNs(request) === nowNs;
    this.#observer.onOutcome?.(request.id, isLimit ? "time-out" : "gave-up", nowNs);
  }

  #dispatch(request: QueuedRequest): void {
    const { nowNs } = this.queueSet;
    this.#completions.push(nowNs + this.#requests.serviceNs(request.id), request.id, request);
    this.#observer.onDispatch?.(request.id, nowNs);
  }

  #complete(nowNs: number): void {
    const request = this.#completions.pop();
    if (request === null) return;
    this.#observer.onOutcome?.(request.id, "executed", nowNs);
    this.queueSet.finish(nowNs, request);
    // The state was "executing" until now; the compiler cannot see that `finish` changed it.
    if ((request as QueuedRequest).state === "lingering") {
      this.#releases.push(nowNs + request.additionalLatencyNs, this.#completed, request);
    } else {
      this.#observer.onRelease?.(request.id, nowNs);
    }
    this.#completed++;
  }

  #release(nowNs: number): void {
    const request = this.#releases.pop();
    if (request === null) return;
    this.queueSet.release(nowNs, request);
    this.#observer.onRelease?.(request.id, nowNs);
  }

  #change(nowNs: number): void {
    const change = this.#changes[this.#nextChange++];
    if (change !== undefined) this.queueSet.configure(nowNs, change.config);
  }
}
