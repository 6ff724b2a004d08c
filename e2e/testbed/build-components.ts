import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Availability, absent, present } from "./availability.ts";
import { type Binaries, findBinaries, missingComponents } from "./binaries.ts";
import { type BuildLock, takeBuildLock } from "./build-lock.ts";
import { cacheDirectory } from "./cache-directory.ts";
import { findGo, type GoToolchain } from "./go-toolchain.ts";
import { Keeper } from "./keeper.ts";
import { emptyDirectory, type Recipe, recipesFor } from "./recipes.ts";

interface PrepareOptions {
  readonly versions: readonly string[];
  readonly log: (line: string) => void;
  /** Leave compiled packages and modules (2 to 3 GB a version), for work on the Go sources. */
  readonly keepBuildCache?: boolean;
}

const LOCK_WAIT_SECONDS = 3600;
const BUILD_LIMIT_SECONDS = 2700;
const PROGRESS_SECONDS = 20;
/** Compiled packages and modules at their largest; kube-apiserver and the controller manager make the bulk. */
const FREE_BYTES_FOR_KUBERNETES = 8e9;
const FREE_BYTES_FOR_TOOLS = 2e9;

/**
 * Makes sure that the binaries of all given versions exist, building what is missing. Answers `not available`
 * for what a machine may lack (Go, disk, the network); a compile error is an exception.
 */
export async function prepareBinaries(options: PrepareOptions): Promise<Availability<readonly Binaries[]>> {
  const { versions } = options;
  if (versions.every((version) => missingComponents(version).length === 0)) {
    await trimLeftovers(options);
  } else {
    const built = await buildMissing(options);
    // Without Go, the binaries of KUBEBUILDER_ASSETS still make an API server.
    if (!built.available && !versions.every((version) => findBinaries(version).available)) return built;
    if (!built.available) options.log(`without controller manager, kwok and seeder: ${built.because}`);
  }
  const found = versions.map((version) => findBinaries(version));
  const binaries: Binaries[] = [];
  for (const one of found) {
    if (!one.available) return one;
    binaries.push(one.value);
  }
  return present(binaries);
}

async function buildMissing(options: PrepareOptions): Promise<Availability<null>> {
  const go = findGo();
  if (!go.available) return go;
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const missing = options.versions.flatMap((version) => missingComponents(version));
  const needed = missing.some((name) => name.startsWith("kube-"))
    ? FREE_BYTES_FOR_KUBERNETES
    : FREE_BYTES_FOR_TOOLS;
  const disk = statfsSync(cache);
  if (disk.bavail * disk.bsize < needed) {
    return absent(`the build needs ${needed / 1e9} GB free in ${cache} for a while`, "free some space");
  }
  const lock = await takeBuildLock({
    path: join(cache, "build.lock"),
    waitSeconds: LOCK_WAIT_SECONDS,
    onWait: (pid) => options.log(`waiting for process ${pid}, which is building already`),
  });
  try {
    const built = await buildUnderLock({ ...options, go: go.value, cache });
    // Not after a failure: what was downloaded and compiled shortens the next try.
    if (built.available && !options.keepBuildCache) trim(cache);
    return built;
  } finally {
    lock.release();
  }
}

/** After an interrupted build that another one finished: nothing is missing, gigabytes lie around. */
async function trimLeftovers(options: PrepareOptions): Promise<void> {
  const cache = cacheDirectory();
  if (options.keepBuildCache || !TRIMMED.some((left) => existsSync(join(cache, left)))) return;
  let lock: BuildLock;
  try {
    lock = await takeBuildLock({ path: join(cache, "build.lock"), waitSeconds: 0 });
  } catch {
    return; // somebody builds another version, and will trim
  }
  try {
    trim(cache);
  } finally {
    lock.release();
  }
}

interface BuildContext extends PrepareOptions {
  readonly go: GoToolchain;
  readonly cache: string;
}

async function buildUnderLock(context: BuildContext): Promise<Availability<null>> {
  removeAbandoned(context.cache);
  const keeper = new Keeper(emptyDirectory(join(context.cache, "logs")), { removeDirectory: false });
  try {
    for (const version of context.versions) {
      // Looked up again: another builder may have made it while we waited for the lock.
      for (const name of missingComponents(version)) {
        const recipe = recipesFor(version, context.cache)[name];
        const failure = await buildOne(recipe, keeper, context);
        if (failure) return failure;
      }
    }
    return present(null);
  } finally {
    await keeper.close();
  }
}

