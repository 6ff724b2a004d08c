/**
 * The series kept per cluster and server: what pages draw, not every metric. All are gauges or rates; a counter is
 * turned into a rate before it is stored, so that a restart of the API server never looks like a burst.
 */
export const SERVER_METRICS = [
  /** 1 when the server was read. Its absence is the gap of every other series. */
  "up",
  "requests-per-second",
  "rejected-per-second",
  "inflight-requests",
  "cpu-cores",
  "resident-memory-bytes",
  "storage-bytes",
  "long-running-requests",
  "executing-seats",
  "current-limit-seats",
  "waiting-requests",
] as const;
export type ServerMetric = (typeof SERVER_METRICS)[number];

/** Kept per server and priority level. `rejected-per-second` exists once per reason, from the first rejection on. */
export const LEVEL_METRICS = [
  "executing-seats",
  "current-limit-seats",
  "waiting-requests",
  "rejected-per-second",
] as const;
export type LevelMetric = (typeof LEVEL_METRICS)[number];

/** Kept per cluster: its size, and what Headroom itself cost. */
export const CLUSTER_METRICS = [
  "nodes",
  "pods",
  "own-requests-per-minute",
  "own-wire-bytes-per-minute",
] as const;
export type ClusterMetric = (typeof CLUSTER_METRICS)[number];

/**
 * Identity of one series. `serverId` is `null` for a cluster's own; `priorityLevelName` and `rejectReason` are `null`
 * where they do not apply (a server's sum over its levels has no level).
 */
export interface SeriesKey {
  readonly metric: ServerMetric | LevelMetric | ClusterMetric;
  readonly serverId: string | null;
  readonly priorityLevelName: string | null;
  readonly rejectReason: string | null;
}

export interface SeriesSample {
  readonly key: SeriesKey;
  readonly value: number;
}

/** A point of a stored series. `min`, `max` span the bucket; equal to `avg` for an as-scraped sample. */
export interface SeriesPoint {
  /** Start of the bucket, seconds since the epoch. */
  readonly atSeconds: number;
  readonly min: number;
  readonly avg: number;
  readonly max: number;
}
