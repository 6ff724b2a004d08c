import { setImmediate as nextTurn } from "node:timers/promises";
import type { Resolution, Store } from "../../db/store.ts";
import { generateEvents, generateHistory, type ServedDemoCluster } from "../../demo-fleet/index.ts";
import type { SeriesKey, SeriesPoint } from "../../domain/clusters/series.ts";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";

export interface DemoHistoryInput {
  readonly store: Pick<Store, "samples" | "events">;
  readonly clusterId: string;
  readonly cluster: Pick<ServedDemoCluster, "name" | "servers">;
  readonly anchorAt: number;
  /** As the collector found them, so that history and measurement share the ids of servers. */
  readonly servers: ServersPart;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
/** Beyond the last day, so that a page asking for 24 h some time after the start is covered by five minutes throughout. */
const FIVE_MINUTES_REACH_MS = DAY_MS + 6 * 3_600_000;

/** One stretch of generated history. */
export interface Stretch {
  readonly resolution: Resolution;
  readonly stepSeconds: number;
  readonly reachMs: number;
}

/** In the order in which they are written: what pages show first comes first, and the last marks the whole done. */
export const STRETCHES: readonly Stretch[] = [
  { resolution: "five-minutes", stepSeconds: 300, reachMs: FIVE_MINUTES_REACH_MS },
  { resolution: "fine", stepSeconds: 60, reachMs: 3_600_000 },
  { resolution: "hourly", stepSeconds: 3600, reachMs: HISTORY_DAYS * DAY_MS },
];

/** Whether a cluster has its generated month already. */
export async function hasDemoHistory(
  store: Pick<Store, "samples">,
  clusterId: string,
  anchorAt: number,
): Promise<boolean> {
  const series = await store.samples.query(
    clusterId,
    { metric: "nodes", serverId: null },
    {
      fromSeconds: Math.floor((anchorAt - HISTORY_DAYS * DAY_MS) / 1000),
      toSeconds: Math.floor((anchorAt - (HISTORY_DAYS - 2) * DAY_MS) / 1000),
      maxPoints: 100,
    },
  );
  return series.some(({ points }) => points.length > 0);
}

/** Writes the generated events of a month, labelled as generated; once. */
export async function writeDemoEvents(
  input: Pick<DemoHistoryInput, "store" | "clusterId" | "cluster" | "anchorAt">,
): Promise<void> {
  const { store, clusterId, cluster, anchorAt } = input;
  const { events } = await store.events.list({ clusterId, limit: 500 });
  if (events.some(({ isGenerated }) => isGenerated)) return;
  const generated = generateEvents({
    cluster: cluster.name,
    anchorAt,
    from: anchorAt - HISTORY_DAYS * DAY_MS,
    to: anchorAt,
  });
  await store.events.append(clusterId, generated, { isGenerated: true });
}

/**
 * Writes one stretch of generated history up to the anchor, labelled as generated. Gives way to other work after each
 * instant; writes nothing when the signal is aborted before its end. Writing it again changes nothing.
 */
export async function writeDemoStretch(input: DemoHistoryInput, stretch: Stretch): Promise<void> {
  const { store, clusterId, cluster, anchorAt, signal } = input;
  const serverIds = mapServerIds(cluster, input.servers);
  // By the key itself: the history names a series by the same object at every instant.
  const rows = new Map<SeriesKey, { readonly key: SeriesKey; readonly points: SeriesPoint[] }>();
  const ticks = generateHistory({
    cluster: cluster.name,
    anchorAt,
    from: anchorAt - stretch.reachMs,
    to: anchorAt,
    stepSeconds: stretch.stepSeconds,
  });
  for (const { atSeconds, samples } of ticks) {
    for (const { key, value } of samples) {
      let row = rows.get(key);
      if (row === undefined) {
        const serverId = key.serverId === null ? null : (serverIds.get(key.serverId) ?? key.serverId);
        row = { key: { ...key, serverId }, points: [] };
        rows.set(key, row);
      }
      row.points.push({ atSeconds, min: value, avg: value, max: value });
    }
    await nextTurn();
    if (signal.aborted) return;
  }
  await store.samples.append(clusterId, stretch.resolution, [...rows.values()], { isGenerated: true });
}

/** From the identity that generated history names a server by to the id that the collector gave it. */
function mapServerIds(
  cluster: Pick<ServedDemoCluster, "servers">,
  servers: ServersPart,
): ReadonlyMap<string, string> {
  return new Map(
    cluster.servers.flatMap(({ identity, name, port }) => {
      const found = servers.servers.find(
        ({ address, hostname }) => hostname === name || (address?.endsWith(`:${port}`) ?? false),
      );
      return found === undefined ? [] : [[identity, found.id] as const];
    }),
  );
}
