import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { closingLine, countPlaywright, countVitest, needsGo } from "./test-steps.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "headroom-go-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

function environmentWithGo(version: string | null): NodeJS.ProcessEnv {
  const bin = mkdtempSync(path.join(folder, "bin-"));
  if (version)
    writeFileSync(path.join(bin, "go"), `#!/bin/sh\necho "go version ${version} linux/amd64"\n`, {
      mode: 0o755,
    });
  return { PATH: `${bin}:/bin`, NODE_ENV: "test" };
}

it("says which Go the test bed needs, and what else would do", () => {
  expect(needsGo(environmentWithGo("go1.26.8"))).toBeNull();
  expect(needsGo(environmentWithGo("go1.25.9"))).toContain("this is go1.25");
  expect(needsGo({ ...environmentWithGo("go1.25.9"), KUBEBUILDER_ASSETS: "/opt/kubebuilder" })).toBeNull();
});
