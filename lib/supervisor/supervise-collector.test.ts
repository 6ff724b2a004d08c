// Real child processes: small scripts in a temporary folder.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type SuperviseOptions, type Supervisor, superviseCollector } from "./supervise-collector.ts";

// Starting a process takes as long as the machine is busy.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let supervisor: Supervisor | null = null;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-supervisor-"));
});
afterEach(async () => {
  await supervisor?.stop();
  supervisor = null;
  rmSync(folder, { recursive: true, force: true });
});

function supervise(script: string | null, options: Partial<SuperviseOptions> = {}) {
  const entry = path.join(folder, "collector.mjs");
  if (script !== null) writeFileSync(entry, script);
  const crashes: { message: string; crashes: number }[] = [];
  const output: string[] = [];
  supervisor = superviseCollector({
    entry,
    cwd: folder,
    env: { PATH: process.env.PATH },
    decide: ({ crashesBefore }) => ({ crashes: crashesBefore + 1, delaySeconds: 0.01 }),
    onOutput: (chunk) => output.push(chunk.toString()),
    onCrash: (crash) => crashes.push(crash),
    ...options,
  });
  return { supervisor, crashes, output };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 25_000, interval: 20 });
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
/** Says that it runs by a file, then stays until it is told to end or its parent is gone. */
const STAYS = `import { writeFileSync } from "node:fs";
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => { writeFileSync("ended", "by request"); process.exit(0); });
writeFileSync("running", String(process.pid));`;

test("one that ends by itself is started again, and each crash is told with its last words", async () => {
  const { supervisor, crashes, output } = supervise(
    `console.error("token=abcdefghijklmnop"); throw new TypeError("boom: Bearer abcdefghijklmnop");`,
  );
  await until(() => expect(crashes.length).toBeGreaterThanOrEqual(3));
  expect(crashes[2]).toMatchObject({
    crashes: 3,
    message: "exit code 1: TypeError: boom: Bearer [redacted].",
  });
  expect(output.join("")).toContain("boom");
  await supervisor.stop();
  const told = crashes.length;
  expect(supervisor.state()).toEqual({ kind: "stopped" });
  expect(crashes).toHaveLength(told);
});

test("while it waits to be started again the state says since when and why", async () => {
  const { supervisor, crashes } = supervise("process.exit(7)", {
    decide: () => ({ crashes: 4, delaySeconds: 3600 }),
    clock: { now: () => 1_000_000 },
  });
  await until(() => expect(crashes).toHaveLength(1));
  expect(supervisor.state()).toEqual({
    kind: "restarting",
    crashes: 4,
    lastCrashAt: 1_000_000,
    lastCrash: "exit code 7.",
    nextStartAt: 1_000_000 + 3_600_000,
  });
});

test("one that runs gets the time to end, and is started no more", async () => {
  const { supervisor, crashes } = supervise(STAYS);
  await until(() => expect(existsSync(path.join(folder, "running"))).toBe(true));
  const state = supervisor.state();
  expect(state).toMatchObject({
    kind: "running",
    pid: Number(readFileSync(path.join(folder, "running"), "utf8")),
  });
  await supervisor.stop();
  expect(readFileSync(path.join(folder, "ended"), "utf8")).toBe("by request");
  expect(crashes).toEqual([]);
});

test("one that does not end when asked is ended by force", async () => {
  const { supervisor } = supervise(
    `import { writeFileSync } from "node:fs"; process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); writeFileSync("running", String(process.pid));`,
    { stopGraceMs: 50 },
  );
  await until(() => expect(readFileSync(path.join(folder, "running"), "utf8")).not.toBe(""));
  const pid = Number(readFileSync(path.join(folder, "running"), "utf8"));
  expect(isAlive(pid)).toBe(true);
  await supervisor.stop();
  expect(isAlive(pid)).toBe(false);
});

test("a file that does not exist is told as such, again and again without harm, until it is there", async () => {
  const { crashes } = supervise(null);
  await until(() => expect(crashes.length).toBeGreaterThanOrEqual(2));
  expect(crashes[0]?.message).toContain("does not exist");
  writeFileSync(path.join(folder, "collector.mjs"), STAYS);
  await until(() => expect(existsSync(path.join(folder, "running"))).toBe(true));
});

test("one whose own child holds on to its standard error is started again all the same", async () => {
  const { supervisor, crashes } = supervise(
    `import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
if (existsSync("held")) { writeFileSync("again", String(process.pid)); setInterval(() => {}, 1000); }
else {
  const held = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync("held", String(held.pid));
  process.kill(process.pid, "SIGKILL");
}`,
  );
  const read = (name: string) => Number(readFileSync(path.join(folder, name), "utf8"));
  try {
    await until(() => expect(existsSync(path.join(folder, "again"))).toBe(true));
    expect(crashes.map(({ message }) => message)).toEqual(["signal SIGKILL."]);
    await until(() => expect(supervisor.state()).toMatchObject({ kind: "running", pid: read("again") }));
  } finally {
    process.kill(read("held"), "SIGKILL");
  }
});

test("one that gives no sign of life is ended by force and started again; one that does is left alone", async () => {
  // The second one says that it lives for twice as long as silence is borne, then leaves a file.
  const { supervisor, crashes } = supervise(
    `import { existsSync, writeFileSync } from "node:fs";
if (!existsSync("hung")) { writeFileSync("hung", String(process.pid)); process.on("SIGTERM", () => {}); for (;;); }
let sent = 0;
setInterval(() => { process.send("alive"); if (++sent === 48) writeFileSync("lived", String(process.pid)); }, 50);`,
    { lookMs: 100 },
  );
  const read = (name: string) => Number(readFileSync(path.join(folder, name), "utf8"));
  await until(() => expect(existsSync(path.join(folder, "lived"))).toBe(true));
  expect(crashes[0]?.message).toBe("No sign of life for two minutes: it was ended by force.");
  expect(isAlive(read("hung"))).toBe(false);
  expect(supervisor.state()).toMatchObject({ kind: "running", pid: read("lived") });
});
