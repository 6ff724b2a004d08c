import SqliteDatabase from "better-sqlite3";
import { type RetryOptions, retryWhileBusy } from "./retry.ts";

/**
 * Runs `work` while no other process opens, migrates, sets aside or restores the store at `path`. The guard is a lock
 * on `<path>.guard`, an empty file beside the store: the system lets go of it when a process dies.
 */
export async function withStartGuard<T>(
  path: string,
  retry: RetryOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  const guard = await retryWhileBusy(() => lock(guardPath(path)), { attempts: 600, ...retry });
  try {
    return await work();
  } finally {
    guard.close();
  }
}

function lock(path: string): SqliteDatabase.Database {
  const guard = new SqliteDatabase(path, { timeout: 0 });
  try {
    guard.exec("BEGIN EXCLUSIVE");
    return guard;
  } catch (error) {
    guard.close();
    throw error;
  }
}

/** The file beside every store that was opened once. */
export const guardPath = (path: string) => `${path}.guard`;
