import type { SeriesPoint } from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";
import { mergeBuckets, readBuckets } from "./blocks.ts";
import { mergePoints } from "./bucket-merger.ts";
import type { Progress } from "./progress.ts";
import { FIVE_MINUTES_SECONDS, floorTo, HOUR_SECONDS, ROLLED_UP } from "./resolutions.ts";
import { listSeries } from "./series-ids.ts";

/**
 * Works out every five-minute bucket and hour that has closed by `nowSeconds` and is not rolled up yet; returns how
 * far it came, for the caller to write in the same transaction.
 *
 * A bucket is a function of the rows of the finer table alone, and those are kept until it is done: running it twice,
 * or days late, gives the same. An hour is the mean of its five-minute means, so that a quarter of an hour scraped
 * every five seconds weighs no more than one scraped every thirty.
 */
export async function rollUp(
  sql: Sql,
  cluster: number,
  progress: Progress,
  nowSeconds: number,
): Promise<Progress> {
  const fiveMinutesTo = Math.max(progress.fiveMinutesTo, floorTo(nowSeconds, FIVE_MINUTES_SECONDS));
  if (progress.fiveMinutesTo < fiveMinutesTo) {
    const fine = await readFineBuckets(sql, cluster, progress.fiveMinutesTo, fiveMinutesTo);
    for (const [series, points] of fine) {
      await mergeBuckets(sql, ROLLED_UP["five-minutes"], series, points);
    }
  }
  const hourlyTo = Math.max(progress.hourlyTo, floorTo(nowSeconds, HOUR_SECONDS));
  if (progress.hourlyTo < hourlyTo) {
    for (const { id } of await listSeries(sql, cluster)) {
      const range = { fromSeconds: progress.hourlyTo, toSeconds: hourlyTo - 1 };
      const points = mergePoints(await readBuckets(sql, ROLLED_UP["five-minutes"], id, range), HOUR_SECONDS);
      await mergeBuckets(sql, ROLLED_UP.hourly, id, points);
    }
  }
  return { ...progress, fiveMinutesTo, hourlyTo };
}

/**
 * Five-minute buckets of the samples as scraped in [from, to), by series, sorted by time.
 */
export async function readFineBuckets(
  sql: Sql,
  cluster: number,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, readonly SeriesPoint[]>> {
  const rows = await sql.all<SeriesPoint & { series: number }>(
    `SELECT series, ts / ${FIVE_MINUTES_SECONDS} * ${FIVE_MINUTES_SECONDS} AS atSeconds,
       min(value) AS min, avg(value) AS avg, max(value) AS max
     FROM samples_fine WHERE cluster = ? AND ts >= ? AND ts < ?
     GROUP BY series, atSeconds ORDER BY series, atSeconds`,
    cluster,
    from,
    to,
  );
  const bySeries = new Map<number, SeriesPoint[]>();
  for (const { series, ...point } of rows) {
    const list = bySeries.get(series);
    if (list === undefined) bySeries.set(series, [point]);
    else list.push(point);
  }
  return bySeries;
}
