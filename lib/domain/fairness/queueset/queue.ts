import { type QueuedRequest, RequestList } from "./request.ts";

/** Sums over queues, which the queues keep up to date. */
export class QueueSums {
  /** Queues in which something waits or runs. */
  activeQueues = 0;
  /** Seats in use, lingering ones included, and seats waiting. */
  seats = 0;
}

/** One of the queues of a priority level, with the requests that run from it. Changed by its `QueueSet` alone. */
export class Queue {
  /** Its place among the queues; the last one it had once it was removed. */
  index: number;
  readonly waiting = new RequestList();
  /** Sums over the waiting requests. */
  waitingInitialSeats = 0;
  waitingSeats = 0;
  waitingWork = 0;
  /** Requests whose handler runs; those that linger are not counted, but their seats are. */
  executingRequests = 0;
  seatsInUse = 0;
  /** The virtual time at which its head is dispatched in the virtual world: S of the queue. */
  nextDispatchR = 0;
  #sums: QueueSums;

  constructor(index: number, sums: QueueSums) {
    this.index = index;
    this.#sums = sums;
  }

  /** Lingering requests do not make a queue active. */
  get isActive(): boolean {
    return this.waiting.length > 0 || this.executingRequests > 0;
  }

  /** Virtual time at which the head would be done; infinite where nothing waits. */
  get headFinishR(): number {
    const head = this.waiting.first;
    return head === null ? Number.POSITIVE_INFINITY : this.nextDispatchR + head.totalWork;
  }

  enqueue(request: QueuedRequest): void {
    if (!this.isActive) this.#sums.activeQueues++;
    this.waiting.push(request);
    this.waitingInitialSeats += request.initialSeats;
    this.waitingSeats += request.maxSeats;
    this.waitingWork += request.totalWork;
    this.#sums.seats += request.maxSeats;
  }

  /** A waiting request leaves. */
  remove(request: QueuedRequest): void {
    this.waiting.remove(request);
    this.waitingInitialSeats -= request.initialSeats;
    this.waitingSeats -= request.maxSeats;
    this.waitingWork -= request.totalWork;
    this.#sums.seats -= request.maxSeats;
    if (!this.isActive) this.#sums.activeQueues--;
  }

  /** A request that has just left begins to run on so many seats. */
  begin(seats: number): void {
    if (!this.isActive) this.#sums.activeQueues++;
    this.executingRequests++;
    this.seatsInUse += seats;
    this.#sums.seats += seats;
  }

  /** A handler returned; its seats are still held. */
  finish(): void {
    this.executingRequests--;
    if (!this.isActive) this.#sums.activeQueues--;
  }

  release(seats: number): void {
    this.seatsInUse -= seats;
    this.#sums.seats -= seats;
  }

  /** The queue was removed: it counts no longer, but lives on until its requests are gone. */
  detach(): void {
    if (this.isActive) this.#sums.activeQueues--;
    this.#sums.seats -= this.seatsInUse + this.waitingSeats;
    this.#sums = new QueueSums();
  }
}
