import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import { DemandIntegrator } from "./demand-integrator.ts";
import { NO_DEMAND, updateDemandStatistics } from "./demand-statistics.ts";
import { replayDemand } from "./replay-demand.ts";

interface DemandVector {
  readonly id: string;
  readonly versions: readonly string[];
  readonly series: readonly (readonly [number, number | "reset"])[];
  readonly results: readonly (readonly (number | null)[])[];
}

const at12Digits = (figure: number | null) => (figure === null ? null : Number(figure.toPrecision(12)));

const smooth = (smoothed: number, envelope: number) => {
  const integrator = new DemandIntegrator(0);
  integrator.set(0, envelope);
  return updateDemandStatistics(
    { ...NO_DEMAND, smoothed },
    integrator.reset(10_000_000_000),
    ruleVersion("1.34"),
  );
};

describe("demand statistics", () => {
  it("agree with upstream at 12 digits, by version: 121 vectors", () => {
    const { vectors } = readVectors<DemandVector>("demand-stats.json");
    const wrong = vectors.flatMap(({ id, versions, series, results }) =>
      versions.flatMap((v) => {
        const own = replayDemand({ v, series }).results.map((row) => row.map(at12Digits));
        return JSON.stringify(own) === JSON.stringify(results) ? [] : [{ id, v, own, results }];
      }),
    );
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(121);
  });

  it("B8: 0 for 5 s, then 100 for 5 s: average 50, deviation 50, high watermark 100, envelope 100", () => {
    const { results } = replayDemand({
      v: "1.34",
      series: [
        [0, 0],
        [5_000_000, 100],
        [10_000_000, "reset"],
      ],
    });
    expect(results).toEqual([[10, 50, 50, 0, 100, 100, 50, 50, 100]]);
  });

  it("B9: smoothed 100 becomes 97.7, 200 and 98.85 at envelopes of 0, 200 and 50", () => {
    expect(smooth(100, 0).smoothed).toBeCloseTo(97.7, 10);
    expect(smooth(100, 200).smoothed).toBe(200);
    expect(smooth(100, 50).smoothed).toBeCloseTo(98.85, 10);
  });

  it("B10: smoothed 100 is 49.8 after 30 idle periods", () => {
    let smoothed = 100;
    for (let period = 0; period < 30; period++) smoothed = smooth(smoothed, 0).smoothed;
    expect(smoothed).toBeCloseTo(49.8, 1);
  });

  it("is poisoned by a period of no length before the guard of 1.26.13, 1.27.10, 1.28.6 and 1.29.0", () => {
    const smoothedAt = (v: string) => {
      const series = [
        [0, 7],
        [0, "reset"],
        [10_000_000, "reset"],
      ] as const;
      return replayDemand({ v, series }).results.at(-1)?.at(-1);
    };
    for (const v of ["1.26.12", "1.27.9", "1.28.5", "1.26.0"]) expect(smoothedAt(v)).toBeNull();
    for (const v of ["1.26.13", "1.27.10", "1.28.6", "1.28", "1.29.0", "1.37.2"])
      expect(smoothedAt(v)).toBe(7);
  });
});
