import { defineConfig } from "@playwright/test";

/** Debian's Chromium as root and without a display; without these flags it looks for hosts outside at every start. */
const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.spec.ts",
  outputDir: "../test-results",
  fullyParallel: false,
  workers: 2,
  retries: 0,
  timeout: 240_000,
  // Generous, since two cores may have more to do than this: nothing waits for as long unless it is wrong.
  expect: { timeout: 60_000 },
  reporter: [["line"], ["json"]],
  use: {
    browserName: "chromium",
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: CHROMIUM_ARGUMENTS,
    },
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: true, sources: false },
    timezoneId: "UTC",
    locale: "en-GB",
  },
});
