import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";

/**
 * Writes a consistent copy of the store to a path that is free, while others read and write. The copy appears under
 * its name only when it is whole.
 * @throws AppError `conflict` where the destination exists, `invalid-input` where its folder does not.
 */
export async function backupTo(database: Database, destination: string): Promise<void> {
  assertFree(destination);
  const unfinished = `${destination}.unfinished-${process.pid}`;
  rmSync(unfinished, { force: true });
  try {
    // One read transaction: the copy is the store as it was at one commit, without its log and free pages.
    await database.withReader((connection) => connection.run("VACUUM INTO ?", unfinished));
    assertFree(destination);
    renameSync(unfinished, destination);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function assertFree(destination: string): void {
  if (existsSync(destination)) {
    throw new AppError("conflict", `${destination} exists. A backup never overwrites: name another file.`);
  }
  if (!existsSync(dirname(destination))) {
    throw new AppError("invalid-input", `The folder ${dirname(destination)} does not exist.`);
  }
}
