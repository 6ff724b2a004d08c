import { describe, expect, it } from "vitest";
import { READ_FAILURE_REASONS } from "../domain/clusters/part.ts";
import { decideRetry, parseRetryAfter, type RetryInput } from "./retry.ts";

const first: RetryInput = {
  reason: "server-error",
  status: 500,
  retryAfterSeconds: null,
  wasReset: false,
  hasDelivered: false,
  attempts: 1,
  random: 0.25,
};

describe("decideRetry", () => {
  it.each(READ_FAILURE_REASONS.filter((reason) => reason !== "throttled" && reason !== "server-error"))(
    "%s is never tried again, with or without Retry-After",
    (reason) => {
      expect(decideRetry({ ...first, reason })).toEqual({ retry: false, because: "final" });
      expect(decideRetry({ ...first, reason, retryAfterSeconds: 1 })).toEqual({
        retry: false,
        because: "final",
      });
    },
  );

  it.each<[string, Partial<RetryInput>, ReturnType<typeof decideRetry>]>([
    [
      "429 waits as long as it says",
      { reason: "throttled", retryAfterSeconds: 7 },
      { retry: true, delaySeconds: 7 },
    ],
    ["429 of 0 s at once", { reason: "throttled", retryAfterSeconds: 0 }, { retry: true, delaySeconds: 0 }],
    ["429 without a header: 1 s", { reason: "throttled" }, { retry: true, delaySeconds: 1 }],
    ["429 a second time", { reason: "throttled", attempts: 2 }, { retry: true, delaySeconds: 1 }],
    [
      "429 a third time is the end",
      { reason: "throttled", attempts: 3 },
      { retry: false, because: "exhausted" },
    ],
    [
      "429 for longer than any API server asks",
      { reason: "throttled", retryAfterSeconds: 33 },
      { retry: false, because: "too-long" },
    ],
    ["5xx once, with jitter", {}, { retry: true, delaySeconds: 0.75 }],
    ["5xx with Retry-After", { retryAfterSeconds: 1 }, { retry: true, delaySeconds: 1 }],
    ["5xx twice is the end", { attempts: 2 }, { retry: false, because: "exhausted" }],
    [
      "a closed connection once",
      { reason: "unreachable", wasReset: true },
      { retry: true, delaySeconds: 0.75 },
    ],
    ["half a body handed over", { hasDelivered: true }, { retry: false, because: "final" }],
  ])("%s", (_, change, decision) => {
    expect(decideRetry({ ...first, ...change })).toEqual(decision);
  });
});

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    ["5", 5],
    [" 0 ", 0],
    ["Thu, 01 Jan 2026 00:00:09 GMT", 9],
    ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["", null],
    ["99999999999999999999", null],
    [undefined, null],
  ])("%j is %j", (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });
});
