import type { Tick } from "./ticks.ts";

/** An event that waits for its tick. */
export interface PendingEvent<Event> {
  readonly tick: Tick;
  /** Place among all events that were ever scheduled: decides ties. */
  readonly sequence: number;
  readonly event: Event;
}

/**
 * Events in the order of (tick, order in which they were scheduled): equal runs give equal traces. `schedule` and `next`
 * take time that grows with the logarithm of what waits.
 */
export class EventClock<Event> {
  readonly #heap: PendingEvent<Event>[] = [];
  #sequence = 0;
  #now: Tick = 0;

  /** The tick of the event that `next` gave last; 0 before. Never goes back. */
  get now(): Tick {
    return this.#now;
  }

  get waiting(): number {
    return this.#heap.length;
  }

  /** The tick of the next event; `null` where nothing waits. */
  get nextTick(): Tick | null {
    return this.#heap[0]?.tick ?? null;
  }

  /** Events for a tick that has passed come at once, after what is due already. */
  schedule(tick: Tick, event: Event): void {
    const entry = { tick: Math.max(tick, this.#now), sequence: this.#sequence++, event };
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  /** Takes the next event and moves `now` to its tick; `null` where nothing waits. */
  next(): Event | null {
    const first = this.#heap[0];
    if (first === undefined) return null;
    this.#now = first.tick;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first.event;
  }

  /** What waits, in the order in which it will come. */
  pending(): readonly PendingEvent<Event>[] {
    return this.#heap.toSorted((a, b) => a.tick - b.tick || a.sequence - b.sequence);
  }

  #sink(entry: PendingEvent<Event>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const first = heap[left];
      if (first === undefined) break;
      const second = heap[left + 1];
      const isRight = second !== undefined && isBefore(second, first);
      const child = isRight ? second : first;
      if (!isBefore(child, entry)) break;
      heap[at] = child;
      at = isRight ? left + 1 : left;
    }
    heap[at] = entry;
  }
}

function isBefore(a: PendingEvent<unknown>, b: PendingEvent<unknown>): boolean {
  return a.tick < b.tick || (a.tick === b.tick && a.sequence < b.sequence);
}
