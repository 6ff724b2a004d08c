import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeBuildLock } from "./build-lock.ts";
import { identify } from "./process-identity.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "headroom-lock-"));
  path = join(directory, "build.lock");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("build lock", () => {
  it("keeps a second builder waiting until the first releases it", async () => {
    const first = await takeBuildLock({ path, waitSeconds: 1 });
    const holders: number[] = [];
    const second = takeBuildLock({ path, waitSeconds: 10, onWait: (pid) => holders.push(pid) });
    await sleep(300);
    expect(holders).toEqual([process.pid]);
    first.release();
    (await second).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("gives up on a running holder after the time allowed, and names it", async () => {
    const first = await takeBuildLock({ path, waitSeconds: 1 });
    await expect(takeBuildLock({ path, waitSeconds: 0.3 })).rejects.toThrow(`process ${process.pid}`);
    first.release();
  });

  it.each([
    ["a process id that nobody has", JSON.stringify({ pid: 4_194_303, startTicks: 1, token: "x" })],
    [
      "a process id that somebody else has by now",
      JSON.stringify({ ...identify(process.pid), startTicks: 1 }),
    ],
    ["nothing", ""],
    ["half a line", '{"pid": 12'],
  ])("is taken from a holder that does not run: the file holds %s", async (_case, content) => {
    writeFileSync(path, content);
    const lock = await takeBuildLock({ path, waitSeconds: 1 });
    lock.release();
    expect(existsSync(path)).toBe(false);
  });

  it("is not released by a holder from whom it was taken", async () => {
    const first = await takeBuildLock({ path, waitSeconds: 1 });
    rmSync(path);
    const second = await takeBuildLock({ path, waitSeconds: 1 });
    first.release();
    expect(existsSync(path)).toBe(true);
    second.release();
  });

  it("lets one of several processes in at a time, also after the holder was killed", async () => {
    const module = fileURLToPath(new URL("./build-lock.ts", import.meta.url));
    // Each writes a file while it holds the lock, and fails if another's is there.
    const script = `
      import { readdirSync, writeFileSync, rmSync } from "node:fs";
      const { takeBuildLock } = await import(${JSON.stringify(module)});
      for (let round = 0; round < 5; round++) {
        const lock = await takeBuildLock({ path: ${JSON.stringify(path)}, waitSeconds: 60 });
        const mine = ${JSON.stringify(join(directory, "holder."))} + process.pid;
        writeFileSync(mine, "");
        await new Promise((resolve) => setTimeout(resolve, 20));
        const holders = readdirSync(${JSON.stringify(directory)}).filter((name) => name.startsWith("holder."));
        rmSync(mine);
        lock.release();
        if (holders.length !== 1) { console.error(holders); process.exit(3); }
      }`;
    writeFileSync(path, JSON.stringify({ pid: 4_194_303, startTicks: 1 }));
    const codes = await Promise.all(
      [1, 2, 3, 4].map(
        () =>
          new Promise<number | null>((resolve) => {
            const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
              stdio: ["ignore", "inherit", "inherit"],
            });
            child.once("exit", resolve);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
  }, 60_000);
});
