import { describe, expect, test } from "vitest";
import { type KubeletPace, kubeletPace, simulateImagePulls } from "./image-pulls.ts";
import { toSeconds, toTicks } from "./ticks.ts";

test.each([
  ["1.26.3", { qps: 5, burst: 10 }],
  ["1.27.0", { qps: 50, burst: 100 }],
  ["1.36", { qps: 50, burst: 100 }],
])("a kubelet of %s has %j for its calls and events", (version, rate) => {
  expect(kubeletPace(version)).toEqual({
    api: rate,
    events: rate,
    pulls: { qps: 5, burst: 10 },
    parallelPulls: 1,
  });
});

describe("pulls on one node", () => {
  const pods = (count: number, { seconds = 10, images = count } = {}) =>
    Array.from({ length: count }, (_, index) => ({
      atTick: 0,
      image: `image-${index % images}`,
      pullTicks: toTicks(seconds),
    }));
  const done = (count: number, pace: Partial<KubeletPace>, options?: { seconds?: number; images?: number }) =>
    simulateImagePulls(pods(count, options), { ...kubeletPace("1.36"), ...pace }).map(({ doneTick }) =>
      toSeconds(doneTick),
    );

  test("serial by default: the tenth image is there after ten pulls", () => {
    expect(done(10, {})).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test("one image for many pods is pulled once", () => {
    expect(done(5, {}, { images: 1 })).toEqual([10, 10, 10, 10, 10]);
  });

  test("in parallel, two at a time", () => {
    expect(done(4, { parallelPulls: 2 })).toEqual([10, 10, 20, 20]);
  });

  test("without a bound 15 pulls at once exceed the burst of 10: five fail and come back after 10 s", () => {
    const results = simulateImagePulls(pods(15), { ...kubeletPace("1.36"), parallelPulls: null });
    expect(results.map(({ refusals }) => refusals)).toEqual([
      ...new Array(10).fill(0),
      ...new Array(5).fill(1),
    ]);
    expect(results.map(({ doneTick }) => toSeconds(doneTick)).slice(10)).toEqual(new Array(5).fill(20));
    expect(toSeconds(results[14]?.waitTicks ?? 0)).toBe(10);
  });

  test("100 quick pulls: back-offs double, and none is lost", () => {
    const results = simulateImagePulls(pods(100, { seconds: 0.1 }), {
      ...kubeletPace("1.36"),
      parallelPulls: null,
    });
    // 10 at 0 s, then 10 tokens each time that the rest comes back.
    expect(Math.max(...results.map(({ refusals }) => refusals))).toBeGreaterThan(2);
    expect(results.every(({ doneTick }) => doneTick > 0)).toBe(true);
  });

  test("without a limit of the rate nothing is refused", () => {
    expect(done(50, { pulls: null, parallelPulls: null })).toEqual(new Array(50).fill(10));
  });
});
