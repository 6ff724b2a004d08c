/** Nodes of a cluster at an instant, as measured. */
export interface NodeCount {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly nodes: number;
}

export interface NodeGrowth {
  readonly method: "theil-sen";
  /** Median of the slopes between all pairs of points; the band is its 90 % confidence interval. */
  readonly nodesPerDay: number;
  readonly lowPerDay: number;
  readonly highPerDay: number;
  /** Median of the last tenth of the points: where the projection starts. */
  readonly nodes: number;
  readonly at: number;
  readonly points: number;
  readonly days: number;
}

export interface ForecastCrossing {
  readonly nodes: number;
  /** When the cluster has so many at the median slope; `null`: not within the horizon, or never. */
  readonly at: number | null;
  /** At the steepest and flattest slope of the band; `null` as above. */
  readonly earliestAt: number | null;
  readonly latestAt: number | null;
  /** It has so many already. */
  readonly isPassed: boolean;
}

const DAY_MS = 86_400_000;
const POINTS_MIN = 5;
const SPAN_DAYS_MIN = 1;
/** Pairs grow with the square: more points are thinned, evenly. */
const POINTS_MAX = 300;
/** 90 %, two sides. */
const NORMAL_QUANTILE = 1.645;
/** Beyond it a straight line says nothing. */
export const FORECAST_HORIZON_DAYS = 365;

/**
 * How a node count grows: Theil–Sen, since node counts go in steps and have outliers (an autoscaler's peak, a day of
 * maintenance). The band is that of Sen's rank statistic for independent errors; counts of neighbouring hours are not
 * independent, so it is rather too narrow: give it one point a day. `null`: fewer than five points, or under a day.
 */
export function nodeGrowth(points: readonly NodeCount[]): NodeGrowth | null {
  const usable = points
    .filter(({ at, nodes }) => Number.isFinite(at) && Number.isFinite(nodes) && nodes >= 0)
    .toSorted((a, b) => a.at - b.at)
    .filter(({ at }, index, all) => index === 0 || at !== all[index - 1]?.at);
  const first = usable[0];
  const last = usable.at(-1);
  if (first === undefined || last === undefined || usable.length < POINTS_MIN) return null;
  const days = (last.at - first.at) / DAY_MS;
  if (days < SPAN_DAYS_MIN) return null;
  const kept = thin(usable);
  const slopes: number[] = [];
  for (const [index, a] of kept.entries())
    for (const b of kept.slice(index + 1)) slopes.push(((b.nodes - a.nodes) * DAY_MS) / (b.at - a.at));
  slopes.sort((a, b) => a - b);
  const n = kept.length;
  const spread = NORMAL_QUANTILE * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const place = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? 0;
  const recent = usable.slice(-Math.max(1, Math.ceil(usable.length / 10)));
  return {
    method: "theil-sen",
    nodesPerDay: median(slopes),
    lowPerDay: place((slopes.length - spread) / 2),
    highPerDay: place((slopes.length + spread) / 2),
    nodes: median(recent.map(({ nodes }) => nodes).sort((a, b) => a - b)),
    at: last.at,
    points: usable.length,
    days,
  };
}

/** When growth reaches a number of nodes, with its band. */
export function crossingOf(growth: NodeGrowth, nodes: number): ForecastCrossing {
  if (growth.nodes >= nodes) return { nodes, at: null, earliestAt: null, latestAt: null, isPassed: true };
  const atSlope = (perDay: number): number | null => {
    if (!(perDay > 0)) return null;
    const days = (nodes - growth.nodes) / perDay;
    return days > FORECAST_HORIZON_DAYS ? null : Math.round(growth.at + days * DAY_MS);
  };
  return {
    nodes,
    at: atSlope(growth.nodesPerDay),
    earliestAt: atSlope(growth.highPerDay),
    latestAt: atSlope(growth.lowPerDay),
    isPassed: false,
  };
}

function thin(points: readonly NodeCount[]): readonly NodeCount[] {
  if (points.length <= POINTS_MAX) return points;
  return Array.from(
    { length: POINTS_MAX },
    (_, index) => points[Math.round((index * (points.length - 1)) / (POINTS_MAX - 1))],
  ).flatMap((point) => point ?? []);
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? 0;
  const high = sorted[Math.floor(middle)] ?? low;
  return (low + high) / 2;
}
