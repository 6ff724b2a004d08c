import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openStore } from "../open-store.ts";
import { startChild } from "../testing/child.ts";
import { NOON } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";
import { deployMigrations, listApplied } from "./deploy-migrations.ts";
import { inspectMigrations } from "./inspect-migrations.ts";
import { migrationsDirectory } from "./migrations-directory.ts";
import { readMigrations } from "./read-migrations.ts";

const stores = temporaryStores();
const shipped = readMigrations(migrationsDirectory({})).map(({ name }) => name);

/** The shipped migrations and one more, in a folder of the test. */
function directoryWith(name: string, sql: string): string {
  const directory = join(stores.directory(), "migrations");
  cpSync(migrationsDirectory({}), directory, { recursive: true });
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, "migration.sql"), sql);
  return directory;
}

function openFile(): SqliteDatabase.Database {
  return new SqliteDatabase(stores.path());
}

const tablesOf = (database: SqliteDatabase.Database) =>
  database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();

describe("deploying", () => {
  test("applies each once, in order, and records it as Prisma does", async () => {
    const database = openFile();
    expect(deployMigrations(database, migrationsDirectory({}), NOON)).toEqual(shipped);
    expect(deployMigrations(database, migrationsDirectory({}), NOON)).toEqual([]);
    expect(listApplied(database).map(({ name, isFinished }) => [name, isFinished])).toEqual(
      shipped.map((name) => [name, true]),
    );
    database.close();
  });

  test("a migration that fails leaves the store as it was, and the next start tries again", () => {
    const database = openFile();
    const directory = directoryWith(
      "29990101000000_late",
      "CREATE TABLE extra (id INTEGER);\nINSERT INTO no_such VALUES (1);",
    );
    expect(() => deployMigrations(database, directory, NOON)).toThrow(
      /29990101000000_late failed on the store .*no such table: no_such.*The store is as it was/,
    );
    expect(tablesOf(database)).not.toContain("extra");
    expect(listApplied(database).map(({ name }) => name)).toEqual(shipped);

    writeFileSync(
      join(directory, "29990101000000_late", "migration.sql"),
      "CREATE TABLE extra (id INTEGER);",
    );
    expect(deployMigrations(database, directory, NOON)).toEqual(["29990101000000_late"]);
    expect(tablesOf(database)).toContain("extra");
    database.close();
  });

  test("a table that others refer to can be rebuilt: foreign keys are off meanwhile and on afterwards", () => {
    const database = openFile();
    database.pragma("foreign_keys = on");
    deployMigrations(database, migrationsDirectory({}), NOON);
    database.exec(
      `INSERT INTO clusters (id, number, name, labels_json, is_demo, added_at, permissions_json) VALUES ('a', 1, 'a', '{}', 0, 0, '{}');
       INSERT INTO incident_pace (cluster_id, until) VALUES ('a', 1);`,
    );
    const rebuild =
      "CREATE TABLE new_clusters AS SELECT * FROM clusters;\nDROP TABLE clusters;\nALTER TABLE new_clusters RENAME TO clusters;";
    deployMigrations(database, directoryWith("29990101000000_rebuild", rebuild), NOON);
    expect(database.prepare("SELECT count(*) FROM incident_pace").pluck().get()).toBe(1);
    expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
    database.close();
  });

  test("a store of a newer release is refused with what to do, and not touched", async () => {
    await (await stores.open()).close();
    const database = openFile();
    database.exec(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_future', 1)",
    );
    database.close();
    const opening = stores.open();
    await expect(opening).rejects.toMatchObject({ code: "store-newer" });
    await expect(opening).rejects.toThrow(
      /newer release of Headroom \(it holds 29990101000000_future\)\. Start that release, restore a backup/,
    );
    expect(inspectMigrations(`file:${stores.path()}`)).toMatchObject({
      unknown: ["29990101000000_future"],
      pending: [],
      drift: [],
    });
  });

  test("a migration that another tool left half-way is reported by name", async () => {
    await (await stores.open()).close();
    const database = openFile();
    database
      .prepare("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = ?")
      .run(shipped[1]);
    database.close();
    await expect(stores.open()).rejects.toThrow(
      new RegExp(`The migration ${shipped[1]} of the store .* began and did not end`),
    );
    expect(inspectMigrations(`file:${stores.path()}`).unfinished).toEqual([shipped[1]]);
  });

  test.each(["clusters", "bookmarks"])(
    "a database of another program (table %s) is refused and left as it is",
    async (name) => {
      const database = openFile();
      database.exec(`CREATE TABLE ${name} (recipe TEXT)`);
      database.close();
      const before = readFileSync(stores.path());
      const refusal = { code: "invalid-input", message: expect.stringContaining(`the table ${name}`) };
      await expect(stores.open()).rejects.toMatchObject(refusal);
      expect(() => inspectMigrations(`file:${stores.path()}`)).toThrow(expect.objectContaining(refusal));
      expect(readFileSync(stores.path()).equals(before)).toBe(true);
    },
  );
});

test("five processes that start at once on no store make one, and each goes on with it", async () => {
  const url = `file:${stores.path("new/folder/headroom.db")}`;
  const names = ["a", "b", "c", "d", "e"];
  const children = names.map((name) => startChild("open-store.child.ts", [url, name]));
  for (const child of children) expect(await child.nextLine()).toBe("ready");
  for (const child of children) child.send("go");
  for (const child of children) expect((await child.finish()).lines).toEqual(["ok"]);
  const store = await openStore({ url, mode: "read-write" });
  expect((await store.clusters.list()).map(({ name }) => name)).toEqual(names);
  await store.close();
  expect(inspectMigrations(url)).toEqual({
    applied: shipped,
    pending: [],
    unknown: [],
    unfinished: [],
    edited: [],
    drift: [],
  });
});

describe("inspecting", () => {
  test("names what is pending, edited and different", async () => {
    await (await stores.open()).close();
    const database = openFile();
    const [first = ""] = shipped;
    database.prepare("UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = ?").run(first);
    database.exec(
      "DROP INDEX events_at_id_idx; CREATE TABLE extra (id INTEGER); ALTER TABLE targets ADD COLUMN colour TEXT",
    );
    database.close();
    expect(inspectMigrations(`file:${stores.path()}`)).toMatchObject({
      edited: [first],
      drift: [
        "index events_at_id_idx is missing",
        "table extra is not of this release",
        "table targets has another definition",
      ],
    });
    const again = openFile();
    again.prepare("DELETE FROM _prisma_migrations WHERE migration_name = ?").run(shipped[1]);
    again.close();
    expect(inspectMigrations(`file:${stores.path()}`)).toMatchObject({ pending: [shipped[1]], drift: [] });
  });
});

describe("the folder of migrations", () => {
  test("is found above the code, or where HEADROOM_MIGRATIONS_DIR says", () => {
    expect(shipped.length).toBeGreaterThan(1);
    expect(migrationsDirectory({ HEADROOM_MIGRATIONS_DIR: stores.directory() })).toBe(stores.directory());
  });

  test("that is named and not there is an error that says what to ship", () => {
    expect(() => migrationsDirectory({ HEADROOM_MIGRATIONS_DIR: "/no/such" })).toThrow(
      /not found in \/no\/such\. Ship prisma\/migrations/,
    );
  });
});
