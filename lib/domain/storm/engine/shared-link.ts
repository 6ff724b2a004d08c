import { EventHeap } from "../../events/event-heap.ts";
import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";

/** Transfers as the link sees them. `linkEndsAt` is its own. */
export interface Transfer {
  readonly wireBytes: number;
  linkEndsAt: number;
  isStopped: boolean;
}

/** Less than a byte: what rounding may leave. */
const DONE_BYTES = 1e-3;

/** The network link of one API server, shared evenly by the answers that are on their way. O(log n) an event. */
export class SharedLink<Item extends Transfer> {
  readonly #bytesPerSecond: number;
  readonly #transfers = new EventHeap<Item>();
  #active = 0;
  #now: Tick = 0;
  /** Bytes sent of a transfer that has been there from the beginning. */
  #sent = 0;
  #order = 0;
  #next: Tick = -1;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  get transfers(): number {
    return this.#active;
  }

  add(now: Tick, item: Item): void {
    this.#advance(now);
    item.isStopped = false;
    item.linkEndsAt = this.#sent + item.wireBytes;
    this.#transfers.push(item.linkEndsAt, this.#order++, item);
    this.#active++;
    this.#next = -1;
  }

  /** Takes a transfer off that has not ended; returns the share of it that was sent, 0 to 1. */
  cancel(now: Tick, item: Item): number {
    this.#advance(now);
    item.isStopped = true;
    this.#active--;
    this.#next = -1;
    return item.wireBytes > 0
      ? Math.max(0, 1 - Math.max(0, item.linkEndsAt - this.#sent) / item.wireBytes)
      : 1;
  }

  get nextTick(): Tick {
    if (this.#next < 0) this.#next = this.#findNext();
    return this.#next;
  }

  /** Comes to `now`; tells of one transfer that ended, or returns false. */
  step(now: Tick, onSent: (item: Item) => void): boolean {
    this.#advance(now);
    this.#dropStopped();
    this.#next = -1;
    if (this.#active === 0 || this.#transfers.nextTime > this.#sent + DONE_BYTES) return false;
    const item = this.#transfers.pop();
    this.#active--;
    if (item !== null) onSent(item);
    return true;
  }

  reset(now: Tick): void {
    this.#advance(now);
    while (this.#transfers.pop() !== null) this.#active = 0;
    this.#active = 0;
    this.#next = -1;
  }

  #advance(now: Tick): void {
    if (now === this.#now) return;
    if (this.#active > 0) {
      this.#sent += (((now - this.#now) / TICKS_PER_SECOND) * this.#bytesPerSecond) / this.#active;
    }
    this.#now = now;
  }

  #dropStopped(): void {
    for (let first = this.#transfers.first; first?.isStopped === true; first = this.#transfers.first)
      this.#transfers.pop();
  }

  #findNext(): Tick {
    this.#dropStopped();
    if (this.#active === 0) return Number.POSITIVE_INFINITY;
    const bytes = this.#transfers.nextTime - this.#sent;
    if (bytes <= DONE_BYTES) return this.#now;
    const seconds = (bytes * this.#active) / this.#bytesPerSecond;
    return this.#now + Math.max(1, Math.ceil(seconds * TICKS_PER_SECOND));
  }
}
