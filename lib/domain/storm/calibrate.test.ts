import { describe, expect, it } from "vitest";
import { seededRandom } from "../rollout/seeded-random.ts";
import { calibrateServiceTime, type ServiceSample } from "./calibrate.ts";
import { DEFAULT_STORM_MODEL } from "./default-model.ts";
import { findCoefficients } from "./engine/request-shape.ts";
import { simulateStorm } from "./simulate-storm.ts";
import { makeStorm } from "./testing/make-storm.ts";

const AT = 1_790_000_000_000;
const sample = (overrides: Partial<ServiceSample>): ServiceSample => ({
  apiGroup: "",
  resource: "pods",
  representation: "protobuf",
  source: "cache",
  objects: 20_000,
  bytes: 100_000_000,
  seconds: 0.9,
  at: AT,
  ...overrides,
});
const many = (count: number, of: (index: number) => Partial<ServiceSample>) =>
  Array.from({ length: count }, (_, index) => sample(of(index)));

describe("calibration of the service time", () => {
  it("scales to the mean of requests of one size: twice as fast as the default is half of it", () => {
    const { model, cases, calibratedAt } = calibrateServiceTime(
      many(20, (index) => ({ seconds: index % 2 === 0 ? 0.8 : 1, at: AT + index })),
      DEFAULT_STORM_MODEL,
    );
    const fitted = findCoefficients(model, sample({}), "cache");
    const seconds = fitted.secondsPerObject * 20_000 + fitted.secondsPerByte * 1e8 + model.requestSeconds;
    expect(seconds).toBeCloseTo(0.9, 6);
    expect(cases[0]?.predictedSeconds).toBeCloseTo(1.7805, 3);
    expect(calibratedAt).toBe(AT + 19);
    expect(fitted.calibratedAt).toBe(AT + 19);
  });

  it("tells base and slope apart where sizes differ fourfold: a line through noise of 20 % comes back", () => {
    const random = seededRandom(3);
    const samples = many(200, () => {
      const objects = 100 + Math.floor(random() * 20_000);
      const noise = 0.8 + 0.4 * random();
      const seconds = (DEFAULT_STORM_MODEL.requestSeconds + 0.04 + objects * 120e-6) * noise;
      return { objects, bytes: objects * 5000, seconds };
    });
    const { model, errorRatio } = calibrateServiceTime(samples, DEFAULT_STORM_MODEL);
    const fitted = findCoefficients(model, sample({}), "cache");
    expect(fitted.baseSeconds).toBeGreaterThan(0.03);
    expect(fitted.baseSeconds).toBeLessThan(0.05);
    const perObject = fitted.secondsPerObject + 5000 * fitted.secondsPerByte;
    expect(perObject / 120e-6).toBeGreaterThan(0.9);
    expect(perObject / 120e-6).toBeLessThan(1.1);
    expect(errorRatio).toBeLessThan(0.05);
  });

  it("leaves a case with fewer than 20 requests and under 10 s as it was, and says so", () => {
    const { model, cases, calibratedAt, errorRatio } = calibrateServiceTime(
      many(10, () => ({})),
      DEFAULT_STORM_MODEL,
    );
    expect(model.service).toEqual(DEFAULT_STORM_MODEL.service);
    expect(cases[0]).toMatchObject({ requests: 10, isEnough: false });
    expect(cases[0]?.text).toMatch(/10 requests in 9 s are too few/);
    expect([calibratedAt, errorRatio]).toEqual([null, null]);
  });

  it("takes fewer requests where they ran 10 s and more", () => {
    expect(
      calibrateServiceTime(
        many(4, () => ({ seconds: 3 })),
        DEFAULT_STORM_MODEL,
      ).cases[0]?.isEnough,
    ).toBe(true);
  });

  it("keeps resources and forms apart, and calls nothing measured that was not", () => {
    const { model, cases } = calibrateServiceTime(
      [
        ...many(20, () => ({})),
        ...many(20, () => ({
          resource: "nodes",
          representation: "json",
          objects: 2000,
          bytes: 2e7,
          seconds: 0.1,
        })),
      ],
      DEFAULT_STORM_MODEL,
    );
    expect(cases.map(({ resource, representation }) => `${resource} ${representation}`)).toEqual([
      "nodes json",
      "pods protobuf",
    ]);
    expect(
      findCoefficients(model, { apiGroup: "", resource: "services", representation: "protobuf" }, "cache")
        .calibratedAt,
    ).toBeNull();
  });

  it("says its error: one standard deviation of the mean", () => {
    const noisy = calibrateServiceTime(
      many(100, (index) => ({ seconds: index % 2 === 0 ? 0.5 : 1.5 })),
      DEFAULT_STORM_MODEL,
    );
    expect(noisy.errorRatio).toBeCloseTo(0.05, 2);
  });

  it("leaves out what is no measurement: not finite, zero, negative", () => {
    const wrong = [Number.NaN, 0, -1, Number.POSITIVE_INFINITY].flatMap((seconds) =>
      many(30, () => ({ seconds })),
    );
    expect(calibrateServiceTime(wrong, DEFAULT_STORM_MODEL).cases).toEqual([]);
    expect(calibrateServiceTime([], DEFAULT_STORM_MODEL).model).toEqual(DEFAULT_STORM_MODEL);
  });

  it("moves the storm: at half the service time there is no collapse", () => {
    const { model } = calibrateServiceTime(
      many(30, () => ({ seconds: 0.7 })),
      DEFAULT_STORM_MODEL,
    );
    expect(simulateStorm(makeStorm({ model })).drain.outcome).toBe("drained");
    expect(simulateStorm(makeStorm({ patienceSeconds: 90 })).drain.outcome).toBe("collapse");
  });
});
