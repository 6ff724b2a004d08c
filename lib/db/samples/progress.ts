import type { Sql } from "../sqlite/connection.ts";

/** Later than any instant: a table that holds nothing yet. */
export const NEVER = 2 ** 40;

/** Seconds since the epoch, all of them. */
export interface Progress {
  /** Five-minute buckets that end at or before this are rolled up. */
  readonly fiveMinutesTo: number;
  /** Hours that end at or before this are rolled up. */
  readonly hourlyTo: number;
  /** From here on the samples as scraped are all there is; 0: there is nothing older in any table. */
  readonly fineFrom: number;
  /** The same for five minutes. */
  readonly fiveMinutesFrom: number;
  /** Samples as scraped before this were deleted: their buckets cannot be worked out again. */
  readonly fineDeletedTo: number;
}

export const NO_PROGRESS: Progress = {
  fiveMinutesTo: NEVER,
  hourlyTo: NEVER,
  fineFrom: 0,
  fiveMinutesFrom: 0,
  fineDeletedTo: 0,
};

export async function readProgress(sql: Sql, cluster: number): Promise<Progress> {
  const [row] = await sql.all<Progress>(
    `SELECT five_minutes_to AS fiveMinutesTo, hourly_to AS hourlyTo, fine_from AS fineFrom,
       five_minutes_from AS fiveMinutesFrom, fine_deleted_to AS fineDeletedTo
     FROM sample_progress WHERE cluster = ?`,
    cluster,
  );
  return row ?? NO_PROGRESS;
}

export async function writeProgress(sql: Sql, cluster: number, progress: Progress): Promise<void> {
  await sql.run(
    `INSERT INTO sample_progress (cluster, five_minutes_to, hourly_to, fine_from, five_minutes_from, fine_deleted_to)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (cluster) DO UPDATE SET five_minutes_to = excluded.five_minutes_to, hourly_to = excluded.hourly_to,
       fine_from = excluded.fine_from, five_minutes_from = excluded.five_minutes_from,
       fine_deleted_to = excluded.fine_deleted_to`,
    cluster,
    progress.fiveMinutesTo,
    progress.hourlyTo,
    progress.fineFrom,
    progress.fiveMinutesFrom,
    progress.fineDeletedTo,
  );
}
