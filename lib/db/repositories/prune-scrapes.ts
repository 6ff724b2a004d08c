import type { Sql } from "../sqlite/connection.ts";
import type { RetentionSeconds } from "../store.ts";

const HOUR_MS = 3_600_000;

/**
 * Deletes attempts of one cluster: all beyond `retention.scrapes`; beyond `retention.fine` those that were ok, and of
 * those that went wrong in the same way all but the first of an hour. A cluster that is read in part for months
 * would else keep a row of about 1 kB every 30 seconds. Returns the rows deleted.
 */
export async function pruneScrapes(
  sql: Sql,
  clusterId: string,
  retention: RetentionSeconds,
  now: number,
): Promise<number> {
  const beyond = await sql.run(
    "DELETE FROM scrapes WHERE cluster_id = ? AND started_at < ?",
    clusterId,
    now - retention.scrapes * 1000,
  );
  const thinned = await sql.run(
    `DELETE FROM scrapes WHERE cluster_id = ? AND started_at < ? AND (status = 'ok' OR started_at NOT IN (
       SELECT min(started_at) FROM scrapes WHERE cluster_id = ? AND status <> 'ok'
       GROUP BY started_at / ${HOUR_MS}, signature))`,
    clusterId,
    now - retention.fine * 1000,
    clusterId,
  );
  return beyond + thinned;
}