/** Builds to a temporary name, then renames, so that the final name never holds half a binary. */
async function buildOne(
  recipe: Recipe,
  keeper: Keeper,
  context: BuildContext,
): Promise<Availability<never> | null> {
  const { name, version, binaryPath } = recipe;
  const label = `${name} ${version}`;
  const module = emptyDirectory(join(context.cache, "work", `${name}-${version}`));
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  context.log(`building ${label} with ${context.go.version}`);
  try {
    await recipe.writeModule(module, () => upstreamGoMod(version, context));
  } catch (error) {
    return missingNetwork(label, error instanceof Error ? error.message : "") ?? rethrow(error);
  }

  mkdirSync(dirname(binaryPath), { recursive: true });
  const building = `${binaryPath}.building`;
  const run = await keeper.start({
    name: `go-build-${name}-${version}`,
    // Other work on this machine goes first; a build that takes minutes may take one more.
    command: "nice",
    args: ["-n", "10", context.go.path, "build", "-o", building, ...recipe.buildArguments],
    cwd: module,
    env: goEnvironment(context),
  });
  const progress = setInterval(
    () => context.log(`building ${label}: ${seconds()} s so far`),
    PROGRESS_SECONDS * 1000,
  );
  const limit = setTimeout(() => void run.kill(), BUILD_LIMIT_SECONDS * 1000);
  const { code } = await run.ended;
  clearInterval(progress);
  clearTimeout(limit);
  if (code !== 0) {
    rmSync(building, { force: true });
    const output = readFileSync(run.logPath, "utf8");
    const why = missingNetwork(label, output);
    if (why) return why;
    throw new Error(`go build of ${label} failed after ${seconds()} s:\n${run.logTail(25)}`);
  }
  renameSync(building, binaryPath);
  context.log(`built ${label} in ${seconds()} s`);
  return null;
}

async function upstreamGoMod(version: string, context: BuildContext): Promise<string> {
  const { stdout } = await promisify(execFile)(
    context.go.path,
    ["mod", "download", "-json", `k8s.io/kubernetes@v${version}`],
    { cwd: context.cache, env: { ...process.env, ...goEnvironment(context) }, maxBuffer: 1 << 22 },
  );
  const answer: unknown = JSON.parse(stdout);
  if (
    typeof answer !== "object" ||
    answer === null ||
    !("GoMod" in answer) ||
    typeof answer.GoMod !== "string"
  ) {
    throw new Error(`go mod download of k8s.io/kubernetes v${version} named no go.mod`);
  }
  return readFileSync(answer.GoMod, "utf8");
}

/** Caches of our own, so that they can be removed afterwards without touching the user's. */
function goEnvironment({ cache }: BuildContext): Record<string, string> {
  return {
    CGO_ENABLED: "0",
    GOWORK: "off",
    GOFLAGS: "-modcacherw", // module files are read-only otherwise, and cannot be removed
    GOCACHE: join(cache, "go-build"),
    GOMODCACHE: join(cache, "go-mod"),
  };
}

const NETWORK_TROUBLE =
  /dial tcp|no such host|connection refused|connection reset|i\/o timeout|TLS handshake|network is unreachable|proxyconnect|module lookup disabled/;

function missingNetwork(label: string, output: string): Availability<never> | null {
  if (!NETWORK_TROUBLE.test(output)) return null;
  return absent(
    `the Go modules of ${label} could not be downloaded`,
    "run again with a network that reaches a Go module proxy (GOPROXY)",
  );
}

function rethrow(error: unknown): never {
  throw error;
}

/** Halves that an interrupted builder left. Only under the lock, where nobody else builds. */
function removeAbandoned(cache: string): void {
  const bin = join(cache, "bin");
  if (!existsSync(bin)) return;
  for (const entry of readdirSync(bin, { recursive: true, encoding: "utf8" })) {
    if (entry.endsWith(".building")) rmSync(join(bin, entry), { force: true });
  }
}

const TRIMMED = ["go-build", "go-mod", "work"];

/** Only at the very end: the controller manager and the next version profit from what was compiled before. */
function trim(cache: string): void {
  for (const left of TRIMMED) rmSync(join(cache, left), { recursive: true, force: true, maxRetries: 3 });
}
