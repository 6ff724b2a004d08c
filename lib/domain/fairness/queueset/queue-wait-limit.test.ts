import { describe, expect, it } from "vitest";
import { ruleVersion } from "../../kubernetes/version.ts";
import { queueWaitLimitSeconds } from "./queue-wait-limit.ts";
import { rejectionReason } from "./rejection-reason.ts";

describe("the limit of waiting in a queue", () => {
  const version = ruleVersion("1.34");
  it("is a quarter of the request's time, one minute at most", () => {
    expect(queueWaitLimitSeconds({ version })).toBe(15);
    expect(queueWaitLimitSeconds({ version, timeoutSeconds: 20 })).toBe(5);
    expect(queueWaitLimitSeconds({ version, timeoutSeconds: 600 })).toBe(15);
    expect(queueWaitLimitSeconds({ version, requestTimeoutSeconds: 300 })).toBe(60);
    expect(queueWaitLimitSeconds({ version, requestTimeoutSeconds: 120 })).toBe(30);
    expect(queueWaitLimitSeconds({ version, timeoutSeconds: 20, hasDeadline: false })).toBe(15);
  });

  it("is a quarter of the server's request timeout for all before 1.28.5", () => {
    const old = ruleVersion("1.28.4");
    expect(queueWaitLimitSeconds({ version: old, timeoutSeconds: 20 })).toBe(15);
    expect(queueWaitLimitSeconds({ version: old, requestTimeoutSeconds: 300 })).toBe(75);
    expect(queueWaitLimitSeconds({ version: ruleVersion("1.28.5"), timeoutSeconds: 20 })).toBe(5);
  });
});

describe("rejectionReason", () => {
  it("is the label of rejected_requests_total: a client that leaves is cancelled only before 1.28.5", () => {
    expect(rejectionReason("gave-up", ruleVersion("1.28.4"))).toBe("cancelled");
    expect(rejectionReason("gave-up", ruleVersion("1.28.5"))).toBe("time-out");
    expect(rejectionReason("queue-full", ruleVersion("1.26"))).toBe("queue-full");
    expect(rejectionReason("concurrency-limit", ruleVersion("1.34"))).toBe("concurrency-limit");
    expect(rejectionReason("time-out", ruleVersion("1.34"))).toBe("time-out");
    expect(rejectionReason("executed", ruleVersion("1.34"))).toBeNull();
  });
});
