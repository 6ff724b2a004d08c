import { describe, expect, test } from "vitest";
import { assertOwnHost, assertSameOrigin, isJson } from "./same-origin.ts";

const LOCAL = { address: "127.0.0.1", baseUrl: null };
const NAMED = { address: "127.0.0.1", baseUrl: "https://headroom.example.com" };

const headers = (given: Record<string, string>) => ({ headers: new Headers(given) });

describe("the Host header", () => {
  test.each([
    "localhost",
    "localhost:3000",
    "LOCALHOST:3000",
    "127.0.0.1:3000",
    "127.9.8.7",
    "[::1]:3000",
    "127.0.0.1:8080",
  ])("%s is this machine", (host) => {
    expect(() => assertOwnHost({ method: "GET", ...headers({ host }) }, LOCAL)).not.toThrow();
  });

  test.each([
    "attacker.example",
    "127.0.0.1.attacker.example",
    "localhost.attacker.example:3000",
    "10.0.0.1:3000",
    "headroom.example.com",
    "127.0.0.1@attacker.example",
    "localhost/x",
    "",
  ])("%s is not", (host) => {
    expect(() => assertOwnHost({ method: "GET", ...headers(host === "" ? {} : { host }) }, LOCAL)).toThrow(
      expect.objectContaining({ status: 421, code: "unknown-host" }),
    );
  });

  test("may be the name in server.baseUrl", () => {
    expect(() =>
      assertOwnHost({ method: "GET", ...headers({ host: "headroom.example.com" }) }, NAMED),
    ).not.toThrow();
  });
});

describe("what changes something", () => {
  const JSON_TYPE = { "content-type": "application/json" };

  test.each<[string, string, Record<string, string>, typeof LOCAL | typeof NAMED]>([
    [
      "from our own page",
      "POST",
      { host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-origin" },
      LOCAL,
    ],
    [
      "from our own page by an older browser",
      "DELETE",
      { host: "localhost:3000", origin: "http://localhost:3000" },
      LOCAL,
    ],
    [
      "from our own page on the default port",
      "POST",
      { host: "localhost", origin: "http://localhost:80" },
      LOCAL,
    ],
    [
      "from our own page behind a proxy with TLS",
      "POST",
      { host: "127.0.0.1:3000", origin: "https://headroom.example.com" },
      NAMED,
    ],
    ["from a program that says JSON", "POST", { host: "127.0.0.1:3000", ...JSON_TYPE }, LOCAL],
    [
      "from a program that says JSON, without a body",
      "DELETE",
      { host: "127.0.0.1:3000", ...JSON_TYPE },
      LOCAL,
    ],
    [
      "nothing: a GET from anywhere",
      "GET",
      { host: "127.0.0.1:3000", origin: "https://attacker.example", "sec-fetch-site": "cross-site" },
      LOCAL,
    ],
  ])("%s is taken", (_title, method, given, own) => {
    expect(() => assertSameOrigin({ method, ...headers(given) }, own)).not.toThrow();
  });

  test.each<[string, string, Record<string, string>]>([
    [
      "from another site",
      "POST",
      { host: "127.0.0.1:3000", origin: "https://attacker.example", "sec-fetch-site": "cross-site" },
    ],
    [
      "from another site that says JSON",
      "POST",
      { host: "127.0.0.1:3000", origin: "https://attacker.example", ...JSON_TYPE },
    ],
    [
      "from another port of this machine",
      "POST",
      { host: "127.0.0.1:3000", origin: "http://127.0.0.1:8080", "sec-fetch-site": "same-site" },
    ],
    [
      "from another port, by an older browser",
      "POST",
      { host: "127.0.0.1:3000", origin: "http://127.0.0.1:8080" },
    ],
    ["from a sandboxed frame or a file", "POST", { host: "127.0.0.1:3000", origin: "null" }],
    ["typed into the address bar", "POST", { host: "127.0.0.1:3000", "sec-fetch-site": "none" }],
    [
      "by a form of a browser that says nothing",
      "POST",
      { host: "127.0.0.1:3000", "content-type": "application/x-www-form-urlencoded" },
    ],
    [
      "by a form that pretends",
      "POST",
      { host: "127.0.0.1:3000", "content-type": "text/plain; x=application/json" },
    ],
    ["by a program that says no type", "DELETE", { host: "127.0.0.1:3000" }],
    [
      "from another site with the origin in user information",
      "POST",
      { host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000@attacker.example" },
    ],
  ])("%s is refused", (_title, method, given) => {
    expect(() => assertSameOrigin({ method, ...headers(given) }, LOCAL)).toThrow(
      expect.objectContaining({ status: 403, code: "cross-site" }),
    );
  });
});

test.each([
  ["application/json", true],
  ["application/json; charset=utf-8", true],
  ["Application/JSON", true],
  ["application/jsonp", false],
  ["application/merge-patch+json", false],
  ["text/plain;application/json", false],
  [null, false],
])("%s is JSON: %s", (type, is) => {
  expect(isJson(type)).toBe(is);
});
