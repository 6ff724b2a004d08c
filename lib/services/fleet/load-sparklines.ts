import type { StoredSeries } from "../../db/store.ts";
import type { LinePoint } from "../../domain/clusters/packed-line.ts";
import type { BusiestLevel } from "../../domain/clusters/summarise-cluster.ts";
import type { FleetCluster } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/** Start of a bucket and ratio, sorted by time; gaps absent. */
export type Sparkline = readonly LinePoint[];

const SPARKLINE_POINTS = 48;
const DAY_SECONDS = 86_400;
/** A line over a day moves by one bucket of five minutes; one that has just begun is looked at again sooner. */
const KEPT_MS = 300_000;
const KEPT_WHILE_SHORT_MS = 30_000;
const SHORT_POINTS = 3;

interface Kept {
  readonly level: string;
  readonly untilAt: number;
  readonly line: Sparkline;
}

/** Lines worked out before, per store: reading a day of 1,000 clusters costs more than all the rest of the page. */
const keptByStore = new WeakMap<object, Map<string, Kept>>();

/**
 * Seats ÷ current limit of each cluster's busiest level over 24 hours, at most 48 points, by cluster id. A bucket that
 * lacks either is a gap. Lines are kept for five minutes, from instants spread over the clusters, so that one request
 * never reads them all anew but the first.
 */
export async function loadSparklines(
  context: ServiceContext,
  clusters: readonly FleetCluster[],
): Promise<ReadonlyMap<string, Sparkline>> {
  const now = context.clock.now();
  const kept = keptByStore.get(context.store) ?? new Map<string, Kept>();
  keptByStore.set(context.store, kept);
  const wanted = clusters.flatMap(({ cluster, summary }) =>
    summary?.busiest ? [{ clusterId: cluster.id, busiest: summary.busiest }] : [],
  );
  const missing = wanted.filter(({ clusterId, busiest }) => {
    const found = kept.get(clusterId);
    return found === undefined || found.untilAt <= now || found.level !== levelKey(busiest);
  });
  const read = await readSparklines(context, missing, now);
  const isFirst = kept.size === 0;
  missing.forEach(({ clusterId, busiest }, index) => {
    const line = read.get(clusterId) ?? [];
    const spread = isFirst ? (index + 1) / missing.length : 1;
    const keptMs = line.length < SHORT_POINTS ? KEPT_WHILE_SHORT_MS : KEPT_MS * spread;
    kept.set(clusterId, { level: levelKey(busiest), untilAt: now + keptMs, line });
  });
  const lines = new Map(wanted.map(({ clusterId }) => [clusterId, kept.get(clusterId)?.line ?? []]));
  for (const clusterId of kept.keys()) if (!lines.has(clusterId)) kept.delete(clusterId);
  return lines;
}

interface Wanted {
  readonly clusterId: string;
  readonly busiest: BusiestLevel;
}

async function readSparklines(
  context: ServiceContext,
  wanted: readonly Wanted[],
  now: number,
): Promise<ReadonlyMap<string, Sparkline>> {
  if (wanted.length === 0) return new Map();
  const toSeconds = Math.floor(now / 1000);
  const range = { fromSeconds: toSeconds - DAY_SECONDS, toSeconds, maxPoints: SPARKLINE_POINTS };
  const keys = (metric: "executing-seats" | "current-limit-seats") =>
    new Map(
      wanted.map(({ clusterId, busiest: { serverId, priorityLevelName } }) => [
        clusterId,
        { metric, serverId, priorityLevelName, rejectReason: null },
      ]),
    );
  const [seats, limits] = await Promise.all([
    context.store.samples.queryFleet(keys("executing-seats"), range),
    context.store.samples.queryFleet(keys("current-limit-seats"), range),
  ]);
  return new Map([...seats].map(([clusterId, series]) => [clusterId, divide(series, limits.get(clusterId))]));
}

const levelKey = ({ serverId, priorityLevelName }: BusiestLevel) => `${serverId}\n${priorityLevelName}`;

/** Rounded to a thousandth: less than a pixel of a sparkline. */
function divide(seats: StoredSeries, limits: StoredSeries | undefined): Sparkline {
  const limitAt = new Map((limits?.points ?? []).map((point) => [point.atSeconds, point.avg]));
  return seats.points.flatMap(({ atSeconds, avg }): LinePoint[] => {
    const limit = limitAt.get(atSeconds);
    return limit === undefined || limit <= 0 ? [] : [[atSeconds, Math.round((avg / limit) * 1000) / 1000]];
  });
}
