import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { holdLock, noteInLock, takeOver } from "./lock.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

/** A process that wants the lock: what it says on standard error, and its exit code. */
function holdIn(file: string) {
  const script = `
    import { holdLock } from ${JSON.stringify(path.resolve("tools/lib/lock.mjs"))};
    holdLock(${JSON.stringify(file)}, () => {});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += String(chunk);
  });
  return { child, said: () => text, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

it("holds the lock while the work runs and lets go when it throws", () => {
  const file = path.join(folder, "prepare.lock");
  expect(holdLock(file, () => readFileSync(file, "utf8"))).toBe(`${process.pid}\n`);
  expect(existsSync(file)).toBe(false);
  expect(() =>
    holdLock(file, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(existsSync(file)).toBe(false);
});

it("takes over a lock whose process is gone", () => {
  const file = path.join(folder, "prepare.lock");
  writeFileSync(file, String(deadPid()));
  expect(holdLock(file, () => "done")).toBe("done");
});

it("takes over an empty lock once it is old, since its writer was stopped in between", () => {
  const file = path.join(folder, "prepare.lock");
  writeFileSync(file, "");
  utimesSync(file, new Date(0), new Date(0));
  expect(holdLock(file, () => "done")).toBe("done");
});

it("waits for a step that outlived the process which started it", async () => {
  const file = path.join(folder, "prepare.lock");
  const step = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  writeFileSync(file, `${deadPid()}\n${step.pid}\n`);
  const { child, said, ended } = holdIn(file);
  while (!said().includes(`process ${step.pid}`)) await once(child.stderr, "data");
  expect(existsSync(file)).toBe(true);
  step.stdin.end();
  expect(await ended).toBe(0);
});

it("a step runs as the process that the lock names, with its arguments and exit code", () => {
  const file = path.join(folder, "prepare.lock");
  const script =
    "process.stdout.write(JSON.stringify([process.pid, process.argv.slice(1)])); process.exit(3)";
  const [held, result] = holdLock(file, () => {
    const { command, args } = noteInLock(file, process.execPath, ["-e", script, "--", "a b", "$c'\""]);
    const result = spawnSync(command, args, { encoding: "utf8" });
    return [readFileSync(file, "utf8"), result] as const;
  });
  const [pid, args] = JSON.parse(result.stdout);
  expect(args).toEqual(["a b", "$c'\""]);
  expect(result.status).toBe(3);
  expect(held.split("\n")).toContain(String(pid));
});

it("does not take away the lock of another that took over the same stale one before", () => {
  const file = path.join(folder, "prepare.lock");
  // What the other took over is gone; what it holds is its own.
  writeFileSync(file, `${process.pid}\n`);
  expect(takeOver(file)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(`${process.pid}\n`);
  writeFileSync(file, `${deadPid()}\n`);
  expect(takeOver(file)).toBe(true);
  expect(existsSync(file)).toBe(false);
});

it("lets four processes work one after another, none at the same time", async () => {
  const file = path.join(folder, "prepare.lock");
  const log = path.join(folder, "log");
  writeFileSync(log, "");
  const script = `
    import { appendFileSync } from "node:fs";
    import { holdLock } from ${JSON.stringify(path.resolve("tools/lib/lock.mjs"))};
    holdLock(${JSON.stringify(file)}, () => {
      appendFileSync(${JSON.stringify(log)}, "in\\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      appendFileSync(${JSON.stringify(log)}, "out\\n");
    });`;
  const finished = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    return new Promise((resolve) => child.on("exit", resolve));
  });
  expect(await Promise.all(finished)).toEqual([0, 0, 0, 0]);
  expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(4));
});
