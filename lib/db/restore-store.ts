import { existsSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { type Clock, systemClock } from "../clock.ts";
import { AppError } from "../errors.ts";
import { assertNotNewer, deployMigrations, listApplied } from "./migrations/deploy-migrations.ts";
import { migrationsDirectory } from "./migrations/migrations-directory.ts";
import { readMigrations } from "./migrations/read-migrations.ts";
import { SqliteConnection } from "./sqlite/connection.ts";
import { isCorruption, toStoreError } from "./sqlite/errors.ts";
import { assertMayBeStore, freeName, setAsideIfCorrupt } from "./sqlite/set-aside.ts";
import { withStartGuard } from "./sqlite/start-guard.ts";
import { parseStoreUrl } from "./store-url.ts";

export interface RestoreOptions {
  readonly url: string;
  /** A file that `backup` made. */
  readonly backupPath: string;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/**
 * Puts a backup in the place of the store's content, in one transaction of the store: processes that have it open see
 * the old content or the new, never a mixture, and go on. What was there before is kept under the returned path;
 * `null` where there was no store. The backup is not changed.
 * @throws AppError `not-found`, `store-corrupt`, `store-newer`, and what `openStore` throws.
 */
export async function restoreStore(options: RestoreOptions): Promise<{ readonly keptAs: string | null }> {
  const { url, backupPath, clock = systemClock, random = Math.random } = options;
  const path = parseStoreUrl(url);
  const source = openBackup(backupPath);
  try {
    assertMayBeStore(path);
    return await withStartGuard(path, { random }, async () => {
      const now = clock.now();
      const aside = setAsideIfCorrupt(path, now);
      const keptAs = aside ?? (existsSync(path) ? keepCopy(path, now) : null);
      await source.backup(path, { progress: ({ totalPages }) => totalPages });
      migrate(path, now);
      return { keptAs };
    });
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    source.close();
  }
}

/** The backup, open for reading, known to be sound and of a release that this one understands. */
function openBackup(backupPath: string): SqliteDatabase.Database {
  if (!existsSync(backupPath)) throw new AppError("not-found", `There is no backup at ${backupPath}.`);
  let backup: SqliteDatabase.Database | null = null;
  try {
    backup = new SqliteDatabase(backupPath, { readonly: true, fileMustExist: true });
    if (backup.pragma("integrity_check(1)", { simple: true }) !== "ok") throw notABackup(backupPath);
    const applied = listApplied(backup);
    if (applied.length === 0) throw notABackup(backupPath);
    assertNotNewer(readMigrations(migrationsDirectory()), applied, backupPath);
    return backup;
  } catch (error) {
    backup?.close();
    if (isCorruption(error)) throw notABackup(backupPath, error);
    throw toStoreError(error, backupPath);
  }
}

function notABackup(backupPath: string, cause?: unknown): AppError {
  return new AppError(
    "store-corrupt",
    `${backupPath} is damaged, or no backup of a store. Nothing was changed.`,
    {
      cause,
    },
  );
}

function keepCopy(path: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const copy = freeName(`${path}.before-restore-${stamp}`);
  const live = new SqliteDatabase(path, { timeout: 5000 });
  try {
    live.prepare("VACUUM INTO ?").run(copy);
  } finally {
    live.close();
  }
  return copy;
}

/** A backup may be older than this release, and carries no log. */
function migrate(path: string, now: number): void {
  const connection = new SqliteConnection(path, { isReadOnly: false });
  try {
    connection.database.pragma("busy_timeout = 5000");
    connection.database.pragma("journal_mode = wal");
    deployMigrations(connection.database, migrationsDirectory(), now);
  } finally {
    connection.close();
  }
}
