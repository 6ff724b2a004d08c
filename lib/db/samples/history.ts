import type { Sql } from "../sqlite/connection.ts";
import { decodeBlock } from "./block.ts";
import { NEVER, readProgress, writeProgress } from "./progress.ts";
import { ROLLED_UP, type RolledUp } from "./resolutions.ts";
import { listSeries } from "./series-ids.ts";

/**
 * After history was added: a finer table covers a range by itself only from its own first point on, once a coarser
 * table reaches further back.
 */
export async function noteHistory(sql: Sql, cluster: number): Promise<void> {
  const before = await readProgress(sql, cluster);
  const fine = await firstFine(sql, cluster);
  const fiveMinutes = await firstBucket(sql, cluster, ROLLED_UP["five-minutes"]);
  const hourly = await firstBucket(sql, cluster, ROLLED_UP.hourly);
  // A rolled-up bucket starts before the samples in it: only one that ends before them reaches further back.
  const isOlder = (first: number, { stepSeconds }: RolledUp, than: number) => first + stepSeconds <= than;
  const reachesBeyondFine =
    isOlder(fiveMinutes, ROLLED_UP["five-minutes"], fine) || isOlder(hourly, ROLLED_UP.hourly, fine);
  await writeProgress(sql, cluster, {
    ...before,
    fineFrom: Math.max(before.fineDeletedTo, reachesBeyondFine ? fine : 0),
    fiveMinutesFrom: isOlder(hourly, ROLLED_UP.hourly, fiveMinutes) ? fiveMinutes : 0,
  });
}

/** Start of the first sample as scraped; `NEVER` where there is none. */
async function firstFine(sql: Sql, cluster: number): Promise<number> {
  const [row] = await sql.all<{ ts: number | null }>(
    "SELECT min(ts) AS ts FROM samples_fine WHERE cluster = ?",
    cluster,
  );
  return row?.ts ?? NEVER;
}

/** Start of the first bucket over all series of the cluster; `NEVER` where there is none. */
async function firstBucket(sql: Sql, cluster: number, { table, stepSeconds }: RolledUp): Promise<number> {
  let first = NEVER;
  for (const { id } of await listSeries(sql, cluster)) {
    const [row] = await sql.all<{ ts: number; block: Uint8Array }>(
      `SELECT ts, block FROM ${table} WHERE series = ? ORDER BY ts LIMIT 1`,
      id,
    );
    if (row === undefined || row.ts >= first) continue;
    const index = decodeBlock(row.block).findIndex((bucket) => bucket !== null);
    first = Math.min(first, row.ts + Math.max(0, index) * stepSeconds);
  }
  return first;
}
