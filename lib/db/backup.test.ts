import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import { restoreStore } from "./restore-store.ts";
import { startChild } from "./testing/child.ts";
import { addCluster, makePass, NOON } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();
const clock = { now: () => NOON };

describe("a backup", () => {
  test("taken while another process writes opens and is consistent", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const writer = startChild("write-passes.child.ts", [`file:${stores.path()}`, clusterId, "0"]);
    expect(await writer.nextLine()).toBe("ready");
    writer.send("passes");
    const backups = [1, 2, 3].map((number) => stores.path(`backup-${number}.db`));
    for (const path of backups) {
      for (let line = 0; line < 20; line++) await writer.nextLine();
      await store.maintenance.backup(path);
    }
    await writer.kill();

    const sizes: number[] = [];
    for (const path of backups) {
      const backup = await openStore({ url: `file:${path}`, mode: "read-only" });
      expect(await backup.maintenance.check()).toMatchObject({ ok: true });
      const scrapes = await backup.scrapes.list(clusterId, { limit: 1e6 });
      const { events } = await backup.events.list({ limit: 1e6 });
      // A pass is in it whole or not at all, and none before it is missing.
      expect(events.map(({ at }) => at)).toEqual(scrapes.map(({ startedAt }) => startedAt));
      expect(scrapes.map(({ startedAt }) => startedAt).reverse()).toEqual(scrapes.map((_, index) => index));
      sizes.push(scrapes.length);
      await backup.close();
    }
    expect(sizes.every((size, index) => size >= 20 * (index + 1))).toBe(true);
  });

  test("never overwrites, and leaves nothing half-written", async () => {
    const store = await stores.open();
    writeFileSync(stores.path("taken.db"), "mine");
    await expect(store.maintenance.backup(stores.path("taken.db"))).rejects.toMatchObject({
      code: "conflict",
    });
    expect(readFileSync(stores.path("taken.db"), "utf8")).toBe("mine");
    await expect(store.maintenance.backup(stores.path("no/such/folder.db"))).rejects.toMatchObject({
      code: "invalid-input",
    });
    expect(readdirSync(stores.directory()).filter((name) => name.includes("unfinished"))).toEqual([]);
  });
});

describe("a restore", () => {
  test("puts the backup in place under open stores, which go on with it, and keeps what was there", async () => {
    const url = `file:${stores.path()}`;
    const writer = await stores.open();
    const reader = await stores.open({ mode: "read-only" });
    const clusterId = await addCluster(writer);
    await writer.parts.recordPass(makePass(clusterId, { startedAt: NOON }));
    await writer.maintenance.backup(stores.path("backup.db"));
    const saved = readFileSync(stores.path("backup.db"));
    await addCluster(writer, "later");
    await writer.parts.recordPass(makePass(clusterId, { startedAt: NOON + 1 }));
    expect(await reader.clusters.list()).toHaveLength(2);

    const { keptAs } = await restoreStore({ url, backupPath: stores.path("backup.db"), clock });
    expect(keptAs).toBe(stores.path("headroom.db.before-restore-20261130T120000Z"));
    expect(readFileSync(stores.path("backup.db")).equals(saved)).toBe(true);
    for (const store of [writer, reader]) {
      expect((await store.clusters.list()).map(({ id }) => id)).toEqual([clusterId]);
      expect((await store.scrapes.list(clusterId, { limit: 9 })).map(({ startedAt }) => startedAt)).toEqual([
        NOON,
      ]);
    }
    await writer.parts.recordPass(makePass(clusterId, { startedAt: NOON + 2 }));
    expect(await reader.scrapes.list(clusterId, { limit: 9 })).toHaveLength(2);
    expect(await writer.maintenance.check()).toMatchObject({ ok: true });

    const before = await openStore({ url: `file:${keptAs}`, mode: "read-only" });
    expect((await before.clusters.list()).map(({ id }) => id).sort()).toEqual(["later", clusterId]);
    await before.close();
  });

  test("makes a store where there is none, and one that goes on from there", async () => {
    const store = await stores.open({ name: "source.db" });
    await addCluster(store);
    await store.maintenance.backup(stores.path("backup.db"));
    expect(
      await restoreStore({ url: `file:${stores.path()}`, backupPath: stores.path("backup.db"), clock }),
    ).toEqual({ keptAs: null });
    const restored = await stores.open();
    expect(await restored.clusters.list()).toHaveLength(1);
    await addCluster(restored, "second");
    expect(existsSync(`${stores.path()}-wal`)).toBe(true);
  });

  test("replaces a damaged store, which is kept aside", async () => {
    const store = await stores.open();
    await addCluster(store);
    await store.maintenance.backup(stores.path("backup.db"));
    await store.close();
    writeFileSync(stores.path(), "no database any more".repeat(500));
    const { keptAs } = await restoreStore({
      url: `file:${stores.path()}`,
      backupPath: stores.path("backup.db"),
      clock,
    });
    expect(keptAs).toBe(stores.path("headroom.db.corrupt-20261130T120000Z"));
    expect(await (await stores.open()).clusters.list()).toHaveLength(1);
  });

  test.each([
    ["is not there", () => undefined, "not-found"],
    [
      "is no database",
      (path: string) => writeFileSync(path, "nothing of ours, though long enough".repeat(99)),
      "store-corrupt",
    ],
    [
      "is a database of something else",
      (path: string) => new SqliteDatabase(path).exec("CREATE TABLE recipes (id INTEGER)").close(),
      "store-corrupt",
    ],
    [
      "is of a newer release",
      (path: string) =>
        new SqliteDatabase(path)
          .exec(
            `CREATE TABLE _prisma_migrations (id TEXT, checksum TEXT, migration_name TEXT, finished_at INTEGER, started_at INTEGER, rolled_back_at INTEGER);
             INSERT INTO _prisma_migrations VALUES ('a', 'a', '29990101000000_future', 1, 1, NULL)`,
          )
          .close(),
      "store-newer",
    ],
  ])("of a file that %s changes nothing", async (_, make, code) => {
    const store = await stores.open();
    await addCluster(store);
    make(stores.path("backup.db"));
    await expect(
      restoreStore({ url: `file:${stores.path()}`, backupPath: stores.path("backup.db") }),
    ).rejects.toMatchObject({ code });
    expect(await store.clusters.list()).toHaveLength(1);
    expect(readdirSync(stores.directory()).filter((name) => /corrupt-|before-restore/.test(name))).toEqual(
      [],
    );
  });
});
