import type { SeriesPoint } from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";
import { BLOCK_BUCKETS, type Bucket, decodeBlock, encodeBlock, visitBlock } from "./block.ts";
import { floorTo, type RolledUp } from "./resolutions.ts";

/** Puts buckets of one series into its blocks; those that are there already are replaced, the others stay. */
export async function mergeBuckets(
  sql: Sql,
  rolledUp: RolledUp,
  series: number,
  points: readonly SeriesPoint[],
): Promise<void> {
  const byBlock = new Map<number, SeriesPoint[]>();
  for (const point of points) {
    const start = floorTo(point.atSeconds, rolledUp.blockSeconds);
    const list = byBlock.get(start);
    if (list === undefined) byBlock.set(start, [point]);
    else list.push(point);
  }
  for (const [start, members] of byBlock) {
    const buckets = await readBlock(sql, rolledUp, series, start);
    for (const { atSeconds, min, avg, max } of members) {
      buckets[Math.floor((atSeconds - start) / rolledUp.stepSeconds)] = { min, avg, max };
    }
    await sql.run(
      `INSERT INTO ${rolledUp.table} (series, ts, block) VALUES (?, ?, ?)
       ON CONFLICT (series, ts) DO UPDATE SET block = excluded.block`,
      series,
      start,
      encodeBlock(buckets),
    );
  }
}

/** Buckets of one series that start within [from, to], sorted. A block that does not parse is a gap. */
export async function readBuckets(
  sql: Sql,
  rolledUp: RolledUp,
  series: number,
  range: { readonly fromSeconds: number; readonly toSeconds: number },
): Promise<SeriesPoint[]> {
  const rows = await sql.all<{ ts: number; block: Uint8Array }>(
    `SELECT ts, block FROM ${rolledUp.table} WHERE series = ? AND ts >= ? AND ts <= ? ORDER BY ts`,
    series,
    floorTo(range.fromSeconds, rolledUp.blockSeconds),
    range.toSeconds,
  );
  const points: SeriesPoint[] = [];
  for (const { ts, block } of rows) {
    try {
      visitBlock(block, (index, min, avg, max) => {
        const atSeconds = ts + index * rolledUp.stepSeconds;
        if (atSeconds >= range.fromSeconds && atSeconds <= range.toSeconds) {
          points.push({ atSeconds, min, avg, max });
        }
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return points;
}

async function readBlock(sql: Sql, rolledUp: RolledUp, series: number, start: number): Promise<Bucket[]> {
  const [row] = await sql.all<{ block: Uint8Array }>(
    `SELECT block FROM ${rolledUp.table} WHERE series = ? AND ts = ?`,
    series,
    start,
  );
  if (row === undefined) return new Array<Bucket>(BLOCK_BUCKETS).fill(null);
  try {
    return decodeBlock(row.block);
  } catch (error) {
    // What does not parse is a gap when read, so it is replaced rather than kept from ever being whole again.
    if (error instanceof RangeError) return new Array<Bucket>(BLOCK_BUCKETS).fill(null);
    throw error;
  }
}
