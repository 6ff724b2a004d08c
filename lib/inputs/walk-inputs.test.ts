import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "./test-support.ts";
import { walkInputs } from "./walk-inputs.ts";

async function walk(folder: string, paths: readonly string[] = [folder]) {
  const { files, skipped, problems } = await walkInputs(paths);
  const short = (name: string) => path.relative(folder, name);
  return {
    files: files.map(({ name }) => short(name)),
    skipped: skipped.map(({ file, reason }) => `${short(file)}: ${reason.replaceAll(`${folder}/`, "")}`),
    problems: problems.map(({ file, message }) => `${short(file)}: ${message}`),
  };
}

test("folders are walked by name; hidden folders are named and skipped, hidden files are not", async () => {
  const folder = folderWith({
    "b/2.yaml": "",
    "b/1.yaml": "",
    "a.yaml": "",
    ".git/config": "",
    ".hidden.yaml": "",
  });
  expect(await walk(folder)).toEqual({
    files: [".hidden.yaml", "a.yaml", "b/1.yaml", "b/2.yaml"],
    skipped: [".git: a hidden folder"],
    problems: [],
  });
});

test("a file is read once, however many paths and links lead to it", async () => {
  const folder = folderWith({ "a/1.yaml": "" });
  symlinkSync("a/1.yaml", path.join(folder, "link.yaml"));
  const one = path.join(folder, "a/1.yaml");
  expect(await walk(folder, [folder, one, one])).toEqual({
    files: ["a/1.yaml"],
    skipped: ["link.yaml: the same as a/1.yaml"],
    problems: [],
  });
});

test("a folder that links to itself is named and not followed; the rest of it is read", async () => {
  const folder = folderWith({ "a/1.yaml": "" });
  symlinkSync("..", path.join(folder, "a/up"));
  symlinkSync("loop", path.join(folder, "loop"));
  symlinkSync("nowhere", path.join(folder, "dangling"));
  expect(await walk(folder)).toEqual({
    files: ["a/1.yaml"],
    skipped: [],
    problems: [
      "a/up: expected a folder that does not lead back to one it lies in; not followed",
      "dangling: expected a link that leads to a file",
      "loop: expected a link that leads to a file, not back to itself",
    ],
  });
});

test("two folders that link to each other end", async () => {
  const folder = folderWith();
  mkdirSync(path.join(folder, "a"));
  mkdirSync(path.join(folder, "b"));
  symlinkSync("../b", path.join(folder, "a/b"));
  symlinkSync("../a", path.join(folder, "b/a"));
  const { problems } = await walk(folder);
  expect(problems).toHaveLength(1);
});

test("a path that is not there is a problem", async () => {
  const folder = folderWith();
  expect((await walk(folder, [path.join(folder, "nothing")])).problems).toEqual([
    "nothing: expected a file or folder; there is none",
  ]);
});
