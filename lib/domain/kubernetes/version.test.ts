import { describe, expect, it } from "vitest";
import { compareVersions, formatVersion, isAtLeast, parseVersion, ruleVersion } from "./version.ts";

describe("parseVersion", () => {
  it.each([
    ["1.34.13", 34, 13, null],
    ["v1.34.2-gke.100", 34, 2, null],
    ["v1.33.5-eks-3025e55", 33, 5, null],
    ["v1.31.4+k3s1", 31, 4, null],
    ["v1.37.0-beta.0", 37, 0, "beta.0"],
    ["v1.37.0-rc.1+abc", 37, 0, "rc.1"],
    ["v1.35.0-alpha.3.12+f00", 35, 0, null],
    ["1.36", 36, null, null],
    ["1.36+", 36, null, null],
    [" v1.26 ", 26, null, null],
  ])("reads %s", (text, minor, patch, preRelease) => {
    expect(parseVersion(text)).toEqual({ major: 1, minor, patch, preRelease });
  });

  it.each(["", "1", "v1", "1.x", "1.34.", "latest", "1.34.2.5", "-1.34", "1.34 2"])("refuses %j", (text) => {
    expect(parseVersion(text)).toBeNull();
  });
});

describe("compareVersions", () => {
  it("orders by number, a pre-release before its release, a minor alone after its patches", () => {
    const ordered = [
      "1.9.11",
      "1.26.3",
      "1.37.0-alpha.2",
      "1.37.0-alpha.10",
      "1.37.0-beta.0",
      "1.37.0-rc.0",
      "1.37.0",
      "1.37.2",
      "1.37.10",
      "1.37",
      "2.0.0",
    ];
    const versions = ordered.map((text) => parseVersion(text) ?? expect.fail(text));
    expect(versions.toReversed().toSorted(compareVersions).map(formatVersion)).toEqual(ordered);
  });

  it("calls two vendors' builds of one patch equal", () => {
    const [a, b] = ["v1.34.2-gke.100", "v1.34.2+k3s1"].map((text) => parseVersion(text));
    if (!a || !b) return expect.fail();
    expect(compareVersions(a, b)).toBe(0);
  });
});

describe("ruleVersion", () => {
  it("answers by a known version itself", () => {
    expect(ruleVersion("v1.34.2-gke.100")).toEqual({ minor: 34, patch: 2, isClamped: false, note: null });
    expect(ruleVersion("1.26")).toEqual({ minor: 26, patch: null, isClamped: false, note: null });
  });

  it("answers an older one by 1.26.0 and says so", () => {
    const rule = ruleVersion("1.25.16");
    expect(rule).toMatchObject({ minor: 26, patch: 0, isClamped: true });
    expect(rule.note).toBe(
      "1.25.16 is older than the versions whose rules are known (1.26 to 1.37): answered by the rules of 1.26.",
    );
    expect(ruleVersion("0.9")).toMatchObject({ minor: 26, isClamped: true });
  });

  it("answers a newer one by the newest 1.37 and says so", () => {
    expect(ruleVersion("1.38.0")).toMatchObject({ minor: 37, patch: null, isClamped: true });
    expect(ruleVersion("2.0").note).toMatch(/^2\.0 is newer than .* by the rules of 1\.37\.$/);
  });

  it("throws at what is no version", () => {
    expect(() => ruleVersion("latest")).toThrow(/"latest" is not a Kubernetes version/);
  });
});

describe("isAtLeast", () => {
  it("takes a version without a patch for the newest of its minor", () => {
    expect(isAtLeast({ minor: 34, patch: null }, 34, 1)).toBe(true);
    expect(isAtLeast({ minor: 34, patch: 0 }, 34, 1)).toBe(false);
    expect(isAtLeast({ minor: 34, patch: 0 }, 34)).toBe(true);
    expect(isAtLeast({ minor: 33, patch: 99 }, 34)).toBe(false);
    expect(isAtLeast({ minor: 35, patch: 0 }, 34, 1)).toBe(true);
  });
});
