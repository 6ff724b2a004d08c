import { describe, expect, it } from "vitest";
import { seededRandom } from "../../rollout/seeded-random.ts";
import { searchBoundary } from "./search-boundary.ts";

/** The search, with what it asked for. */
function search(holds: (value: number) => boolean, over: Partial<Parameters<typeof searchBoundary>[0]> = {}) {
  const asked: number[] = [];
  const answer = searchBoundary({
    low: 1,
    high: 1000,
    guess: 100,
    budget: 24,
    ...over,
    holds: (value) => {
      asked.push(value);
      return holds(value);
    },
  });
  return { ...answer, asked };
}

describe("the search for a boundary", () => {
  it("finds every boundary of what only gets worse, from any guess, and asks for nothing twice", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 300; round++) {
      const last = Math.floor(random() * 1001);
      const guess = 1 + Math.floor(random() * 1000);
      const { holdsAt, failsAt, isExact, asked, tried } = search((value) => value <= last, {
        guess,
        budget: 40,
      });
      expect([holdsAt, failsAt]).toEqual([last === 0 ? null : last, last === 1000 ? null : last + 1]);
      expect([isExact, tried]).toEqual([true, asked.length]);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.every((value) => value >= 1 && value <= 1000)).toBe(true);
    }
  });

  it("goes below what it found where a smaller number fails", () => {
    // Islands at 400 to 500; what is surely safe ends at 120.
    const holds = (value: number) => value <= 120 || (value >= 400 && value <= 500);
    const { holdsAt, failsAt } = search(holds, { guess: 450, budget: 60 });
    expect(holdsAt).toBe(120);
    expect(failsAt).toBe(121);
  });

  it("never says that it is exact with a gap, and keeps to its budget", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 200; round++) {
      const answers = new Map<number, boolean>();
      const holds = (value: number) => {
        const known = answers.get(value) ?? random() > value / 1000;
        answers.set(value, known);
        return known;
      };
      const budget = 1 + Math.floor(random() * 24);
      const { holdsAt, failsAt, isExact, asked } = search(holds, { budget });
      expect(asked.length).toBeLessThanOrEqual(budget);
      if (isExact && holdsAt !== null && failsAt !== null) expect(failsAt - holdsAt).toBe(1);
      if (holdsAt !== null) expect(answers.get(holdsAt)).toBe(true);
      if (failsAt !== null) expect(answers.get(failsAt)).toBe(false);
    }
  });
});
