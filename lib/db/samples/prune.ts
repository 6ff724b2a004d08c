import type { Sql } from "../sqlite/connection.ts";
import type { RetentionSeconds } from "../store.ts";
import { NEVER, readProgress, writeProgress } from "./progress.ts";
import { FIVE_MINUTES_SECONDS, floorTo, ROLLED_UP } from "./resolutions.ts";
import { rollUp } from "./roll-up.ts";

/**
 * Rolls up what has closed by `nowSeconds` and deletes the samples of one cluster that are older than their retention,
 * never one that is not rolled up. Whole buckets and blocks go, so a table may keep up to a block more. Returns the
 * rows deleted. Part of the caller's transaction; running it twice deletes nothing more.
 */
export async function pruneCluster(
  sql: Sql,
  cluster: number,
  retention: RetentionSeconds,
  nowSeconds: number,
): Promise<number> {
  const before = await readProgress(sql, cluster);
  const progress =
    before.fiveMinutesTo === NEVER ? before : await rollUp(sql, cluster, before, Math.floor(nowSeconds));

  const fineTo = Math.min(
    floorTo(nowSeconds - retention.fine, FIVE_MINUTES_SECONDS),
    floorTo(progress.fiveMinutesTo, FIVE_MINUTES_SECONDS),
  );
  const fine = await sql.run("DELETE FROM samples_fine WHERE cluster = ? AND ts < ?", cluster, fineTo);

  const fiveMinutesTo = Math.min(
    floorTo(nowSeconds - retention.fiveMinutes, ROLLED_UP["five-minutes"].blockSeconds),
    floorTo(progress.hourlyTo, ROLLED_UP["five-minutes"].blockSeconds),
  );
  const fiveMinutes = await deleteBlocks(sql, ROLLED_UP["five-minutes"].table, cluster, fiveMinutesTo);

  const hourlyTo = floorTo(nowSeconds - retention.hourly, ROLLED_UP.hourly.blockSeconds);
  const hourly = await deleteBlocks(sql, ROLLED_UP.hourly.table, cluster, hourlyTo);

  if (progress.fiveMinutesTo !== NEVER || fine + fiveMinutes > 0) {
    await writeProgress(sql, cluster, {
      ...progress,
      fineFrom: fine > 0 ? Math.max(progress.fineFrom, fineTo) : progress.fineFrom,
      fineDeletedTo: fine > 0 ? Math.max(progress.fineDeletedTo, fineTo) : progress.fineDeletedTo,
      fiveMinutesFrom:
        fiveMinutes > 0 ? Math.max(progress.fiveMinutesFrom, fiveMinutesTo) : progress.fiveMinutesFrom,
    });
  }
  return fine + fiveMinutes + hourly;
}

function deleteBlocks(sql: Sql, table: string, cluster: number, to: number): Promise<number> {
  return sql.run(
    `DELETE FROM ${table} WHERE ts < ? AND series IN (SELECT id FROM series WHERE cluster = ?)`,
    to,
    cluster,
  );
}
