import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDemoFolder, removeDemoFolder } from "./demo-folder.ts";

const MODULE = pathToFileURL(join(import.meta.dirname, "demo-folder.ts")).href;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "headroom-folders-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A process that makes a folder, says which, and stays. */
async function other(): Promise<{ folder: string; kill: () => Promise<unknown> }> {
  const script = `console.log(await (await import(${JSON.stringify(MODULE)})).makeDemoFolder(${JSON.stringify(root)})); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  const ended = once(child, "close");
  return {
    folder: String(said).trim(),
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

test("what a killed process left is removed by the next one; that of a living one stays", async () => {
  const [killed, living] = await Promise.all([other(), other()]);
  await killed.kill();
  try {
    const [first, second] = [await makeDemoFolder(root), await makeDemoFolder(root)];
    expect((await readdir(root)).map((name) => join(root, name)).sort()).toEqual(
      [living.folder, first, second].sort(),
    );
    await removeDemoFolder(first);
    expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
  } finally {
    await living.kill();
  }
});
