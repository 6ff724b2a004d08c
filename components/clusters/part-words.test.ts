import { expect, test } from "vitest";
import { partFixture } from "@/components/fixtures/cluster-fixture";
import type { PartReport } from "@/lib/contracts/common";
import { describeFailure, describeRemedy, seatsByPart, tellFailuresOnce } from "./part-words";

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
    { message: "forbidden (HTTP 403, GET /metrics at 10.0.0.1:6443)" },
    "forbidden (HTTP 403, GET /metrics at 10.0.0.1:6443)",
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

test("what every part failed for is said in full once, then in a few words; other causes in full", () => {
  const timeout = (path: string) =>
    failure({
      reason: "timeout",
      status: null,
      path,
      message: `no answer within 5 s (GET ${path} at 10.0.0.1:6443)`,
    });
  const refused = failure({
    reason: "unauthorized",
    path: "/version",
    message: "refused (HTTP 401, GET /version)",
  });
  const told = tellFailuresOnce(
    [timeout("/version"), timeout("/metrics"), null, refused, refused].map((each) =>
      partFixture({ status: each === null ? "ok" : "failed", failure: each }),
    ),
  );
  expect(told.map((each) => each.failure)).toEqual([
    "no answer within 5 s (GET /version at 10.0.0.1:6443)",
    "no answer within 5 s",
    null,
    "refused (HTTP 401, GET /version)",
    "refused (HTTP 401)",
  ]);
  expect(told.map((each) => each.remedy?.includes("credentials") ?? false)).toEqual([
    false,
    false,
    false,
    true,
    false,
  ]);
});

test("seats by part name what was priced; a part that was not is left out, not zero", () => {
  const seats = (widestSeats: number) => ({ widestSeats, seatSeconds: 1, notPriced: 0 });
  const parts = [
    partFixture({ part: "version", seats: seats(1) }),
    partFixture({ part: "sizes", seats: null }),
    partFixture({ part: "fairness", seats: seats(0) }),
    partFixture({ part: "inventory", seats: seats(10) }),
  ];
  expect(seatsByPart(parts)?.replace(/\u00a0/g, " ")).toBe(
    "Widest request: version, gates ≈ 1 seat, inventory ≈ 10 seats.",
  );
  expect(seatsByPart([partFixture({ seats: null })])).toBeNull();
});
