import type { LevelMetric, SeriesSample, ServerMetric } from "../../domain/clusters/series.ts";
import type { ServerRates } from "../metrics/rates.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";

export interface SampledServer {
  readonly serverId: string;
  readonly metrics: ServerMetrics;
  readonly rates: ServerRates;
}

export interface ClusterFigures {
  readonly nodes: number | null;
  readonly pods: number | null;
  /** Own cost over the last minute; `null` before a minute is over. */
  readonly ownRequestsPerMinute: number | null;
  readonly ownWireBytesPerMinute: number | null;
}

/**
 * The samples of one pass. A figure that is not known has no sample: a gap, never zero. A server that was not read has
 * none at all.
 */
export function decideSamples(
  servers: readonly SampledServer[],
  figures: ClusterFigures,
): readonly SeriesSample[] {
  return [...servers.flatMap(serverSamples), ...clusterSamples(figures)];
}

function serverSamples({ serverId, metrics, rates }: SampledServer): readonly SeriesSample[] {
  const levels = [...metrics.levels.values()];
  const rejected = [...rates.levels.values()].map((level) => level.rejectedPerSecond);
  const figures: Readonly<Record<ServerMetric, number | null>> = {
    up: 1,
    "requests-per-second": rates.requestsPerSecond,
    "rejected-per-second": sumKnown(rejected),
    "inflight-requests": metrics.inflightRequests,
    "cpu-cores": rates.cpuCores,
    "resident-memory-bytes": metrics.residentMemoryBytes,
    "storage-bytes": metrics.storageBytes,
    "long-running-requests": metrics.longRunningRequests,
    "executing-seats": sumKnown(levels.map((level) => level.executingSeats)),
    "current-limit-seats": sumKnown(levels.map((level) => level.currentLimitSeats)),
    "waiting-requests": sumKnown(levels.map((level) => level.waitingRequests)),
  };
  const samples: SeriesSample[] = [];
  const add = (
    metric: ServerMetric | LevelMetric,
    value: number | null,
    priorityLevelName: string | null = null,
    rejectReason: string | null = null,
  ) => {
    if (value !== null && Number.isFinite(value)) {
      samples.push({ key: { metric, serverId, priorityLevelName, rejectReason }, value });
    }
  };
  for (const [metric, value] of Object.entries(figures) as [ServerMetric, number | null][])
    add(metric, value);
  for (const [name, level] of metrics.levels) {
    add("executing-seats", level.executingSeats, name);
    add("current-limit-seats", level.currentLimitSeats, name);
    add("waiting-requests", level.waitingRequests, name);
    for (const [reason, rate] of rates.levels.get(name)?.rejectedPerSecondByReason ?? []) {
      add("rejected-per-second", rate, name, reason);
    }
  }
  return samples;
}

function clusterSamples(figures: ClusterFigures): readonly SeriesSample[] {
  const rows = [
    ["nodes", figures.nodes],
    ["pods", figures.pods],
    ["own-requests-per-minute", figures.ownRequestsPerMinute],
    ["own-wire-bytes-per-minute", figures.ownWireBytesPerMinute],
  ] as const;
  return rows.flatMap(([metric, value]) =>
    value === null
      ? []
      : [{ key: { metric, serverId: null, priorityLevelName: null, rejectReason: null }, value }],
  );
}

/** `null` where none is known. */
function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
