import { expect, it } from "vitest";
import { describeEachVersion } from "../describe-each-version.ts";
import { compareStorm, endingOf, predictedEnding } from "./compare-storm.ts";
import { measureSingles, measureStorm, startStormBed } from "./measure-storm.ts";
import { predictStorm } from "./predict-storm.ts";
import { NODES, PODS, type StormCase } from "./storm-case.ts";

/** Short storms. Times on a shared machine say nothing: what happened, and in which order of harm, does. */
describeEachVersion("a storm of real client-go reflectors", ["seed", "storm"], (version) => {
  const base: Omit<StormCase, "id" | "resources"> = {
    version,
    copies: 60,
    startWindowSeconds: 0.5,
    watchList: false,
    gzip: false,
    inflight: null,
    seed: 1,
    limitSeconds: 40,
  };

  it("of small LISTs drains, and of all pods waits, is rejected or collapses, as predicted from single requests", async () => {
    await using bed = await startStormBed(version, null);
    const run = (id: string, over: Partial<StormCase> & Pick<StormCase, "resources">) => {
      const stormCase = { ...base, id, ...over };
      return measureStorm(bed, stormCase, (resource) =>
        measureSingles(bed, resource, { gzip: stormCase.gzip, watchList: stormCase.watchList, requests: 6 }),
      );
    };
    const small = await run("small", { resources: [NODES], copies: 30 });
    const smallPrediction = predictStorm(small);
    expect(endingOf(small)).toBe("drained");
    expect(predictedEnding(smallPrediction, base.limitSeconds)).toBe("drained");
    expect(small.storm.outcome.filled).toBe(30);

    const large = await run("large", { resources: [PODS] });
    const largePrediction = predictStorm(large);
    // It is harm on both sides: LISTs are rejected, or cut at the deadline.
    const harm = (rejected: Readonly<Record<string, number>>, cut: number) =>
      Object.values(rejected).reduce((sum, count) => sum + count, 0) + cut;
    expect(harm(large.storm.rejected, large.storm.cutByDeadline)).toBeGreaterThan(0);
    expect(harm(largePrediction.rejected, largePrediction.timeouts)).toBeGreaterThan(0);
    expect(largePrediction.verdict).toBe("unsafe");
    expect(largePrediction.drainSeconds.p50).toBeGreaterThan(smallPrediction.drainSeconds.p50);
    // Seats are rules, not models: the level never holds more than it may, and both sides fill it.
    const seats = compareStorm(large, largePrediction).find(({ what }) => what === "most seats");
    expect(seats?.measured).toBeGreaterThan(0);
    expect(Math.abs(seats?.errorRatio ?? 1)).toBeLessThan(0.1);
  }, 400_000);
});
