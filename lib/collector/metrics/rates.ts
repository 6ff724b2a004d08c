import type { WaitP99 } from "../../domain/fairness/fairness-part.ts";
import type { ServerMetrics } from "./server-metrics.ts";

/** Window over which the p99 of the wait is taken, seconds. */
export const WAIT_WINDOW_SECONDS = 300;
/**
 * How long an API server lets a request wait by default, and the lower bound of the widest bucket: a request that it
 * gives up waits a little longer, and what is interpolated up to the next bound, 30 s, is a wait that nobody had.
 */
const QUEUE_WAIT_LIMIT_SECONDS = 15;
/** At the incident pace not every scrape is kept for the window: at most one per so many seconds. */
const SNAPSHOT_SPACING_SECONDS = 25;

interface CounterSnapshot {
  readonly readAt: number;
  readonly requestsTotal: number | null;
  readonly cpuSeconds: number | null;
  readonly levels: ReadonlyMap<
    string,
    { readonly rejectedTotal: ReadonlyMap<string, number>; readonly dispatchedTotal: number | null }
  >;
}

interface WaitSnapshot {
  readonly readAt: number;
  /** Cumulative counts per upper bound, by level. */
  readonly buckets: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/**
 * What is remembered of one API server process between scrapes so that counters become rates: the scrape before, and
 * the wait histograms of the last 5 minutes. Belongs to one process: another start time begins a new one.
 */
export interface RateMemory {
  readonly processStartSeconds: number | null;
  readonly last: CounterSnapshot;
  /** Sorted by time; the first is the oldest one that still spans the window. */
  readonly waits: readonly WaitSnapshot[];
}

/** Rates since the scrape before; `null` where there was none, or the server restarted in between. */
export interface ServerRates {
  readonly requestsPerSecond: number | null;
  readonly cpuCores: number | null;
  /** Keyed by priority level name. */
  readonly levels: ReadonlyMap<string, LevelRates>;
}

export interface LevelRates {
  readonly rejectedPerSecond: number | null;
  /** By reason; a reason that never occurred on this server is absent. */
  readonly rejectedPerSecondByReason: ReadonlyMap<string, number>;
  readonly dispatchedPerSecond: number | null;
  readonly waitP99: WaitP99 | null;
}

/**
 * Rates of a server from its page and what is remembered of it, and what to remember next. A memory of another
 * process (start time differs) or from the future counts as none.
 */
export function advanceRates(
  memory: RateMemory | null,
  metrics: ServerMetrics,
): { readonly rates: ServerRates; readonly memory: RateMemory } {
  const usable = memory !== null && isSameProcess(memory, metrics) ? memory : null;
  const seconds = usable === null ? 0 : (metrics.readAt - usable.last.readAt) / 1000;
  const before = seconds > 0 ? usable : null;
  const levels = new Map<string, LevelRates>();
  for (const [name, level] of metrics.levels) {
    const lastLevel = before?.last.levels.get(name);
    const byReason = new Map<string, number>();
    let rejected: number | null = before === null ? null : 0;
    for (const [reason, total] of level.rejectedTotal) {
      // A reason appears with its first rejection, so a reason not seen before counts from zero.
      const rate = before === null ? null : rateOf(lastLevel?.rejectedTotal.get(reason) ?? 0, total, seconds);
      if (rate !== null) byReason.set(reason, rate);
      rejected = rate === null || rejected === null ? null : rejected + rate;
    }
    levels.set(name, {
      rejectedPerSecond: rejected,
      rejectedPerSecondByReason: byReason,
      dispatchedPerSecond:
        before === null ? null : rateOf(lastLevel?.dispatchedTotal ?? null, level.dispatchedTotal, seconds),
      waitP99: findWaitP99(before?.waits ?? [], name, level.waitBuckets, metrics.readAt),
    });
  }
  return {
    rates: {
      requestsPerSecond:
        before === null ? null : rateOf(before.last.requestsTotal, metrics.requestsTotal, seconds),
      cpuCores: before === null ? null : rateOf(before.last.cpuSeconds, metrics.cpuSeconds, seconds),
      levels,
    },
    memory: remember(usable, metrics),
  };
}

/** A histogram quantile by linear interpolation inside the bucket, as Prometheus takes it. */
export function histogramQuantile(
  quantile: number,
  increase: ReadonlyMap<number, number>,
): { readonly value: number; readonly isAtLeast: boolean } | null {
  const buckets = [...increase].sort(([a], [b]) => a - b);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  const rank = quantile * total;
  let lowerBound = 0;
  let countBelow = 0;
  for (const [upperBound, count] of buckets) {
    if (count >= rank) {
      if (!Number.isFinite(upperBound)) return { value: lowerBound, isAtLeast: true };
      const inBucket = count - countBelow;
      const share = inBucket <= 0 ? 0 : (rank - countBelow) / inBucket;
      return { value: lowerBound + (upperBound - lowerBound) * share, isAtLeast: false };
    }
    lowerBound = Number.isFinite(upperBound) ? upperBound : lowerBound;
    countBelow = count;
  }
  return { value: lowerBound, isAtLeast: true };
}

/** The start time comes from the boot time, which moves by whole seconds when the machine's clock is set. */
function isSameProcess(memory: RateMemory, metrics: ServerMetrics): boolean {
  if (memory.processStartSeconds === null || metrics.processStartSeconds === null) {
    return !hasCounterFallen(memory, metrics);
  }
  return (
    Math.abs(memory.processStartSeconds - metrics.processStartSeconds) < 6 &&
    !hasCounterFallen(memory, metrics)
  );
}

function hasCounterFallen(memory: RateMemory, metrics: ServerMetrics): boolean {
  return (
    memory.last.requestsTotal !== null &&
    metrics.requestsTotal !== null &&
    metrics.requestsTotal < memory.last.requestsTotal
  );
}

function rateOf(before: number | null, after: number | null, seconds: number): number | null {
  if (before === null || after === null || after < before) return null;
  return (after - before) / seconds;
}

function findWaitP99(
  waits: readonly WaitSnapshot[],
  levelName: string,
  now: ReadonlyMap<number, number>,
  readAt: number,
): WaitP99 | null {
  const startOfWindow = readAt - WAIT_WINDOW_SECONDS * 1000;
  const oldest = waits.findLast((wait) => wait.readAt <= startOfWindow) ?? waits[0];
  if (oldest === undefined) return null;
  const before = oldest.buckets.get(levelName);
  const increase = new Map<number, number>();
  for (const [bound, count] of now) {
    const grown = count - (before?.get(bound) ?? 0);
    if (grown < 0) return null;
    increase.set(bound, grown);
  }
  const p99 = histogramQuantile(0.99, increase);
  if (p99 === null) return null;
  const windowSeconds = (readAt - oldest.readAt) / 1000;
  return p99.value > QUEUE_WAIT_LIMIT_SECONDS
    ? { seconds: QUEUE_WAIT_LIMIT_SECONDS, isAtLeast: true, windowSeconds }
    : { seconds: p99.value, isAtLeast: p99.isAtLeast, windowSeconds };
}

function isSame(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  if (a.size !== b.size) return false;
  for (const [bound, count] of a) if (b.get(bound) !== count) return false;
  return true;
}

function remember(before: RateMemory | null, metrics: ServerMetrics): RateMemory {
  const earlier = before?.waits ?? [];
  const lastKept = earlier.at(-1);
  const wait: WaitSnapshot = {
    readAt: metrics.readAt,
    buckets: new Map(
      [...metrics.levels].map(([name, level]) => {
        const kept = lastKept?.buckets.get(name);
        // Of a level that waited for nobody since, one copy for all snapshots.
        return [name, kept !== undefined && isSame(kept, level.waitBuckets) ? kept : level.waitBuckets];
      }),
    ),
  };
  const isDue = lastKept === undefined || metrics.readAt - lastKept.readAt >= SNAPSHOT_SPACING_SECONDS * 1000;
  const waits = isDue ? [...earlier, wait] : [...earlier];
  const startOfWindow = metrics.readAt - WAIT_WINDOW_SECONDS * 1000;
  // One snapshot at or before the start of the window is kept, so that the window is always spanned.
  while (waits.length > 1 && (waits[1]?.readAt ?? 0) <= startOfWindow) waits.shift();
  return {
    processStartSeconds: metrics.processStartSeconds,
    last: {
      readAt: metrics.readAt,
      requestsTotal: metrics.requestsTotal,
      cpuSeconds: metrics.cpuSeconds,
      levels: new Map(
        [...metrics.levels].map(([name, level]) => [
          name,
          { rejectedTotal: level.rejectedTotal, dispatchedTotal: level.dispatchedTotal },
        ]),
      ),
    },
    waits,
  };
}
