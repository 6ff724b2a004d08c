import { expect, test } from "vitest";
import { compareAgentVersions, parseImageReference, versionOfTag } from "./image-reference.ts";

test.each([
  ["nginx", "", "nginx", null, null],
  ["fluent/fluent-bit:3.2.4", "", "fluent/fluent-bit", "3.2.4", null],
  ["quay.io/cilium/cilium:v1.17.4@sha256:ab", "quay.io", "cilium/cilium", "v1.17.4", "sha256:ab"],
  ["10.0.0.1:5000/a/b/c:x", "10.0.0.1:5000", "a/b/c", "x", null],
  ["localhost/a:1", "localhost", "a", "1", null],
  ["mirror/docker.io/library/nginx", "", "mirror/docker.io/library/nginx", null, null],
  ["repo/name:", "", "repo/name", null, null],
])("%s", (image, registry, repository, tag, digest) => {
  expect(parseImageReference(image)).toEqual({ registry, repository, tag, digest });
});

test.each(["", "  ", "two words", `a/${"b".repeat(2000)}`, ":tag"])("%j is no image", (image) => {
  expect(parseImageReference(image)).toBeNull();
});

test.each([
  ["v1.17.4", "1.17.4"],
  ["1.17.4-alpine", "1.17.4"],
  ["v1.19.0-rc.2", "1.19.0-rc.2"],
  ["agent-7.62.0", "7.62.0"],
  ["2.9.3-debian-11-r0", "2.9.3"],
  ["latest", null],
  ["main-4f2a1bc", null],
  ["7", null],
  [null, null],
])("the version in tag %j is %j", (tag, version) => {
  expect(versionOfTag(tag)).toBe(version);
});

test("versions are in order part by part; a pre-release precedes its release; a missing part is 0", () => {
  const sorted = ["1.9", "1.10.0-rc.1", "1.10.0", "1.10.1", "2"];
  expect(sorted.toReversed().toSorted((a, b) => compareAgentVersions(a, b) ?? 0)).toEqual(sorted);
  expect(compareAgentVersions("v1.2", "1.2.0")).toBe(0);
  expect(compareAgentVersions("latest", "1.2")).toBeNull();
});
