/**
 * Events in order of (time, number): a binary heap. Two events of one time come out by their number, so that equal
 * inputs give equal orders.
 */
export class EventHeap<Item> {
  readonly #times: number[] = [];
  readonly #numbers: number[] = [];
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Time of the first event; infinite where there is none. */
  get nextTime(): number {
    return this.#items.length === 0 ? Number.POSITIVE_INFINITY : at(this.#times, 0);
  }

  /** The first event's item, left in; `null` where there is none. */
  get first(): Item | null {
    return this.#items.length === 0 ? null : at(this.#items, 0);
  }

  /** All of them in the order in which they will come, for a look at the state. */
  entries(): readonly { readonly time: number; readonly number: number; readonly item: Item }[] {
    return this.#items
      .map((item, place) => ({ time: at(this.#times, place), number: at(this.#numbers, place), item }))
      .sort((a, b) => a.time - b.time || a.number - b.number);
  }

  push(time: number, number: number, item: Item): void {
    let place = this.#items.length;
    this.#times.push(time);
    this.#numbers.push(number);
    this.#items.push(item);
    // The new event rises: parents that come after it move down into its place.
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isAfter(parent, time, number)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, time, number, item);
  }

  /** The first event's item, taken out; `null` where there is none. */
  pop(): Item | null {
    const item = this.first;
    const time = this.#times.pop();
    const number = this.#numbers.pop();
    const last = this.#items.pop();
    if (time === undefined || number === undefined || last === undefined) return null;
    if (this.#items.length > 0) this.#sink(time, number, last);
    return item;
  }

  /** The event that stood last takes the first place and sinks. */
  #sink(time: number, number: number, item: Item): void {
    const size = this.#items.length;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      const other = child + 1;
      if (other < size && this.#isAfter(child, at(this.#times, other), at(this.#numbers, other)))
        child = other;
      if (this.#isAfter(child, time, number)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, time, number, item);
  }

  /** True where the event at `place` comes after (`time`, `number`). */
  #isAfter(place: number, time: number, number: number): boolean {
    const own = at(this.#times, place);
    return own > time || (own === time && at(this.#numbers, place) > number);
  }

  #move(from: number, to: number): void {
    this.#put(to, at(this.#times, from), at(this.#numbers, from), at(this.#items, from));
  }

  #put(place: number, time: number, number: number, item: Item): void {
    this.#times[place] = time;
    this.#numbers[place] = number;
    this.#items[place] = item;
  }
}

/** An element that the callers keep within bounds; the type of an indexed read cannot know it. */
const at = <T>(array: readonly T[], index: number): T => array[index] as T;
