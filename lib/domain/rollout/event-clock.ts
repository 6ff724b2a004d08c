import { EventHeap } from "../events/event-heap.ts";
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
  readonly #heap = new EventHeap<Event>();
  #sequence = 0;
  #now: Tick = 0;

  /** The tick of the event that `next` gave last; 0 before. Never goes back. */
  get now(): Tick {
    return this.#now;
  }

  get waiting(): number {
    return this.#heap.size;
  }

  /** The tick of the next event; `null` where nothing waits. */
  get nextTick(): Tick | null {
    return this.#heap.size === 0 ? null : this.#heap.nextTime;
  }

  /** Events for a tick that has passed come at once, after what is due already. */
  schedule(tick: Tick, event: Event): void {
    this.#heap.push(Math.max(tick, this.#now), this.#sequence++, event);
  }

  /** Takes the next event and moves `now` to its tick; `null` where nothing waits. */
  next(): Event | null {
    if (this.#heap.size === 0) return null;
    this.#now = this.#heap.nextTime;
    return this.#heap.pop();
  }

  /** What waits, in the order in which it will come. */
  pending(): readonly PendingEvent<Event>[] {
    return this.#heap
      .entries()
      .map(({ time, number, item }) => ({ tick: time, sequence: number, event: item }));
  }
}
