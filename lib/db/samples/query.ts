import type { SeriesKey, SeriesPoint } from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";
import type { Resolution, StoredSeries } from "../store.ts";
import { readBuckets } from "./blocks.ts";
import { mergePoints } from "./bucket-merger.ts";
import { type Progress, readProgress } from "./progress.ts";
import { FIVE_MINUTES_SECONDS, floorTo, HOUR_SECONDS, ROLLED_UP } from "./resolutions.ts";
import { readFineBuckets } from "./roll-up.ts";
import { type SeriesRow, toSeriesKey } from "./series-ids.ts";

export interface SampleRange {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly maxPoints: number;
}

/** Two samples nearer than this are no gap: the usual time between two passes. */
const FINE_STEP_SECONDS = 30;

/** Points of `series`, which belong to `cluster`, in the resolution that fits the range. */
export async function querySeries(
  sql: Sql,
  cluster: number,
  series: readonly SeriesRow[],
  range: SampleRange,
): Promise<readonly StoredSeries[]> {
  const progress = await readProgress(sql, cluster);
  const resolution = chooseResolution(progress, range);
  const read = await readerFor(sql, cluster, series, progress, resolution, range);
  const found: StoredSeries[] = [];
  for (const row of series) {
    const key = toSeriesKey(row);
    if (key !== null) found.push(toStoredSeries(row, key, resolution, await read(row.id), range));
  }
  return found;
}

/**
 * The coarsest resolution that still gives `maxPoints` points, if it is one that covers the range; else the finest
 * that covers it. Reading finer than asked for costs more and shows the same.
 */
export function chooseResolution(progress: Progress, range: SampleRange): Resolution {
  const wantedStep = (range.toSeconds - range.fromSeconds) / Math.max(1, range.maxPoints);
  const doesFineCover = range.fromSeconds >= progress.fineFrom;
  const doFiveMinutesCover = range.fromSeconds >= progress.fiveMinutesFrom;
  if (wantedStep >= HOUR_SECONDS) return "hourly";
  if (wantedStep >= FIVE_MINUTES_SECONDS) return doFiveMinutesCover ? "five-minutes" : "hourly";
  if (doesFineCover) return "fine";
  return doFiveMinutesCover ? "five-minutes" : "hourly";
}

/** How to read one series by id, with what all of them share read once. */
async function readerFor(
  sql: Sql,
  cluster: number,
  series: readonly SeriesRow[],
  progress: Progress,
  resolution: Resolution,
  range: SampleRange,
): Promise<(id: number) => Promise<readonly SeriesPoint[]>> {
  if (resolution === "fine") {
    const fine = await readFine(sql, cluster, series, range);
    return async (id) => fine.get(id) ?? [];
  }
  // What is not rolled up yet is worked out now, so that a chart ends at the last sample.
  const openFrom = Math.max(progress.fiveMinutesTo, floorTo(range.fromSeconds, FIVE_MINUTES_SECONDS));
  const open = await readFineBuckets(sql, cluster, openFrom, range.toSeconds + 1);
  if (resolution === "hourly") return (id) => readHours(sql, id, progress, range, open.get(id) ?? []);
  return async (id) => [
    ...(await readBuckets(sql, ROLLED_UP[resolution], id, range)).filter(
      ({ atSeconds }) => atSeconds < openFrom || !open.has(id),
    ),
    ...(open.get(id) ?? []),
  ];
}

/** Hours of one series, the open ones worked out of their five-minute buckets and of `open`, which follow those. */
async function readHours(
  sql: Sql,
  id: number,
  progress: Progress,
  range: SampleRange,
  open: readonly SeriesPoint[],
): Promise<readonly SeriesPoint[]> {
  const closed = await readBuckets(sql, ROLLED_UP.hourly, id, range);
  const fromSeconds = Math.max(progress.hourlyTo, floorTo(range.fromSeconds, HOUR_SECONDS));
  if (fromSeconds > range.toSeconds) return closed;
  const since = { fromSeconds, toSeconds: range.toSeconds };
  const later = mergePoints(
    [...(await readBuckets(sql, ROLLED_UP["five-minutes"], id, since)), ...open],
    HOUR_SECONDS,
  );
  const first = later[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
  return [...closed.filter(({ atSeconds }) => atSeconds < first), ...later];
}

async function readFine(
  sql: Sql,
  cluster: number,
  series: readonly SeriesRow[],
  range: SampleRange,
): Promise<ReadonlyMap<number, readonly SeriesPoint[]>> {
  const bySeries = new Map<number, SeriesPoint[]>(series.map(({ id }) => [id, []]));
  const rows = await sql.all<{ series: number; ts: number; value: number }>(
    `SELECT series, ts, value FROM samples_fine
     WHERE cluster = ? AND ts >= ? AND ts <= ? AND series IN (SELECT value FROM json_each(?)) ORDER BY ts`,
    cluster,
    range.fromSeconds,
    range.toSeconds,
    JSON.stringify([...bySeries.keys()]),
  );
  for (const { series: id, ts, value } of rows) {
    bySeries.get(id)?.push({ atSeconds: ts, min: value, avg: value, max: value });
  }
  return bySeries;
}

/** Merges what is more than asked for, and says how far apart points are when nothing is missing. */
export function toStoredSeries(
  row: SeriesRow,
  key: SeriesKey,
  resolution: Resolution,
  points: readonly SeriesPoint[],
  range: SampleRange,
): StoredSeries {
  const step = resolution === "fine" ? 1 : ROLLED_UP[resolution].stepSeconds;
  const mergedStep = stepFor(step, range);
  const isMerged = points.length > range.maxPoints && mergedStep > step;
  const shown = isMerged ? mergePoints(points, mergedStep) : points;
  const least = isMerged ? mergedStep : Math.max(step, resolution === "fine" ? FINE_STEP_SECONDS : 0);
  return {
    key,
    resolution,
    stepSeconds: Math.max(least, usualSpacing(shown)),
    points: shown,
    isGenerated:
      row.generatedFrom !== null &&
      row.generatedTo !== null &&
      row.generatedFrom <= range.toSeconds &&
      row.generatedTo >= (shown[0]?.atSeconds ?? range.fromSeconds),
  };
}

/** The least multiple of `step` that gives no more points than asked for. */
export function stepFor(step: number, range: SampleRange): number {
  return (
    step * Math.max(1, Math.ceil((range.toSeconds - range.fromSeconds) / Math.max(1, range.maxPoints) / step))
  );
}

/** Median seconds from a point to the next, so that a figure read once an hour is not all gaps; 0 below three points. */
function usualSpacing(points: readonly SeriesPoint[]): number {
  if (points.length < 3) return 0;
  const spacings = points.slice(1).map(({ atSeconds }, index) => atSeconds - (points[index]?.atSeconds ?? 0));
  return spacings.sort((a, b) => a - b)[Math.floor(spacings.length / 2)] ?? 0;
}
