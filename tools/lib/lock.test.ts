import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { holdLock } from "./lock.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

it("holds the lock while the work runs and lets go when it throws", () => {
  const file = path.join(folder, "prepare.lock");
  expect(holdLock(file, () => readFileSync(file, "utf8"))).toBe(String(process.pid));
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
