import { existsSync, statSync } from "node:fs";
import type { Database } from "../database.ts";
import type { StoreCheck } from "../store.ts";

/** Messages of the integrity check that are kept; the rest says the same of other pages. */
const MESSAGES_MAX = 20;

/** Reads every page: seconds for a large store, which this process spends on nothing else. */
export async function checkStore(database: Database): Promise<StoreCheck> {
  const messages = await database.withReader(async ({ database: connection }) => {
    const found = connection.pragma(`integrity_check(${MESSAGES_MAX})`) as readonly {
      integrity_check: string;
    }[];
    const orphans = connection.pragma("foreign_key_check") as readonly { table: string; parent: string }[];
    return [
      ...found.map(({ integrity_check: message }) => message).filter((message) => message !== "ok"),
      ...orphans
        .slice(0, MESSAGES_MAX)
        .map(({ table, parent }) => `a row of ${table} names no row of ${parent}`),
    ];
  });
  const tables = await database.read(({ sql }) =>
    sql.all<{ name: string; sizeBytes: number }>(
      `SELECT coalesce(m.tbl_name, s.name) AS name, sum(s.pgsize) AS sizeBytes FROM dbstat s
       LEFT JOIN sqlite_master m ON m.name = s.name WHERE s.aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC, 1`,
    ),
  );
  return { ok: messages.length === 0, messages, sizeBytes: sizeOnDisk(database.path), tables };
}

/** Bytes of the file and of its log. */
function sizeOnDisk(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}
