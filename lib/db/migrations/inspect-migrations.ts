import { existsSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { AppError } from "../../errors.ts";
import { toStoreError } from "../sqlite/errors.ts";
import { parseStoreUrl } from "../store-url.ts";
import { assertOwn, deployMigrations, listApplied } from "./deploy-migrations.ts";
import { migrationsDirectory } from "./migrations-directory.ts";
import { readMigrations } from "./read-migrations.ts";

/** How a store stands against the migrations of this release. Names, in order. */
export interface MigrationReport {
  readonly applied: readonly string[];
  /** Of this release, not in the store: the next start applies them. */
  readonly pending: readonly string[];
  /** In the store, not of this release. */
  readonly unknown: readonly string[];
  /** Began and did not end. */
  readonly unfinished: readonly string[];
  /** Applied, and changed in this release since. */
  readonly edited: readonly string[];
  /** Tables and indexes that are not as the migrations make them, in words; known only when all are applied. */
  readonly drift: readonly string[];
}

/** Reads, changes nothing. @throws AppError `store-unavailable` where there is no store. */
export function inspectMigrations(url: string): MigrationReport {
  const path = parseStoreUrl(url);
  if (!existsSync(path)) throw new AppError("store-unavailable", `There is no store at ${path}.`);
  let database: SqliteDatabase.Database | null = null;
  try {
    database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
    assertOwn(database);
    const directory = migrationsDirectory();
    const migrations = readMigrations(directory);
    const recorded = listApplied(database);
    const byName = new Map(recorded.map((one) => [one.name, one]));
    const known = new Map(migrations.map((one) => [one.name, one]));
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    const pending = names(migrations.filter(({ name }) => !byName.has(name)));
    const unknown = names(recorded.filter(({ name }) => !known.has(name)));
    const isComparable = pending.length === 0 && unknown.length === 0;
    return {
      applied: names(recorded.filter(({ isFinished }) => isFinished)),
      pending,
      unknown,
      unfinished: names(recorded.filter(({ isFinished }) => !isFinished)),
      edited: names(
        recorded.filter(({ name, checksum }) => (known.get(name)?.checksum ?? checksum) !== checksum),
      ),
      drift: isComparable ? findDrift(database, directory) : [],
    };
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    database?.close();
  }
}

/** Compares the store with an empty one that the same migrations make in memory. */
function findDrift(database: SqliteDatabase.Database, directory: string): readonly string[] {
  const fresh = new SqliteDatabase(":memory:");
  try {
    deployMigrations(fresh, directory, 0);
    const wanted = listDefinitions(fresh);
    const found = listDefinitions(database);
    const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
    return names.flatMap((name) => {
      if (!found.has(name)) return [`${name} is missing`];
      if (!wanted.has(name)) return [`${name} is not of this release`];
      return wanted.get(name) === found.get(name) ? [] : [`${name} has another definition`];
    });
  } finally {
    fresh.close();
  }
}

function listDefinitions(database: SqliteDatabase.Database): ReadonlyMap<string, string> {
  const rows = database
    .prepare<[], { type: string; name: string; sql: string }>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, sql.replace(/\s+/g, " ")]));
}
