import { expect, test } from "vitest";
import { matchesEntityTag, weakEntityTag } from "./entity-tag.ts";

const body = {
  frame: { now: 1, clusters: 3, collector: { heartbeatAt: 5, state: "running" } },
  rows: [{ seats: 4 }],
};

test("the time at which a body was made does not change its tag", () => {
  const later = {
    ...body,
    frame: { ...body.frame, now: 2, collector: { heartbeatAt: 6, state: "running" } },
  };
  expect(weakEntityTag(later, "0.1.0")).toBe(weakEntityTag(body, "0.1.0"));
});

test.each([
  ["a figure", { ...body, rows: [{ seats: 5 }] }, "0.1.0"],
  [
    "a state",
    { ...body, frame: { ...body.frame, collector: { heartbeatAt: 5, state: "stopped" } } },
    "0.1.0",
  ],
  ["the release", body, "0.2.0"],
])("%s does", (_title, other, version) => {
  expect(weakEntityTag(other, version)).not.toBe(weakEntityTag(body, "0.1.0"));
});

test.each([
  [null, false],
  ["*", true],
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['W/"ab"', false],
  ["", false],
])("If-None-Match %s names the tag: %s", (header, matches) => {
  expect(matchesEntityTag(header, 'W/"a"')).toBe(matches);
});
