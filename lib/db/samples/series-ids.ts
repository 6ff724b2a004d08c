import {
  CLUSTER_METRICS,
  LEVEL_METRICS,
  SERVER_METRICS,
  type SeriesKey,
} from "../../domain/clusters/series.ts";
import type { Sql } from "../sqlite/connection.ts";

export interface SeriesRow {
  readonly id: number;
  readonly metric: string;
  readonly serverId: string;
  readonly priorityLevelName: string;
  readonly rejectReason: string;
  readonly generatedFrom: number | null;
  readonly generatedTo: number | null;
}

const METRICS = [...new Set([...SERVER_METRICS, ...LEVEL_METRICS, ...CLUSTER_METRICS])];

const SELECT_SERIES = `SELECT id, metric, server_id AS serverId, priority_level_name AS priorityLevelName,
  reject_reason AS rejectReason, generated_from AS generatedFrom, generated_to AS generatedTo FROM series`;

/** The series of one cluster. */
export async function listSeries(sql: Sql, cluster: number): Promise<readonly SeriesRow[]> {
  return sql.all<SeriesRow>(`${SELECT_SERIES} WHERE cluster = ? ORDER BY id`, cluster);
}

/**
 * Ids of the keys, made on first use; same order as `keys`. Not remembered between calls: another process may add
 * series, and a restored backup has other ids.
 */
export async function ensureSeries(
  sql: Sql,
  cluster: number,
  keys: readonly SeriesKey[],
): Promise<readonly number[]> {
  const ids = new Map((await listSeries(sql, cluster)).map((row) => [textOf(toKeyColumns(row)), row.id]));
  const missing = new Map(keys.map((key) => [textOf(columnsOf(key)), columnsOf(key)]));
  for (const text of ids.keys()) missing.delete(text);
  for (const [text, columns] of missing) {
    const rows = await sql.all<{ id: number }>(
      "INSERT INTO series (cluster, metric, server_id, priority_level_name, reject_reason) VALUES (?, ?, ?, ?, ?) RETURNING id",
      cluster,
      ...columns,
    );
    if (rows[0] !== undefined) ids.set(text, rows[0].id);
  }
  return keys.map((key) => ids.get(textOf(columnsOf(key))) ?? Number.NaN);
}

/** The key as the rest of Headroom knows it; `null` for a metric that this release does not know. */
export function toSeriesKey(row: SeriesRow): SeriesKey | null {
  const metric = METRICS.find((name) => name === row.metric);
  if (metric === undefined) return null;
  return {
    metric,
    serverId: row.serverId || null,
    priorityLevelName: row.priorityLevelName || null,
    rejectReason: row.rejectReason || null,
  };
}

/** True where every member that `match` has is equal; `null` in it matches `null` only. */
export function matches(key: SeriesKey, match: Partial<SeriesKey>): boolean {
  return (
    (match.metric === undefined || match.metric === key.metric) &&
    (match.serverId === undefined || match.serverId === key.serverId) &&
    (match.priorityLevelName === undefined || match.priorityLevelName === key.priorityLevelName) &&
    (match.rejectReason === undefined || match.rejectReason === key.rejectReason)
  );
}

type KeyColumns = readonly [
  metric: string,
  serverId: string,
  priorityLevelName: string,
  rejectReason: string,
];

const columnsOf = (key: SeriesKey): KeyColumns => [
  key.metric,
  key.serverId ?? "",
  key.priorityLevelName ?? "",
  key.rejectReason ?? "",
];

const toKeyColumns = (row: SeriesRow): KeyColumns => [
  row.metric,
  row.serverId,
  row.priorityLevelName,
  row.rejectReason,
];

const textOf = (columns: KeyColumns) => columns.join("\n");
