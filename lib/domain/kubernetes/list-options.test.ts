import { describe, expect, it } from "vitest";
import { parseInt64, parseListOptions } from "./list-options.ts";

describe("parseListOptions", () => {
  it("reads every parameter and resolves escapes in keys and values", () => {
    expect(
      parseListOptions(
        "labelSelector=app%3Dweb+x&fieldSelector=spec.nodeName%3dn%C3%A9&watch=1&resourceVersion=7&resourceVersionMatch=Exact&l%69mit=5&timeoutSeconds=-3&continue=abc&sendInitialEvents=false&allowWatchBookmarks=true&bogus=1",
      ),
    ).toEqual({
      labelSelector: "app=web x",
      fieldSelector: "spec.nodeName=né",
      watch: true,
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
      limit: 5,
      timeoutSeconds: -3,
      continue: "abc",
      sendInitialEvents: false,
      allowWatchBookmarks: true,
      isDecodable: true,
    });
  });

  it("counts the first of a repeated parameter, passing over pairs that Go drops", () => {
    expect(parseListOptions("limit=1&limit=2").limit).toBe(1);
    expect(parseListOptions("limit=%zz&limit=2").limit).toBe(2);
    expect(parseListOptions("limit=1;x&limit=2").limit).toBe(2);
    expect(parseListOptions("&&limit=2&").limit).toBe(2);
    expect(parseListOptions("continue=%80").continue).toBe("\ufffd");
  });

  it.each([
    ["watch=", true],
    ["watch", true],
    ["watch=no", true],
    ["watch=0", false],
    ["watch=False", false],
    ["", false],
  ])("%j means watch %s", (query, expected) => {
    expect(parseListOptions(query).watch).toBe(expected);
  });

  it.each(["limit=abc", "limit=", "limit=1e3", "limit=9223372036854775808", "timeoutSeconds=x"])(
    "%s does not decode",
    (query) => {
      expect(parseListOptions(query).isDecodable).toBe(false);
    },
  );
});

describe("parseInt64", () => {
  it.each([
    ["0", 0],
    ["007", 7],
    ["+5", 5],
    ["-12", -12],
    ["000000000000000000000000012", 12],
    ["9223372036854775807", 2 ** 63],
    ["-9223372036854775808", -(2 ** 63)],
  ])("reads %s", (text, expected) => {
    expect(parseInt64(text)).toBe(expected);
  });

  it.each(["", "+", "-", " 5", "5 ", "0x10", "1_000", "9223372036854775808", "-9223372036854775809", "1.0"])(
    "refuses %j",
    (text) => {
      expect(parseInt64(text)).toBeNull();
    },
  );
});
