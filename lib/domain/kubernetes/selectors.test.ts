import { describe, expect, it } from "vitest";
import { exactMatch, parseFieldSelector, requiredValue } from "./field-selector.ts";
import { isLabelSelector } from "./label-selector.ts";
import { splitRequestUri } from "./query.ts";

describe("parseFieldSelector", () => {
  it("splits at commas that no backslash escapes, and at the first operator", () => {
    expect(parseFieldSelector("b!=1,,a==x\\,y\\=z\\\\")).toEqual([
      { field: "a", operator: "=", value: "x,y=z\\" },
      { field: "b", operator: "!=", value: "1" },
    ]);
    expect(parseFieldSelector("")).toEqual([]);
  });

  it.each(["a", "a=b=c", "a=\\x", "a=b\\", "!", "a!b"])("refuses %s", (selector) => {
    expect(parseFieldSelector(selector)).toBeNull();
  });
});

describe("requiredValue", () => {
  const SELECTORS = [
    "metadata.name=x",
    "metadata.name==x",
    "metadata.name===x",
    "metadata.name=",
    "metadata.name",
    "metadata.name!=x",
    "metadata.namespace=x",
    "spec.metadata.name=x",
    "metadata.name=x,",
    "metadata.name=x\\,y",
    "metadata.name=x\\y",
    "metadata.name=x,a!=b",
    "metadata.name=x,broken",
    "a=b",
    "",
  ];

  it.each(SELECTORS)("finds in %j what its terms say", (selector) => {
    const terms = parseFieldSelector(selector);
    expect(requiredValue(selector, "metadata.name")).toBe(terms && exactMatch(terms, "metadata.name"));
  });
});

describe("isLabelSelector", () => {
  it.each([
    "",
    " ",
    "a",
    "!a",
    "a,!b",
    "a=",
    "a==b",
    "a!=b",
    "a in (b,c)",
    "in in (in,notin)",
    "notin notin ()",
    "a in (,b)",
    "a in (b,,c)",
    "a in (b,)",
    "x>5,y<7",
    "example.com/a=b",
    "a =\tb",
    `a=${"x".repeat(63)}`,
  ])("reads %j", (selector) => {
    expect(isLabelSelector(selector, 37)).toBe(true);
  });

  it.each([
    "((bad",
    "a,",
    ",a",
    "a b",
    "!a=b",
    "a=b=c",
    "a in",
    "a in b",
    "a in (b",
    "a in (b c)",
    "a>x",
    "a>",
    "a>-5",
    "a=-x",
    "-a",
    "/a",
    "A.com/b",
    "a/b/c",
    "é",
    `a=${"x".repeat(64)}`,
    "=",
    "!",
  ])("refuses %j", (selector) => {
    expect(isLabelSelector(selector, 37)).toBe(false);
  });

  it("reads a set that ends in two commas from 1.35 on", () => {
    expect(isLabelSelector("a in (b,,)", 34)).toBe(false);
    expect(isLabelSelector("a in (b,,)", 35)).toBe(true);
  });
});

describe("splitRequestUri", () => {
  it("splits at the first question mark", () => {
    expect(splitRequestUri("/api/v1/pods?limit=5&a=?")).toEqual({
      path: "/api/v1/pods",
      query: "limit=5&a=?",
    });
    expect(splitRequestUri("/healthz")).toEqual({ path: "/healthz", query: "" });
  });
});
