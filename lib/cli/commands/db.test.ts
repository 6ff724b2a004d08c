import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runDbBackup, runDbCheck, runDbDeploy, runDbPrune, runDbRestore } from "./db.ts";

const clock = { now: () => Date.UTC(2026, 10, 30, 12) };
const retention = { fine: 7200, fiveMinutes: 14 * 86_400, hourly: 400 * 86_400, scrapes: 90 * 86_400 };

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "headroom-db-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const store = () => ({ url: `file:${join(directory, "headroom.db")}`, clock });

function recorder() {
  const lines: string[] = [];
  const errors: string[] = [];
  return { lines, errors, out: (line: string) => lines.push(line), err: (line: string) => errors.push(line) };
}

describe("headroom db", () => {
  test("deploy makes the store, and says that there is nothing to do the second time", async () => {
    const first = recorder();
    expect(await runDbDeploy(store(), first)).toBe(0);
    expect(first.lines[0]).toBe("applied 20261130120000_init");
    const second = recorder();
    expect(await runDbDeploy(store(), second)).toBe(0);
    expect(second.lines).toEqual(["The store is up to date."]);
  });

  test("check reports migrations, integrity and size; a store that is absent is unusable", async () => {
    const absent = recorder();
    expect(await runDbCheck(store(), absent)).toBe(2);
    expect(absent.errors).toEqual([expect.stringMatching(/^There is no store at /)]);
    await runDbDeploy(store(), recorder());
    const output = recorder();
    expect(await runDbCheck(store(), output)).toBe(0);
    expect(output.lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^migrations: \d+ applied, 0 pending$/),
      "integrity: ok",
    ]);
    expect(output.lines[2]).toMatch(/^size: \d+.kB$/);
    expect(output.lines.slice(3).some((line) => line.startsWith("  samples_hourly: "))).toBe(true);
    expect(output.errors).toEqual([]);
  });

  test("prune says how much it deleted", async () => {
    const output = recorder();
    expect(await runDbPrune({ ...store(), retention }, output)).toBe(0);
    expect(output.lines).toEqual(["0 rows deleted."]);
  });

  test("backup and restore name the files, and refuse what they would overwrite or cannot read", async () => {
    await runDbDeploy(store(), recorder());
    const destinationPath = join(directory, "backup.db");
    const saved = recorder();
    expect(await runDbBackup({ ...store(), destinationPath }, saved)).toBe(0);
    expect(saved.lines).toEqual([`The store was copied to ${destinationPath}.`]);
    const again = recorder();
    expect(await runDbBackup({ ...store(), destinationPath }, again)).toBe(2);
    expect(again.errors).toEqual([
      `${destinationPath} exists. A backup never overwrites: name another file.`,
    ]);

    const restored = recorder();
    expect(await runDbRestore({ ...store(), backupPath: destinationPath }, restored)).toBe(0);
    expect(restored.lines).toEqual([
      `The store holds what ${destinationPath} held.`,
      `What it held before is kept as ${join(directory, "headroom.db.before-restore-20261130T120000Z")}.`,
    ]);
    writeFileSync(join(directory, "garbage"), "garbage".repeat(1000));
    const refused = recorder();
    expect(await runDbRestore({ ...store(), backupPath: join(directory, "garbage") }, refused)).toBe(2);
    expect(refused.errors).toEqual([
      expect.stringMatching(/is damaged, or no backup of a store\. Nothing was changed\.$/),
    ]);
  });

  test("check names damage and exits with 2", async () => {
    await runDbDeploy(store(), recorder());
    writeFileSync(join(directory, "headroom.db"), "garbage".repeat(1000));
    const output = recorder();
    expect(await runDbCheck(store(), output)).toBe(2);
    expect(output.errors).toEqual([expect.stringMatching(/is damaged/)]);
  });
});
