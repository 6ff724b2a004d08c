import { expect, test } from "vitest";
import { findRule, RULES, rulesNamed } from "./registry.ts";
import { areaOf } from "./rule.ts";

test("names are dotted slugs, each once, in order", () => {
  const names = RULES.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)].sort());
});

test.each(RULES.map((rule) => [rule.name, rule] as const))("%s says what, why, fix and source", (_, rule) => {
  for (const text of [rule.what, rule.why, rule.fix]) expect(text).toMatch(/^[A-Z`].{20,}\.$/s);
  expect(rule.title).toMatch(/^[A-Z].*[^.]$/s);
  expect(rule.sources.length).toBeGreaterThan(0);
  for (const { text, url } of rule.sources) {
    expect(text).not.toBe("");
    if (url !== null) expect(new URL(url).protocol).toBe("https:");
  }
  const { from, until } = rule.versions;
  if (from !== null && until !== null) expect(from).toBeLessThanOrEqual(until);
});

test("rules are found by name and by area", () => {
  expect(findRule("rollout.unpaced")?.name).toBe("rollout.unpaced");
  expect(findRule("rollout")).toBeNull();
  expect(rulesNamed("rollout.*").every((rule) => areaOf(rule) === "rollout")).toBe(true);
  expect(rulesNamed("nothing.*")).toEqual([]);
});
