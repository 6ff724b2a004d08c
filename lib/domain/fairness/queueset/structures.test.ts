import { describe, expect, it } from "vitest";
import { EventHeap } from "../../events/event-heap.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { FinishTree } from "./finish-tree.ts";
import { durationOfWork, formatSeatSeconds, seatWork, unwind, WIND_BACK_BY } from "./seat-seconds.ts";

describe("FinishTree", () => {
  it("finds the same queue as a scan from behind the last one, for any number of queues", () => {
    const random = new SeededRandom(7);
    const tree = new FinishTree();
    for (const size of [1, 2, 3, 5, 8, 16, 17, 64, 100, 128]) {
      const values = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
      tree.reset(size);
      expect(tree.least).toBe(Number.POSITIVE_INFINITY);
      for (let round = 0; round < 300; round++) {
        const index = random.integer(0, size - 1);
        const value = random.next() < 0.3 ? Number.POSITIVE_INFINITY : random.integer(0, 6);
        values[index] = value;
        tree.set(index, value);
        const least = Math.min(...values);
        expect(tree.least).toBe(least);
        if (least === Number.POSITIVE_INFINITY) continue;
        const start = random.integer(0, size);
        const order = values.map((_, step) => (start + step) % size);
        expect(tree.firstLeastFrom(start)).toBe(order.find((place) => values[place] === least));
      }
    }
  });
});

describe("EventHeap", () => {
  it("gives events by time, then by number", () => {
    const random = new SeededRandom(11);
    const heap = new EventHeap<string>();
    const events: { time: number; number: number }[] = [];
    for (let number = 0; number < 2000; number++) {
      const time = random.integer(0, 300);
      events.push({ time, number });
      heap.push(time, number, `${time}/${number}`);
      if (random.next() < 0.4) {
        events.sort((a, b) => a.time - b.time || a.number - b.number);
        const first = events.shift();
        expect(heap.first).toBe(`${first?.time}/${first?.number}`);
        expect(heap.nextTime).toBe(first?.time);
        expect(heap.pop()).toBe(`${first?.time}/${first?.number}`);
      }
    }
    events.sort((a, b) => a.time - b.time || a.number - b.number);
    expect(events.map(() => heap.pop())).toEqual(events.map(({ time, number }) => `${time}/${number}`));
    expect(heap.pop()).toBeNull();
    expect(heap.first).toBeNull();
    expect(heap.size).toBe(0);
    expect(heap.nextTime).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("seat-seconds", () => {
  it("rounds half away from zero, on both sides", () => {
    expect(seatWork(1, 3_000_000)).toBe(300_000);
    expect(seatWork(1, 5)).toBe(1);
    expect(seatWork(1, -5)).toBe(-1);
    expect(seatWork(1, 4)).toBe(0);
    expect(seatWork(10 / 3, 1)).toBe(0);
    expect(seatWork(10 / 3, 1_000_000)).toBe(333_333);
  });

  it("gives durations rounded towards zero", () => {
    expect(durationOfWork(seatWork(10, 50_000_000), 5)).toBe(100_000_000);
    expect(durationOfWork(100, 3)).toBe(333);
  });

  it("prints as upstream does", () => {
    expect(formatSeatSeconds(1_200_300_000n)).toBe("12.00300000ss");
    expect(formatSeatSeconds(-5n)).toBe("-0.00000005ss");
    expect(unwind(5, 2)).toBe(2n * BigInt(WIND_BACK_BY) + 5n);
  });
});
