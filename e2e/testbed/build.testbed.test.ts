import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;

/** Stands for Go: notes each build, takes a moment, and writes what it was asked for. */
const PRETEND_GO = `#!/bin/sh
case "$1" in
  env) echo go1.26.0 ;;
  mod) printf 'module k8s.io/kubernetes\\n\\ngo 1.24.0\\n\\nrequire (\\n\\tk8s.io/api v0.0.0\\n)\\n' > "$PRETEND/go.mod"
       echo "{\\"GoMod\\": \\"$PRETEND/go.mod\\"}" ;;
  build) echo "$3" >> "$PRETEND/builds"
       mkdir -p "$GOCACHE" "$GOMODCACHE"
       sleep "\${PRETEND_SECONDS:-0.1}"
       if [ -n "$PRETEND_ERROR" ]; then echo "$PRETEND_ERROR"; exit 1; fi
       printf '#!/bin/sh\\n' > "$3"; chmod +x "$3" ;;
esac
`;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "headroom-build-"));
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "bin", "go"), PRETEND_GO, { mode: 0o755 });
});

afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));

function startBuild(env: Readonly<Record<string, string>> = {}) {
  const { KUBEBUILDER_ASSETS: _, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("./build.ts", import.meta.url)), "--versions", "1.33"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...inherited,
        HEADROOM_CACHE: join(directory, "cache"),
        PRETEND: directory,
        PATH: `${join(directory, "bin")}:/usr/bin:/bin`,
        ...env,
      },
    },
  );
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}

const builds = () => {
  const path = join(directory, "builds");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
};

/** What the cache holds besides the finished binaries and the logs. */
const leftovers = () =>
  readdirSync(join(directory, "cache", "testbed")).filter((name) => !["bin", "logs"].includes(name));

describe("build", () => {
  it("makes seven binaries once, and removes the compiler's caches", async () => {
    expect(await startBuild().ended).toMatchObject({
      code: 0,
      err: expect.stringContaining("ready: Kubernetes 1.33.13"),
    });
    expect(builds()).toBe(7);
    expect(leftovers()).toEqual([]);
    expect((await startBuild().ended).code).toBe(0);
    expect(builds()).toBe(7);
  });

  it("lets a second builder wait and then find all done", async () => {
    const both = await Promise.all([
      startBuild({ PRETEND_SECONDS: "0.5" }).ended,
      startBuild({ PRETEND_SECONDS: "0.5" }).ended,
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ err }) => err).join("")).toContain("waiting for process");
    expect(builds()).toBe(7);
  });

  it("starts over after kill -9 of a builder, whose half is never taken for a binary", async () => {
    const killed = startBuild({ PRETEND_SECONDS: "30" });
    await expect.poll(builds, { timeout: 10_000 }).toBe(1);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(leftovers()).toContain("build.lock");
    const [half = ""] = readFileSync(join(directory, "builds"), "utf8").split("\n");
    writeFileSync(half, "half");
    expect((await startBuild().ended).code).toBe(0);
    expect(builds()).toBe(8);
    expect(existsSync(half)).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it("without Go is not available: a line to print as skipped, and a status of its own", async () => {
    writeFileSync(join(directory, "bin", "go"), "#!/bin/sh\necho go1.21.3\n", { mode: 0o755 });
    const { code, out } = await startBuild({ HEADROOM_TESTBED_GO: join(directory, "bin", "go") }).ended;
    expect(code).toBe(4);
    expect(out).toMatch(
      /^skipped: real API server: not available, because the installed Go \(go1\.21\.3\) is older than 1\.26\. To get it: /,
    );
    expect(out.trimEnd().split("\n")).toHaveLength(1);
  });

  it("without a network is not available either", async () => {
    const error = "go: k8s.io/kubernetes@v1.33.13: dial tcp: lookup proxy.test: no such host";
    const { code, out } = await startBuild({ PRETEND_ERROR: error }).ended;
    expect(code).toBe(4);
    expect(out).toContain("the Go modules of etcd 3.7.3 could not be downloaded");
  });

  it("fails on a compile error, and shows it", async () => {
    const { code, err } = await startBuild({ PRETEND_ERROR: "main.go:7:2: undefined: x" }).ended;
    expect(code).toBe(1);
    expect(err).toContain("main.go:7:2: undefined: x");
    expect(existsSync(join(directory, "cache", "testbed", "build.lock"))).toBe(false);
  });
});
