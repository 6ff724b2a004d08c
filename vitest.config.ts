import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

/** One project per kind of test, in the order in which `npm test` runs them. */
const project = (name: string, include: string[], exclude: string[] = [], testTimeout = 60_000) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: ["**/node_modules/**", "**/dist/**", "**/.next/**", ...exclude],
    // Bounds for what hangs, not for what is slow: two busy cores take many times longer than two idle ones.
    testTimeout,
    hookTimeout: testTimeout,
  },
});

export default defineConfig({
  resolve: { alias: { "@": root } },
  test: {
    projects: [
      project("unit", [
        "lib/{domain,contracts,format,queries,config,services,supervisor,audit,inputs,cases}/**/*.test.ts",
        "*.test.ts",
        "lib/*.test.ts",
        "components/**/*.test.{ts,tsx}",
        "app/**/*.test.{ts,tsx}",
      ]),
      project("cluster", ["lib/{kube,collector,fake-api-server,demo-fleet}/**/*.test.ts"], [], 120_000),
      project("store", ["lib/db/**/*.test.ts"], [], 240_000),
      project("cli", ["lib/cli/**/*.test.ts", "tools/**/*.test.ts"], [], 240_000),
      project("testbed", ["e2e/**/*.testbed.test.ts"], [], 600_000),
    ],
  },
});
