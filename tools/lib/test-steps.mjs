import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Variables that name a real cluster; no test may see one. */
export const CLUSTER_VARIABLES = [
  "KUBECONFIG",
  "HEADROOM_KUBECONFIG",
  "HEADROOM_CONFIG",
  "HEADROOM_CONTEXT",
  "KUBERNETES_SERVICE_HOST",
  "KUBERNETES_SERVICE_PORT",
  "KUBERNETES_PORT",
];

/** @param {{ passed: number, failed: number, skipped: number }} counts */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Counts of Vitest's JSON report. A file that could not be loaded has no tests and is a failure of its own. */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Counts of Playwright's JSON report. A flaky test counts as failed: flake is a bug. */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + (report.errors?.length ?? 0), skipped };
}

function onPath(name) {
  const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : null;
}

/**
 * A Chromium to test with: named by CHROMIUM_PATH, on the PATH, or installed from Debian's packages where this is root.
 * @returns {{ path: string, reason: null } | { path: null, reason: string }}
 */
export function findChromium(env) {
  if (env.CHROMIUM_PATH) {
    return existsSync(env.CHROMIUM_PATH)
      ? { path: env.CHROMIUM_PATH, reason: null }
      : { path: null, reason: `CHROMIUM_PATH names ${env.CHROMIUM_PATH}, which is not there.` };
  }
  const present = ["chromium", "chromium-browser", "google-chrome"].map(onPath).find(Boolean);
  if (present) return { path: present, reason: null };
  if (process.getuid?.() === 0 && onPath("apt-get")) {
    process.stdout.write("Installing Chromium (Debian package) …\n");
    const script =
      "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null";
    if (spawnSync("sh", ["-c", script], { stdio: ["ignore", "inherit", "inherit"] }).status === 0) {
      const installed = onPath("chromium");
      if (installed) return { path: installed, reason: null };
    }
  }
  return {
    path: null,
    reason:
      "No Chromium was found; install one (Debian: apt-get install chromium) or name it with CHROMIUM_PATH.",
  };
}
