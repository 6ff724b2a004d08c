import { expect, test } from "vitest";
import type { PartReport } from "@/lib/contracts/common";
import { describeFailure, describeRemedy } from "./part-words";

type Failure = NonNullable<PartReport["failure"]>;
const failure = (over: Partial<Failure>): Failure => ({
  reason: "forbidden",
  verb: "GET",
  path: "/metrics",
  status: 403,
  message: "not allowed",
  retryAfterSeconds: null,
  ...over,
});

test.each([
  [{}, "GET /metrics answered 403: not allowed"],
  [{ status: null, message: "no answer within 5 s" }, "GET /metrics: no answer within 5 s"],
  [
    { message: "get /metrics at 10.0.0.1:6443: forbidden (HTTP 403)" },
    "get /metrics at 10.0.0.1:6443: forbidden (HTTP 403)",
  ],
  [{ verb: null, path: null, status: null, message: "the budget is spent" }, "the budget is spent"],
  [
    { status: 429, retryAfterSeconds: 30 },
    "GET /metrics answered 429: not allowed; the server asks to wait 30\u00a0s",
  ],
])("%j reads %s", (over, text) => {
  expect(describeFailure(failure(over))).toBe(text);
});

test("what a reader can do is said for what a reader can change, and only then", () => {
  expect(describeRemedy(failure({ reason: "forbidden" }))).toContain("ClusterRole");
  expect(describeRemedy(failure({ reason: "budget" }))).toContain("clusters.budget");
  expect(describeRemedy(failure({ reason: "timeout" }))).toBeNull();
});
