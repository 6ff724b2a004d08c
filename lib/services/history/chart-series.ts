import type { ChartSeries } from "../../contracts/common.ts";
import type { StoredSeries } from "../../db/store.ts";
import type { SeriesKey } from "../../domain/clusters/series.ts";

/** Unit of each stored metric. */
const UNITS: Readonly<Record<SeriesKey["metric"], ChartSeries["unit"]>> = {
  up: "count",
  "requests-per-second": "per-second",
  "rejected-per-second": "per-second",
  "inflight-requests": "requests",
  "cpu-cores": "cores",
  "resident-memory-bytes": "bytes",
  "storage-bytes": "bytes",
  "long-running-requests": "requests",
  "executing-seats": "seats",
  "current-limit-seats": "seats",
  "waiting-requests": "requests",
  nodes: "count",
  pods: "count",
  "own-requests-per-minute": "per-minute",
  "own-wire-bytes-per-minute": "bytes-per-minute",
};

/** A stored series as charts take it. A server that is gone is called by its id. */
export function toChartSeries(series: StoredSeries, serverNames: ReadonlyMap<string, string>): ChartSeries {
  const { metric, serverId, priorityLevelName, rejectReason } = series.key;
  return {
    metric,
    serverId,
    serverName: serverId === null ? null : (serverNames.get(serverId) ?? serverId),
    priorityLevelName,
    rejectReason,
    unit: UNITS[metric],
    resolution: series.resolution,
    stepSeconds: series.stepSeconds,
    isGenerated: series.isGenerated,
    points: series.points.map(({ atSeconds, min, avg, max }) => [atSeconds, min, avg, max]),
  };
}
