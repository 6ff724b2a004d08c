import { describe, expect, it } from "vitest";
import { bisectFairFrac, takenBy } from "../testing/bisect-shares.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { allocateShares, type ShareTaker } from "./allocate-shares.ts";

function makeTakers(random: SeededRandom): ShareTaker[] {
  return Array.from({ length: random.integer(1, 12) }, () => {
    const low = random.next() < 0.3 ? 0 : random.integer(0, 100);
    const high = low + (random.next() < 0.2 ? 0 : random.integer(0, 700));
    const smoothed = random.pick([0, 0.0004, random.next() * 5, random.next() * 900]);
    return { low, high, target: Math.max(low, smoothed) };
  });
}

const total = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0);

describe("allocateShares", () => {
  it("agrees with the oracle over 5,000 seeded cases, in the fraction and in every share", () => {
    const random = new SeededRandom(2024);
    const wrong: unknown[] = [];
    let solved = 0;
    for (let round = 0; round < 5000; round++) {
      const takers = makeTakers(random);
      const lowSum = total(takers.map(({ low }) => low));
      const highSum = total(takers.map(({ high }) => high));
      if (highSum - lowSum < 2) continue;
      const required = random.integer(lowSum + 1, highSum - 1);
      const own = allocateShares(required, takers);
      const fairFrac = bisectFairFrac(required, takers);
      if ("fault" in own) {
        wrong.push({ takers, required, own });
        continue;
      }
      solved++;
      const areEqual = takers.every(
        (taker, i) => Math.abs((own.shares[i] ?? -1) - takenBy(taker, fairFrac)) < 1e-5,
      );
      const isFractionEqual = Math.abs(own.fairFrac - fairFrac) <= 1e-6 * fairFrac;
      if (!areEqual || !isFractionEqual) wrong.push({ takers, required, own, fairFrac });
    }
    expect(wrong).toEqual([]);
    expect(solved).toBeGreaterThan(4000);
  });

  it("gives shares that add up, lie within their bounds, and leave the bounds only for f × target", () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 2000; round++) {
      const takers = makeTakers(random);
      const required = random.integer(0, total(takers.map(({ high }) => high)));
      const own = allocateShares(required, takers);
      if ("fault" in own) {
        expect(total(takers.map(({ low }) => low))).toBeGreaterThan(required);
        continue;
      }
      if (required > 0) expect(total(own.shares)).toBeCloseTo(required, 5);
      for (const [i, { low, high, target }] of takers.entries()) {
        const share = own.shares[i] ?? -1;
        if (required === 0) continue;
        expect(share).toBeGreaterThanOrEqual(low);
        expect(share).toBeLessThanOrEqual(high);
        const wanted = own.fairFrac * Math.max(target, 0.001);
        if (share > low + 1e-6 && share < high - 1e-6) expect(share).toBeCloseTo(wanted, 6);
      }
    }
  });

  it("does not depend on the order of the takers", () => {
    const random = new SeededRandom(99);
    for (let round = 0; round < 300; round++) {
      const takers = makeTakers(random);
      const required = total(takers.map(({ low }) => low)) + 1;
      const own = allocateShares(required, takers);
      const reversed = allocateShares(required, takers.toReversed());
      if ("fault" in own || "fault" in reversed) {
        expect("fault" in own).toBe("fault" in reversed);
        continue;
      }
      expect(reversed.fairFrac).toBeCloseTo(own.fairFrac, 6);
    }
  });

  it("takes all bounds where they leave no room", () => {
    const takers = [
      { target: 10, low: 4, high: 6 },
      { target: 20, low: 20, high: 30 },
    ];
    expect(allocateShares(24, takers)).toEqual({ shares: [4, 20], fairFrac: 0.4 });
    expect(allocateShares(36, takers)).toEqual({ shares: [6, 30], fairFrac: 1.5 });
    expect(allocateShares(0, [{ target: 1, low: 0, high: 5 }])).toEqual({ shares: [0], fairFrac: 0 });
  });

  it("names the fault where there is no solution", () => {
    const taker = { target: 10, low: 4, high: 6 };
    const faultOf = (required: number, ...takers: ShareTaker[]) => {
      const own = allocateShares(required, takers);
      return "fault" in own ? own.fault : null;
    };
    expect(faultOf(-1, taker)).toMatch(/negative/);
    expect(faultOf(3, taker)).toMatch(/lower bounds add up to 4/);
    expect(faultOf(7, taker)).toMatch(/upper bounds add up to 6/);
    expect(faultOf(5, { ...taker, target: Number.NaN })).toMatch(/not a number/);
    expect(faultOf(5, { ...taker, target: 3 })).toMatch(/below its lower bound/);
    expect(faultOf(5, { ...taker, low: -1 })).toMatch(/lower bound is negative/);
    expect(faultOf(5, { ...taker, high: 3 })).toMatch(/below the lower bound/);
  });
});
