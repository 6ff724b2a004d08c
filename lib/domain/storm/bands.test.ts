import { describe, expect, it } from "vitest";
import { bandOf, bandsOf, simulateSeed, stormBands } from "./bands.ts";
import { makeCluster, makeCollection, makeStorm } from "./testing/make-storm.ts";

const small = makeStorm({ cluster: makeCluster({ collections: [makeCollection({ objects: 4000 })] }) });

describe("bands over seeds", () => {
  it("are p5, p50 and p95 by linear interpolation; of nothing there is none", () => {
    expect(bandOf([])).toBeNull();
    expect(bandOf([3])).toEqual({ p5: 3, p50: 3, p95: 3, seeds: 1 });
    expect(bandOf(Array.from({ length: 101 }, (_, index) => 100 - index))).toEqual({
      p5: 5,
      p50: 50,
      p95: 95,
      seeds: 101,
    });
  });

  it("filled in seed by seed are those of all at once", () => {
    const seeds = [1, 2, 3, 4];
    const one = seeds.map((seed) => simulateSeed(small, seed));
    expect(bandsOf(one)).toEqual(stormBands(small, seeds));
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
    expect(bandsOf(one.slice(0, 2)).seeds).toEqual([1, 2]);
  });

  it("hold each seed's figures between them, and count those that do not drain", () => {
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    const { figures, series, undrained, verdicts } = stormBands(small, seeds);
    const { p5, p50, p95, seeds: count } = figures.drainSeconds ?? { p5: 0, p50: 0, p95: 0, seeds: 0 };
    expect(count).toBe(8);
    expect(p5).toBeLessThan(p50);
    expect(p50).toBeLessThan(p95);
    expect(undrained).toBe(0);
    expect(verdicts).toEqual({ unsafe: 8 });
    expect(series.executingSeats.length).toBe(series.limitSeats.length);
    expect(Math.max(...series.limitSeats.map((band) => band.p95))).toBeGreaterThan(300);
    for (const band of series.memoryBytes) expect(band.p5).toBeLessThanOrEqual(band.p95);
  });

  it("of undrained seeds have no drain time, which is not zero", () => {
    const { figures, undrained } = stormBands(makeStorm({ patienceSeconds: 100 }), [1, 2]);
    expect(undrained).toBe(2);
    expect(figures.drainSeconds).toBeNull();
  });

  it("of no seed have no figures", () => {
    const { figures, series } = bandsOf([]);
    expect(Object.values(figures).every((band) => band === null)).toBe(true);
    expect(series.executingSeats).toEqual([]);
  });
});
