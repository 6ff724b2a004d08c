import { expect, it } from "vitest";
import { closingLine, countPlaywright, countVitest } from "./test-steps.mjs";

it("closes with one line that counts", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 3 })).toBe("12 passed, 0 failed, 3 skipped");
});

it("counts a test file that could not be loaded as a failure", () => {
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    testResults: [
      { status: "failed", assertionResults: [] },
      { status: "failed", assertionResults: [{}] },
      { status: "passed", assertionResults: [{}] },
    ],
  };
  expect(countVitest(report)).toEqual({ passed: 4, failed: 2, skipped: 2 });
});

it("counts a flaky browser test as failed", () => {
  const report = { stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 2 }, errors: [] };
  expect(countPlaywright(report)).toEqual({ passed: 5, failed: 2, skipped: 2 });
});
