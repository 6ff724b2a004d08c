// Real processes, since what is decided here is how a process starts and ends.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStore } from "../../db/open-store.ts";

const MODULE = pathToFileURL(path.join(import.meta.dirname, "start-web-process.ts")).href;

let folder: string;
let running: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-web-"));
});
afterEach(() => {
  running?.kill("SIGKILL");
  running = null;
  rmSync(folder, { recursive: true, force: true });
});

const START = `await (await import(${JSON.stringify(MODULE)})).startWebProcess();`;

function startWeb(env: Record<string, string>, collector = "setInterval(() => {}, 1000)", script = START) {
  writeFileSync(path.join(folder, "collector.mjs"), collector);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      HOSTNAME: "127.0.0.1",
      HEADROOM_COLLECTOR_ENTRY: "collector.mjs",
      ...env,
    },
  });
  running = child;
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  // Not "close": with a channel that this side cuts it never comes.
  const ended = Promise.all([
    new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code))),
    new Promise((resolve) => child.stderr?.once("end", resolve)),
  ]).then(([code]) => code);
  return { child, ended, said: () => said };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

test.each<[string, Record<string, string>, RegExp]>([
  [
    "a configuration that cannot be used",
    { HEADROOM_PORT: "web" },
    /HEADROOM_PORT: a whole number from 1 to 65535/,
  ],
  [
    "an address that is not loopback",
    { HOSTNAME: "0.0.0.0" },
    /loopback address only, since there is no authentication/,
  ],
  ["no address at all, which would be every one", { HOSTNAME: "" }, /HOSTNAME is not set/],
])(
  "%s ends the process with a sentence and code 2",
  async (_title, env, sentence) => {
    const { ended, said } = startWeb(env);
    expect(await ended).toBe(2);
    expect(said()).toMatch(sentence);
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  },
  30_000,
);

test("the store is made and the collector runs until the process is told to end", async () => {
  const collector = `import { writeFileSync } from "node:fs";
    process.on("SIGTERM", () => { writeFileSync("ended", "yes"); process.exit(0); });
    process.on("disconnect", () => process.exit(0));
    writeFileSync("running", "yes");`;
  const { child, ended, said } = startWeb({}, collector);
  await until(() => expect(existsSync(path.join(folder, "running")), said()).toBe(true));
  expect(existsSync(path.join(folder, "data", "headroom.db"))).toBe(true);
  child.kill("SIGTERM");
  await ended;
  expect(existsSync(path.join(folder, "ended"))).toBe(true);
}, 30_000);

test("a crash of the collector is logged and stored, without the token in it; the process stays", async () => {
  const token = "abcdefghijklmnopqrstuvwx";
  const { child, said } = startWeb({}, `throw new Error("401 for Bearer ${token}")`);
  await until(() => expect(said()).toContain('"msg":"collector ended"'));
  expect(said()).not.toContain(token);
  for (const line of said().trim().split("\n")) expect(() => JSON.parse(line), line).not.toThrow();
  expect(child.exitCode).toBeNull();
  const store = await openStore({
    url: `file:${path.join(folder, "data", "headroom.db")}`,
    mode: "read-write",
  });
  try {
    await vi.waitFor(async () => expect((await store.collector.get())?.crashes).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 50,
    });
    expect((await store.collector.get())?.lastCrash).toBe("exit code 1: Error: 401 for Bearer [redacted].");
  } finally {
    await store.close();
  }
}, 30_000);

test("a collector that runs elsewhere is not started here", async () => {
  const { child, ended, said } = startWeb(
    { COLLECTOR: "external" },
    `import { writeFileSync } from "node:fs"; writeFileSync("running", "yes");`,
  );
  child.disconnect();
  expect(await ended).toBe(0);
  expect(said()).toContain("collector runs elsewhere");
  expect(existsSync(path.join(folder, "running"))).toBe(false);
}, 30_000);

test.each(["SIGTERM", "disconnect"] as const)(
  "a connection that nobody closes does not hold up the end by %s",
  async (how) => {
    const script = `import { createServer } from "node:net";
    await (await import(${JSON.stringify(MODULE)})).startWebProcess();
    createServer(() => {}).listen(0, "127.0.0.1", () => process.stderr.write("listening\\n"));`;
    const { child, ended, said } = startWeb({ COLLECTOR: "external" }, "", script);
    await until(() => expect(said()).toContain("listening"));
    if (how === "SIGTERM") child.kill("SIGTERM");
    else child.disconnect();
    expect(await ended).toBe(0);
  },
  30_000,
);
