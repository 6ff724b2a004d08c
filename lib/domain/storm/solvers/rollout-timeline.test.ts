import { describe, expect, it } from "vitest";
import { firstHarmSeconds, type RolloutStage, rolloutTimeline } from "./rollout-timeline.ts";

const DNS = { name: "DNS cache expiry", seconds: 1800 };
const ALERT = { name: "alert on API server latency", seconds: 300 };
const staging: RolloutStage = {
  clusters: [{ name: "staging", verdict: "invisible", breaksAfterSeconds: null }],
  soakSeconds: 600,
};
const production = (soakSeconds: number, ...names: readonly string[]): RolloutStage => ({
  clusters: names.map((name) => ({ name, verdict: "unsafe", breaksAfterSeconds: 40 })),
  soakSeconds,
});

describe("a staged rollout", () => {
  it("finds nothing where nothing breaks, however long it soaks", () => {
    expect(rolloutTimeline([{ ...staging, soakSeconds: 1e6 }], [ALERT])).toMatchObject({
      noticedAtSeconds: null,
      brokenWhenNoticed: [],
      neededSoakSeconds: 0,
      stages: [{ isFoundInSoak: null }],
    });
  });

  it("a soak shorter than the detection path finds nothing, and the next stage breaks too", () => {
    const short = rolloutTimeline([staging, production(600, "one"), production(600, "two")], [DNS]);
    expect(short.stages.map(({ isFoundInSoak }) => isFoundInSoak)).toEqual([null, false, false]);
    expect(short.noticedAtSeconds).toBe(600 + 40 + 1800);
    expect(short.brokenWhenNoticed).toEqual(["one", "two"]);
    expect(short.neededSoakSeconds).toBe(1840);
  });

  it("one that is long enough, or a quicker path, stops it at the first", () => {
    const long = rolloutTimeline([staging, production(1840, "one"), production(600, "two")], [DNS]);
    expect([long.stages[1]?.isFoundInSoak, long.brokenWhenNoticed]).toEqual([true, ["one"]]);
    const alerted = rolloutTimeline([staging, production(600, "one"), production(600, "two")], [DNS, ALERT]);
    expect([alerted.noticedAtSeconds, alerted.brokenWhenNoticed]).toEqual([940, ["one"]]);
  });

  it("without any path nobody notices, and all is broken", () => {
    const blind = rolloutTimeline([production(60, "one"), production(60, "two")], []);
    expect([blind.noticedAtSeconds, blind.brokenWhenNoticed]).toEqual([null, ["one", "two"]]);
  });
});

describe("the first harm", () => {
  const bands = (values: readonly number[]) => values.map((p50) => ({ p5: p50, p50, p95: p50, seeds: 1 }));
  const series = (rejected: readonly number[], waiting: readonly number[]) => ({
    stepSeconds: 2,
    executingSeats: [],
    limitSeats: [],
    waitingRequests: bands(waiting),
    rejected: bands(rejected),
    bytesPerSecond: [],
    memoryBytes: [],
  });

  it("is the first rejection, else the first wait, else none", () => {
    expect(firstHarmSeconds({ series: series([0, 0, 3], [0, 4, 9]) })).toBe(4);
    expect(firstHarmSeconds({ series: series([0, 0], [0, 4]) })).toBe(2);
    expect(firstHarmSeconds({ series: series([0], [0]) })).toBeNull();
  });
});
