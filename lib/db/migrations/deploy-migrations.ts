import { randomUUID } from "node:crypto";
import type SqliteDatabase from "better-sqlite3";
import { AppError } from "../../errors.ts";
import { type Migration, readMigrations } from "./read-migrations.ts";

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /** False for one that began and did not end: another tool left it half-way. */
  readonly isFinished: boolean;
}

/** The table in which Prisma records migrations, so that its own tools read our stores. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

/**
 * Applies what is missing, each migration in one transaction with its record: a process killed half-way leaves the
 * store as it was. Waits for nobody: the caller holds the start guard, or retries while busy.
 *
 * Returns the names applied now, in order; none when the store is up to date.
 * @throws AppError `store-newer` where the store knows a migration that `directory` does not, `store-unavailable`
 * where a migration failed, now or earlier, `invalid-input` where it is no store.
 */
export function deployMigrations(
  database: SqliteDatabase.Database,
  directory: string,
  now: number,
): readonly string[] {
  assertOwn(database);
  const migrations = readMigrations(directory);
  const missing = findMissing(migrations, listApplied(database), database.name);
  for (const migration of missing) apply(database, migration, now);
  return missing.map(({ name }) => name);
}

/** Migrations recorded in the store, in order of application; those rolled back are left out. */
export function listApplied(database: SqliteDatabase.Database): readonly AppliedMigration[] {
  const isRecorded = database
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'")
    .get();
  if (isRecorded === undefined) return [];
  const rows = database
    .prepare<[], { name: string; checksum: string; finished: number }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
    )
    .all();
  return rows.map(({ name, checksum, finished }) => ({ name, checksum, isFinished: finished === 1 }));
}

/**
 * A database that holds something and no record of migrations was never a store: it belongs to another program.
 * @throws AppError `invalid-input`
 */
export function assertOwn(database: SqliteDatabase.Database): void {
  const tables = database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);
  const [first] = tables;
  if (first === undefined || tables.includes("_prisma_migrations")) return;
  throw new AppError(
    "invalid-input",
    `${database.name} is a database of another program (it holds the table ${first}), not a store of Headroom. It was left as it is; name another file in store.url.`,
  );
}

/** @throws AppError `store-newer` where `applied` holds a migration that is not among `migrations`. */
export function assertNotNewer(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
  path: string,
): void {
  const known = new Set(migrations.map(({ name }) => name));
  const newer = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (newer.length === 0) return;
  throw new AppError(
    "store-newer",
    `The store ${path} was written by a newer release of Headroom (it holds ${newer.join(", ")}). ` +
      "Start that release, restore a backup that this one made, or name another store in store.url.",
  );
}

function findMissing(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
  path: string,
): readonly Migration[] {
  assertNotNewer(migrations, applied, path);
  const failed = applied.find(({ isFinished }) => !isFinished);
  if (failed !== undefined) {
    throw new AppError(
      "store-unavailable",
      `The migration ${failed.name} of the store ${path} began and did not end. Restore a backup with \`headroom db restore\`.`,
    );
  }
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

function apply(database: SqliteDatabase.Database, migration: Migration, now: number): void {
  // A migration that rebuilds a table turns foreign keys off, which SQLite ignores inside a transaction.
  const foreignKeys = database.pragma("foreign_keys", { simple: true });
  database.pragma("foreign_keys = off");
  try {
    database.exec("BEGIN IMMEDIATE");
    database.exec(CREATE_RECORD);
    const isThere = database
      .prepare("SELECT 1 FROM _prisma_migrations WHERE migration_name = ? AND rolled_back_at IS NULL")
      .get(migration.name);
    if (isThere === undefined) {
      database.exec(migration.sql);
      database
        .prepare(
          `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
           VALUES (?, ?, ?, ?, ?, 1)`,
        )
        .run(randomUUID(), migration.checksum, migration.name, now, now);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    if (isSqlError(error)) {
      throw new AppError(
        "store-unavailable",
        `The migration ${migration.name} failed on the store ${database.name}: ${error.message}. The store is as it was.`,
        { cause: error },
      );
    }
    throw error;
  } finally {
    database.pragma(`foreign_keys = ${foreignKeys === 1 ? "on" : "off"}`);
  }
}

/** A fault of the statement itself, not of the disk or of a lock. */
function isSqlError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^SQLITE_(ERROR|CONSTRAINT)/.test(String(error.code));
}
