import { expect, test } from "vitest";
import { daemonSetRules } from "./daemonset-rules.ts";

test.each([
  ["1.20.15", true],
  ["1.21.0", false],
  ["1.26.15", false],
  ["1.27.16", false],
  ["1.28.14", false],
  ["1.28.15", true],
  ["1.29.9", false],
  ["1.29.10", true],
  ["1.30.4", false],
  ["1.30.5", false],
  ["1.30.6", true],
  ["1.30.14", true],
  ["1.30", true],
  ["1.31.0", true],
  ["v1.34.2-gke.100", true],
  ["1.99", true],
])("%s counts old unavailable pods: %s", (version, counts) => {
  expect(daemonSetRules(version).countsOldUnavailable).toBe(counts);
});

test.each([
  ["1.30.14", false],
  ["1.33.13", false],
  ["1.34.4", true],
  ["1.37.2", true],
])("in %s a pod is available at exactly minReadySeconds: %s", (version, isAvailable) => {
  expect(daemonSetRules(version).isAvailableAtMinReadySeconds).toBe(isAvailable);
});

test("says where it answers with the nearest known version, names the regression and the newest patch", () => {
  expect(daemonSetRules("1.40.1").notes).toEqual([expect.stringContaining("1.40.1 is newer")]);
  expect(daemonSetRules("1.20.1").notes).toEqual([
    expect.stringContaining("1.20.1 is older"),
    expect.stringContaining("Before 1.21"),
  ]);
  expect(daemonSetRules("1.30.4").notes).toEqual([expect.stringContaining("fixed in 1.28.15, 1.29.10")]);
  expect(daemonSetRules("1.30").notes).toEqual([expect.stringContaining("before 1.30.6")]);
  expect(daemonSetRules("1.36.3").notes).toEqual([]);
});

test("refuses what is no version", () => {
  expect(() => daemonSetRules("latest")).toThrow(RangeError);
});
