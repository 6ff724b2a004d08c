// `npm test`: the same preparation as `npm start`, then every check in order, then one line that counts them all.
//   npm test -- --only unit,store     runs those steps alone (the names are those of STEPS)
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { prepare, ROOT } from "./lib/prepare.mjs";
import {
  CLUSTER_VARIABLES,
  closingLine,
  countPlaywright,
  countVitest,
  findChromium,
} from "./lib/test-steps.mjs";

const RESULTS = path.join(ROOT, ".headroom", "test-results");

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
const ONE_PASSED = { passed: 1, failed: 0, skipped: 0 };
const ONE_FAILED = { passed: 0, failed: 1, skipped: 0 };
const ONE_SKIPPED = { passed: 0, failed: 0, skipped: 1 };

let current = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    current?.kill(signal);
    process.exitCode = 128 + constants.signals[signal];
    setTimeout(() => process.exit(), 6_000).unref();
  });
}

/** @returns {Promise<number>} the exit code */
function run(command, args, env) {
  return new Promise((resolve) => {
    current = spawn(command, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"] });
    current.on("error", (error) => {
      process.stdout.write(`${error.message}\n`);
      resolve(127);
    });
    current.on("exit", (code) => resolve(code ?? 1));
  });
}

const check =
  (command, args) =>
  async ({ env }) =>
    (await run(command, args, env)) === 0 ? ONE_PASSED : ONE_FAILED;

/** Runs one Vitest project; a runner that ends badly without naming a failed test counts as one failure. */
const vitest =
  (project, extra = []) =>
  async ({ env }) => {
    const report = path.join(RESULTS, `${project}.json`);
    rmSync(report, { force: true });
    const args = [
      "run",
      "--project",
      project,
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...extra,
    ];
    const code = await run("vitest", args, env);
    const counts = existsSync(report)
      ? countVitest(JSON.parse(readFileSync(report, "utf8")))
      : { passed: 0, failed: 0, skipped: 0 };
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  };

async function browser({ env }) {
  const chromium = findChromium(env);
  if (chromium.path === null) {
    process.stdout.write(`Skipped: browser tests. ${chromium.reason}\n`);
    return ONE_SKIPPED;
  }
  const report = path.join(RESULTS, "browser.json");
  rmSync(report, { force: true });
  const code = await run("playwright", ["test", "--config", "e2e/playwright.config.ts"], {
    ...env,
    CHROMIUM_PATH: chromium.path,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  const counts = existsSync(report)
    ? countPlaywright(JSON.parse(readFileSync(report, "utf8")))
    : { passed: 0, failed: 0, skipped: 0 };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** Exit code of the test bed's builder where this machine cannot build it; its output says why and what would help. */
const NOT_AVAILABLE = 4;

async function testbed({ env, node }) {
  const code = await run(node, ["e2e/testbed/build.ts"], env);
  if (code === NOT_AVAILABLE) return ONE_SKIPPED;
  if (code !== 0) return ONE_FAILED;
  return vitest("testbed", ["--no-file-parallelism"])({ env });
}

/** In the order in which they run: what is quick and points at a line comes first. */
const STEPS = [
  { name: "lint", run: check("biome", ["check", "--error-on-warnings", "."]) },
  { name: "dead-code", run: check("knip", []) },
  { name: "types", run: check("tsc", ["--noEmit", "-p", "."]) },
  { name: "unit", run: vitest("unit") },
  { name: "cluster", run: vitest("cluster") },
  { name: "store", run: vitest("store") },
  { name: "cli", run: vitest("cli") },
  { name: "browser", run: browser },
  { name: "testbed", run: testbed },
];

function chosenSteps(argv) {
  const at = argv.indexOf("--only");
  if (at < 0) return STEPS;
  const names = (argv[at + 1] ?? "").split(",").filter(Boolean);
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Error(
      `--only takes names from: ${STEPS.map((step) => step.name).join(", ")}; got "${argv[at + 1] ?? ""}".`,
    );
  }
  return STEPS.filter((step) => names.includes(step.name));
}

async function main() {
  const steps = chosenSteps(process.argv.slice(2));
  for (const name of CLUSTER_VARIABLES) delete process.env[name];
  const { node, env } = prepare({ build: true });
  mkdirSync(RESULTS, { recursive: true });
  const total = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  for (const step of steps) {
    process.stdout.write(`\n── ${step.name} ──\n`);
    const startedAt = Date.now();
    const counts = await step.run({ env: { ...env, CI: process.env.CI ?? "" }, node });
    for (const key of Object.keys(total)) total[key] += counts[key];
    lines.push(`${step.name}: ${closingLine(counts)} (${((Date.now() - startedAt) / 1000).toFixed(0)} s)`);
    if (process.exitCode !== undefined) return;
  }
  process.stdout.write(`\n${lines.map((line) => `  ${line}`).join("\n")}\n\n${closingLine(total)}\n`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  process.stdout.write(`${error.message}\n${closingLine(ONE_FAILED)}\n`);
  process.exitCode = 2;
}
