import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { AppError } from "../../errors.ts";
import { DRIVER_BUSY_TIMEOUT_MS } from "./connection.ts";
import { findDriverCode, isCorruption } from "./errors.ts";
import { guardPath } from "./start-guard.ts";

/** Files up to this size are checked page by page at every start (about 0.2 s); larger ones only when suspect. */
const ALWAYS_CHECKED_BYTES = 64_000_000;

/** Marks a store in which a reader met damage, so that the next start checks all of it. */
export function markSuspect(path: string): void {
  try {
    writeFileSync(suspectPath(path), "");
  } catch {
    // A file system that takes no mark takes no new store either: the next start says so.
    return;
  }
}

/**
 * Moves a damaged store away, with its log and index, and returns where it is now; `null` where the store is sound,
 * new or absent. Nothing is ever overwritten or deleted. The caller holds the start guard.
 */
export function setAsideIfCorrupt(path: string, now: number): string | null {
  if (!existsSync(path) || statSync(path).size === 0) return null;
  if (isSound(path)) {
    rmSync(suspectPath(path), { force: true });
    return null;
  }
  const aside = freeName(`${path}.corrupt-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}`);
  // The log first: should this stop half-way, the damaged file is still found damaged by the next start.
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  rmSync(suspectPath(path), { force: true });
  return aside;
}

/**
 * Refuses a file that was never opened as a store and is no database: it is somebody's own, a kubeconfig for example,
 * and must not be taken for a damaged store and moved. To be asked before the start guard, which leaves its file there.
 * @throws AppError `store-unavailable`
 */
export function assertMayBeStore(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  if (existsSync(guardPath(path)) || hasDatabaseHeader(path)) return;
  throw new AppError(
    "store-unavailable",
    `${path} is not a store of Headroom and was left as it is. Name another path in store.url, or move the file away.`,
  );
}

/** As every SQLite file begins. Source: sqlite.org, Database File Format, 1.3. */
const DATABASE_HEADER = "SQLite format 3\0";

function hasDatabaseHeader(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(DATABASE_HEADER.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString("latin1") === DATABASE_HEADER;
  } finally {
    closeSync(file);
  }
}

function isSound(path: string): boolean {
  const isWhole = statSync(path).size <= ALWAYS_CHECKED_BYTES || existsSync(suspectPath(path));
  let database: SqliteDatabase.Database | null = null;
  try {
    // Read-only, so that closing does not move the log into a file that may have to be kept as it is.
    database = new SqliteDatabase(path, {
      readonly: true,
      fileMustExist: true,
      timeout: 250 * DRIVER_BUSY_TIMEOUT_MS,
    });
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return !isWhole || database.pragma("quick_check(1)", { simple: true }) === "ok";
  } catch (error) {
    if (isCorruption(error)) return false;
    // A journal that a reader may not roll back: the writer that opens next does.
    if (/^SQLITE_READONLY_/.test(findDriverCode(error) ?? "")) return true;
    throw error;
  } finally {
    database?.close();
  }
}

/** Where a store is marked as suspect. */
export const suspectPath = (path: string) => `${path}.suspect`;

/** `wanted`, or with a count behind it where that is taken. */
export function freeName(wanted: string): string {
  let name = wanted;
  for (let count = 2; existsSync(/* turbopackIgnore: true */ name); count++) name = `${wanted}-${count}`;
  return name;
}
