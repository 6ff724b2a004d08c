import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { readSmallFile } from "./read-small-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-files-"));
  writeFileSync(path.join(folder, "token"), "é");
  symlinkSync("token", path.join(folder, "link"));
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["token", "link"])("%s is read", async (name) => {
  expect(await readSmallFile(path.join(folder, name), 2)).toBe("é");
});

test("a file that is longer than it may be is not read", async () => {
  await expect(readSmallFile(path.join(folder, "token"), 1)).rejects.toMatchObject({ code: "too long" });
});

test("a file that says no size is read to the limit only", async () => {
  await expect(readSmallFile("/proc/self/maps", 100)).rejects.toMatchObject({ code: "too long" });
});

test.each([
  ["pipe", "not a regular file"],
  ["/dev/zero", "not a regular file"],
  [".", "EISDIR"],
  ["gone", "ENOENT"],
])("%s ends at once, as %s", async (name, code) => {
  await expect(readSmallFile(path.resolve(folder, name), 100)).rejects.toMatchObject({ code });
});

test.each([
  ["pipe", "expected a regular file"],
  ["/dev/zero", "expected a regular file"],
  [".", "expected a file, found a folder"],
])("as a kubeconfig, %s is a problem: %s", async (name, expected) => {
  const { targets, problems } = await loadKubeconfig({ paths: [path.resolve(folder, name)], source: "page" });
  expect(targets).toEqual([]);
  expect(problems.map((each) => each.expected)).toEqual([expected]);
});
