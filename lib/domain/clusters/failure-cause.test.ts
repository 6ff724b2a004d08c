import { expect, test } from "vitest";
import { causeOf } from "./failure-cause.ts";

test.each([
  ["no answer within 5 s (GET /version at 10.0.0.1:6443)", "no answer within 5 s"],
  ["the body is not JSON (GET /api/v1/nodes?limit=1)", "the body is not JSON"],
  [
    "the credentials were refused: Unauthorized (HTTP 401, GET /metrics at [::1]:6443)",
    "the credentials were refused: Unauthorized (HTTP 401)",
  ],
  ["the budget is spent", "the budget is spent"],
  ["the proxy (a SOCKS one) refused", "the proxy (a SOCKS one) refused"],
])("%s comes down to %s", (message, cause) => {
  expect(causeOf(message)).toBe(cause);
});
