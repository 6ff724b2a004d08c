// What `npm start` and `npm test` do first. Every step leaves a stamp when it is complete, so that an interrupted one
// is done again and a finished one costs nothing. Runs on Node 20 without dependencies.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { holdLock, noteInLock } from "./lock.mjs";
import { ensureNode } from "./system-node.mjs";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

const LOCK = path.join(ROOT, ".headroom", "prepare.lock");

/** Sources of the web server and the bundles; a change in any of them builds again. */
const BUILD_INPUTS = [
  "app",
  "components",
  "lib",
  "prisma",
  "public",
  "instrumentation.ts",
  "proxy.ts",
  "next.config.ts",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
  "tools/build-bundles.mjs",
];
const IS_TEST_FILE = /\.test\.tsx?$|\.md$/;

class StepFailed extends Error {}

/** @param {NodeJS.ProcessEnv} env */
function makeRunner(env, { quiet }) {
  return (command, args, { cwd = ROOT, label, extraEnv = {} }) => {
    if (label && !quiet) process.stderr.write(`${label} …\n`);
    const startedAt = Date.now();
    const noted = noteInLock(LOCK, command, args);
    const result = spawnSync(noted.command, noted.args, {
      cwd,
      env: { ...env, ...extraEnv },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 << 20,
    });
    if (result.status === 0) {
      if (label && !quiet)
        process.stderr.write(`  done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
      return;
    }
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
    const how = result.error
      ? result.error.message
      : result.signal
        ? `stopped by ${result.signal}`
        : `exit code ${result.status}`;
    throw new StepFailed(
      `${label ?? command} failed: ${command} ${args.join(" ")} (${how}). Run the command again to go on from here.`,
    );
  };
}

function listFiles(entry, found = []) {
  const absolute = path.join(ROOT, entry);
  if (!existsSync(absolute)) return found;
  if (!statSync(absolute).isDirectory()) {
    found.push(entry);
    return found;
  }
  for (const child of readdirSync(absolute).sort()) listFiles(path.join(entry, child), found);
  return found;
}

/** A hash of names and contents, in a stable order. */
export function hashOf(entries, extra = "") {
  const hash = createHash("sha256").update(extra);
  for (const file of entries.flatMap((entry) => listFiles(entry))) {
    if (!IS_TEST_FILE.test(file)) hash.update(`\0${file}\0`).update(readFileSync(path.join(ROOT, file)));
  }
  return hash.digest("hex");
}

function readStamp(file) {
  try {
    return readFileSync(path.join(ROOT, file), "utf8");
  } catch {
    return null; // no stamp: the step was never completed
  }
}

function writeStamp(file, value) {
  const target = path.join(ROOT, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}.tmp`, value);
  renameSync(`${target}.tmp`, target);
}

/** Runs `work` unless its stamp already holds `value` and its result is there. The stamp goes first and comes back last. */
function step({ stamp, value, results, work }) {
  if (readStamp(stamp) === value && results.every((result) => existsSync(path.join(ROOT, result))))
    return false;
  rmSync(path.join(ROOT, stamp), { force: true });
  work();
  writeStamp(stamp, value);
  return true;
}

/** Environment for children: the right Node first, and no setting of the user's that points npm at other headers. */
export function childEnvironment(node) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", CHECKPOINT_DISABLE: "1" };
  env.PATH = [path.dirname(node), path.join(ROOT, "node_modules", ".bin"), env.PATH].join(path.delimiter);
  return env;
}

/**
 * Toolchain, dependencies, generated client and, where asked for, the build.
 * @param {{ build: boolean, quiet?: boolean }} options
 * @returns {{ node: string, env: NodeJS.ProcessEnv, didWork: boolean }}
 */
export function prepare({ build, quiet = false }) {
  return holdLock(LOCK, () => {
    const node = ensureNode({ root: ROOT, run: makeRunner(process.env, { quiet }) });
    const env = childEnvironment(node);
    const run = makeRunner(env, { quiet });
    let didWork = step({
      stamp: "node_modules/.headroom-installed",
      value: hashOf(["package-lock.json"], `${process.platform}-${process.arch}`),
      results: ["node_modules/next/package.json", "node_modules/.bin/next"],
      work: () =>
        run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
          label: "Installing dependencies",
        }),
    });
    didWork =
      step({
        stamp: "generated/.headroom-generated",
        value: hashOf(["prisma/schema.prisma", "package-lock.json"]),
        results: ["generated"],
        work: () => {
          // Generating asks no more of the engine than that the file named here exists.
          const extraEnv = { PRISMA_SCHEMA_ENGINE_BINARY: path.join(ROOT, "package.json") };
          run("prisma", ["generate"], { label: "Generating the database client", extraEnv });
        },
      }) || didWork;
    if (build) {
      didWork =
        step({
          stamp: ".next/.headroom-built",
          value: hashOf(BUILD_INPUTS, node),
          results: [".next/standalone/server.js", "dist/cli.mjs", "dist/collector.mjs"],
          work: () => {
            run("next", ["build"], { label: "Building the web server" });
            run(node, ["tools/build-bundles.mjs"], { label: "Bundling the collector and the command line" });
          },
        }) || didWork;
    }
    return { node, env, didWork };
  });
}
