import type { SeriesKey, SeriesPoint } from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";
import type { Resolution } from "../store.ts";
import { mergeBuckets } from "./blocks.ts";
import { noteHistory } from "./history.ts";
import { NEVER, readProgress, writeProgress } from "./progress.ts";
import { FIVE_MINUTES_SECONDS, floorTo, HOUR_SECONDS, ROLLED_UP } from "./resolutions.ts";
import { rollUp } from "./roll-up.ts";
import { ensureSeries } from "./series-ids.ts";

export interface FineSample {
  readonly key: SeriesKey;
  readonly atSeconds: number;
  readonly value: number;
}

export interface SeriesPoints {
  readonly key: SeriesKey;
  readonly points: readonly SeriesPoint[];
}

/**
 * Adds samples as scraped and rolls up the five minutes and hours that they close. A sample that is there already is
 * replaced. One that comes late re-opens its buckets; one older than what is kept as scraped is left out, and so is a
 * value that is no number. Part of the caller's transaction.
 */
export async function appendFine(sql: Sql, cluster: number, samples: readonly FineSample[]): Promise<void> {
  const before = await readProgress(sql, cluster);
  const kept = samples
    .map((sample) => ({ ...sample, atSeconds: Math.floor(sample.atSeconds) }))
    .filter(({ atSeconds, value }) => Number.isFinite(value) && atSeconds >= before.fineDeletedTo);
  if (kept.length === 0) return;
  const ids = await ensureSeries(
    sql,
    cluster,
    kept.map(({ key }) => key),
  );
  await sql.runMany(
    `INSERT INTO samples_fine (cluster, ts, series, value) VALUES (?, ?, ?, ?)
     ON CONFLICT (cluster, ts, series) DO UPDATE SET value = excluded.value`,
    kept.map(({ atSeconds, value }, index) => [cluster, atSeconds, ids[index] ?? null, value]),
  );
  const { first, last } = spanOf(kept);
  const reopened = {
    ...before,
    fineFrom: before.fineFrom === NEVER ? first : before.fineFrom,
    fiveMinutesTo: Math.min(before.fiveMinutesTo, floorTo(first, FIVE_MINUTES_SECONDS)),
    hourlyTo: Math.min(before.hourlyTo, floorTo(first, HOUR_SECONDS)),
  };
  // A late sample closes its own buckets only; those after it stay closed as they were.
  const closedUpTo = Math.max(last, before.fiveMinutesTo === NEVER ? 0 : before.fiveMinutesTo);
  await writeProgress(sql, cluster, await rollUp(sql, cluster, reopened, closedUpTo));
}

/**
 * Adds history that was not scraped. Points of a rolled-up resolution replace the buckets that they fall into, and
 * are rolled up no further: give each resolution what it should hold.
 */
export async function appendPoints(
  sql: Sql,
  cluster: number,
  resolution: Resolution,
  rows: readonly SeriesPoints[],
  isGenerated: boolean,
): Promise<void> {
  const filled = rows.filter(({ points }) => points.length > 0);
  if (filled.length === 0) return;
  const ids = await ensureSeries(
    sql,
    cluster,
    filled.map(({ key }) => key),
  );
  if (resolution === "fine") {
    const samples = filled.flatMap(({ key, points }) =>
      points.map(({ atSeconds, avg }) => ({ key, atSeconds, value: avg })),
    );
    await appendFine(sql, cluster, samples);
  } else {
    for (const [index, { points }] of filled.entries()) {
      const series = ids[index];
      if (series !== undefined) await mergeBuckets(sql, ROLLED_UP[resolution], series, points);
    }
  }
  await noteHistory(sql, cluster);
  if (!isGenerated) return;
  await sql.runMany(
    `UPDATE series SET generated_from = min(coalesce(generated_from, ?), ?),
       generated_to = max(coalesce(generated_to, ?), ?) WHERE id = ?`,
    filled.map(({ points }, index) => {
      const { first, last } = spanOf(points);
      return [first, first, last, last, ids[index] ?? null];
    }),
  );
}

function spanOf(points: readonly { readonly atSeconds: number }[]): { first: number; last: number } {
  return points.reduce(
    ({ first, last }, { atSeconds }) => ({
      first: Math.min(first, atSeconds),
      last: Math.max(last, atSeconds),
    }),
    { first: NEVER, last: 0 },
  );
}
