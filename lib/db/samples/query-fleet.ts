import type { SeriesKey, SeriesPoint } from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";
import type { StoredSeries } from "../store.ts";
import { visitBlock } from "./block.ts";
import { BucketMerger } from "./bucket-merger.ts";
import type { Progress } from "./progress.ts";
import { chooseResolution, querySeries, type SampleRange, stepFor, toStoredSeries } from "./query.ts";
import { floorTo, HOUR_SECONDS, ROLLED_UP, type RolledUp } from "./resolutions.ts";
import type { SeriesRow } from "./series-ids.ts";

interface FleetSeries extends SeriesRow, Progress {
  readonly clusterId: string;
  readonly cluster: number;
}

/**
 * One series of each of many clusters, by cluster id; a cluster without the series is absent. A few statements for
 * all of them: a thousand clusters take tens of milliseconds. The last five minutes at most are missing where that
 * spares reading every sample as scraped.
 */
export async function queryFleet(
  sql: Sql,
  keys: ReadonlyMap<string, SeriesKey>,
  range: SampleRange,
): Promise<ReadonlyMap<string, StoredSeries>> {
  const series = await findFleetSeries(sql, keys);
  const byResolution = Map.groupBy(series, (one) => chooseResolution(one, range));
  const found = new Map<string, StoredSeries>();
  for (const one of byResolution.get("fine") ?? []) {
    const [stored] = await querySeries(sql, one.cluster, [one], range);
    if (stored !== undefined) found.set(one.clusterId, stored);
  }
  for (const resolution of ["five-minutes", "hourly"] as const) {
    const members = byResolution.get(resolution) ?? [];
    const points = await readMerged(sql, ROLLED_UP[resolution], members, range);
    for (const one of members) {
      const key = keys.get(one.clusterId);
      if (key === undefined) continue;
      found.set(one.clusterId, toStoredSeries(one, key, resolution, points.get(one.id) ?? [], range));
    }
  }
  return found;
}

function findFleetSeries(sql: Sql, keys: ReadonlyMap<string, SeriesKey>): Promise<readonly FleetSeries[]> {
  const wanted = [...keys].map(([clusterId, key]) => [
    clusterId,
    key.metric,
    key.serverId ?? "",
    key.priorityLevelName ?? "",
    key.rejectReason ?? "",
  ]);
  return sql.all<FleetSeries>(
    `SELECT c.id AS clusterId, c.number AS cluster, s.id, s.metric, s.server_id AS serverId,
       s.priority_level_name AS priorityLevelName, s.reject_reason AS rejectReason,
       s.generated_from AS generatedFrom, s.generated_to AS generatedTo,
       p.five_minutes_to AS fiveMinutesTo, p.hourly_to AS hourlyTo, p.fine_from AS fineFrom,
       p.five_minutes_from AS fiveMinutesFrom, p.fine_deleted_to AS fineDeletedTo
     FROM json_each(?) k
     JOIN clusters c ON c.id = k.value ->> 0
     JOIN series s ON s.cluster = c.number AND s.metric = k.value ->> 1 AND s.server_id = k.value ->> 2
       AND s.priority_level_name = k.value ->> 3 AND s.reject_reason = k.value ->> 4
     JOIN sample_progress p ON p.cluster = c.number`,
    JSON.stringify(wanted),
  );
}

/** Points by series id, merged to the step that is shown. Hours that are not closed come from their five minutes. */
async function readMerged(
  sql: Sql,
  rolledUp: RolledUp,
  series: readonly FleetSeries[],
  range: SampleRange,
): Promise<ReadonlyMap<number, readonly SeriesPoint[]>> {
  if (series.length === 0) return new Map();
  const step = stepFor(rolledUp.stepSeconds, range);
  const mergers = new Map(series.map(({ id }) => [id, new BucketMerger(step)]));
  const isHourly = rolledUp === ROLLED_UP.hourly;
  const closedTo = new Map(
    series.map(({ id, hourlyTo }) => [id, isHourly ? hourlyTo : Number.POSITIVE_INFINITY]),
  );
  await visitBlocks(sql, rolledUp, series, range, (id, atSeconds, min, avg, max) => {
    if (atSeconds < (closedTo.get(id) ?? 0)) mergers.get(id)?.add(atSeconds, min, avg, max);
  });
  if (isHourly) {
    for (const [id, hours] of await readOpenHours(sql, series, range)) {
      for (const { atSeconds, min, avg, max } of hours) mergers.get(id)?.add(atSeconds, min, avg, max);
    }
  }
  return new Map([...mergers].map(([id, merger]) => [id, merger.finish()]));
}

async function readOpenHours(
  sql: Sql,
  series: readonly FleetSeries[],
  range: SampleRange,
): Promise<ReadonlyMap<number, readonly SeriesPoint[]>> {
  const openFrom = new Map(
    series.map(({ id, hourlyTo }) => [id, Math.max(hourlyTo, floorTo(range.fromSeconds, HOUR_SECONDS))]),
  );
  const first = [...openFrom.values()].reduce((least, from) => Math.min(least, from), range.toSeconds);
  const hours = new Map(series.map(({ id }) => [id, new BucketMerger(HOUR_SECONDS)]));
  const since = { ...range, fromSeconds: first };
  await visitBlocks(sql, ROLLED_UP["five-minutes"], series, since, (id, atSeconds, min, avg, max) => {
    if (atSeconds >= (openFrom.get(id) ?? 0)) hours.get(id)?.add(atSeconds, min, avg, max);
  });
  return new Map([...hours].map(([id, merger]) => [id, merger.finish()]));
}

/** Calls `visit` for each bucket within the range, series by series, in order of time. */
async function visitBlocks(
  sql: Sql,
  rolledUp: RolledUp,
  series: readonly FleetSeries[],
  range: SampleRange,
  visit: (id: number, atSeconds: number, min: number, avg: number, max: number) => void,
): Promise<void> {
  const rows = await sql.all<{ series: number; ts: number; block: Uint8Array }>(
    `SELECT series, ts, block FROM ${rolledUp.table}
     WHERE series IN (SELECT value FROM json_each(?)) AND ts >= ? AND ts <= ? ORDER BY series, ts`,
    JSON.stringify(series.map(({ id }) => id)),
    floorTo(range.fromSeconds, rolledUp.blockSeconds),
    range.toSeconds,
  );
  for (const { series: id, ts, block } of rows) {
    try {
      visitBlock(block, (index, min, avg, max) => {
        const atSeconds = ts + index * rolledUp.stepSeconds;
        if (atSeconds >= range.fromSeconds && atSeconds <= range.toSeconds)
          visit(id, atSeconds, min, avg, max);
      });
    } catch (error) {
      // A block that does not parse is a gap.
      if (!(error instanceof RangeError)) throw error;
    }
  }
}
