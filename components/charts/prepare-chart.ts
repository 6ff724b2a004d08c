import type { ChartSeries, EventItem } from "@/lib/contracts/common";
import { type ChartScale, roundUp } from "./chart-value";

/** Colours of entities in their order; from the fifth on a dash tells them apart too. */
export const SERIES_COLOURS = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"] as const;
export type SeriesColour = (typeof SERIES_COLOURS)[number] | "limit" | "error";

/** More series than this are not drawn; the chart says how many there are. */
export const MAX_SERIES = 8;

export interface PreparedSeries {
  readonly key: string;
  readonly label: string;
  readonly colour: SeriesColour;
  /** Pixels on and off; `null` is a solid line. */
  readonly dash: readonly [number, number] | null;
  /** A limit that moves is a step, everything else a straight segment. */
  readonly isStepped: boolean;
  readonly isFilled: boolean;
  /** Written as history of the demo fleet, not measured. */
  readonly isGenerated: boolean;
  /** One per time: a number, `null` in a gap, `undefined` between two of its own coarser points. */
  readonly values: readonly (number | null | undefined)[];
  /** Highest value within the bucket, where buckets have one; aligned as `values`. */
  readonly highs: readonly (number | null | undefined)[];
  /** Indices of values without a neighbour to join: drawn as a dot, since a line needs two. */
  readonly alone: readonly number[];
}

export interface ChartMark {
  readonly letter: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly label: string;
}

/** What a drawing needs; it decides nothing. Times are seconds since the epoch, ascending, the same for all series. */
export interface PreparedChart {
  readonly title: string;
  readonly scale: ChartScale;
  readonly fromAt: number;
  readonly toAt: number;
  readonly times: readonly number[];
  readonly series: readonly PreparedSeries[];
  readonly seriesTotal: number;
  readonly yMax: number;
  readonly marks: readonly ChartMark[];
  /** Whether anything was read within the range. */
  readonly isEmpty: boolean;
}

/**
 * Turns stored series into what is drawn: one time axis for all, a gap wherever a point is missing for more than one
 * and a half steps, colours by entity, the y axis from 0 to a round number. Values keep their unit.
 */
export function prepareChart(options: {
  readonly title: string;
  readonly series: readonly ChartSeries[];
  readonly seriesTotal?: number;
  /** Milliseconds since the epoch. */
  readonly fromAt: number;
  readonly toAt: number;
  /** Entities in their fixed order, so that a server keeps its colour from chart to chart. */
  readonly entities?: readonly string[];
  readonly marks?: readonly ChartMark[];
}): PreparedChart {
  const { title, fromAt, toAt, entities = [], marks = [] } = options;
  const drawn = options.series.slice(0, MAX_SERIES);
  const times = timesOf(drawn);
  const entityOf = pickEntity(drawn);
  const own = drawn.map(entityOf);
  const known = own.some((entity) => entities.includes(entity))
    ? [...new Set([...entities, ...own])]
    : [...new Set(own)];
  const series = drawn.map((one) =>
    prepareSeries(one, times, known.indexOf(entityOf(one)), entityOf(one), drawn),
  );
  const highest = Math.max(
    0,
    ...series.flatMap((one) => one.highs.filter((value) => typeof value === "number")),
  );
  const scale = { unit: drawn[0]?.unit ?? "count", isMemory: drawn[0]?.metric.includes("memory") ?? false };
  return {
    title,
    scale,
    fromAt: fromAt / 1000,
    toAt: toAt / 1000,
    times,
    series,
    seriesTotal: Math.max(options.seriesTotal ?? 0, options.series.length),
    yMax: roundUp(highest, scale.isMemory),
    marks,
    isEmpty: drawn.every((one) => one.points.length === 0),
  };
}

/** At most 26 changes as lettered marks, oldest first: A, B, … The newest are kept where there are more. */
export function prepareMarks(
  events: readonly EventItem[],
  fromAt: number,
  toAt: number,
): readonly ChartMark[] {
  return events
    .filter(({ at }) => at >= fromAt && at <= toAt)
    .toSorted((a, b) => a.at - b.at)
    .slice(-26)
    .map((event, index) => ({
      letter: String.fromCharCode(65 + index),
      at: event.at / 1000,
      label: `${event.lead} ${event.text}`.trim(),
    }));
}

/** All times of all series, and one behind the last point before each gap, where the line is lifted. */
function timesOf(series: readonly ChartSeries[]): readonly number[] {
  const times = new Set<number>();
  for (const { points, stepSeconds } of series) {
    for (const [index, [at]] of points.entries()) {
      times.add(at);
      const next = points[index + 1];
      if (next !== undefined && isGap(at, next[0], stepSeconds)) times.add(at + stepSeconds);
    }
  }
  return [...times].sort((a, b) => a - b);
}

const isGap = (at: number, next: number, stepSeconds: number): boolean => next - at > 1.5 * stepSeconds;

function prepareSeries(
  one: ChartSeries,
  times: readonly number[],
  entityIndex: number,
  entity: string,
  all: readonly ChartSeries[],
): PreparedSeries {
  const byTime = new Map(one.points.map((point) => [point[0], point]));
  const isBridged = bridgedTimes(one);
  const pick = (column: 2 | 3) =>
    times.map((at) => byTime.get(at)?.[column] ?? (isBridged(at) ? undefined : null));
  const isLimit = LIMIT_METRICS.has(one.metric);
  const isRejection = one.metric === "rejected-per-second";
  const colour: SeriesColour = isLimit
    ? "limit"
    : isRejection
      ? "error"
      : (SERIES_COLOURS[entityIndex % 8] ?? "s1");
  const values = pick(2);
  const isOnlyAmount = all.filter((other) => !LIMIT_METRICS.has(other.metric)).length === 1;
  return {
    key: [one.metric, one.serverId, one.priorityLevelName, one.rejectReason].join("|"),
    label: labelOf(one, entity),
    colour,
    dash:
      one.metric === NOMINAL_METRIC
        ? [6, 3]
        : dashOf(isRejection ? entityIndex : isLimit ? 0 : entityIndex - 4),
    isStepped: isLimit,
    isFilled: isOnlyAmount && !isLimit,
    isGenerated: one.isGenerated,
    values,
    highs: pick(3),
    alone: values.flatMap((value, index) =>
      typeof value === "number" && isAlone(values, index) ? [index] : [],
    ),
  };
}

/** Whether the next values on both sides, those of other series skipped, are gaps or ends. */
function isAlone(values: PreparedSeries["values"], index: number): boolean {
  const neighbour = (step: 1 | -1) => {
    let at = index + step;
    while (at >= 0 && at < values.length && values[at] === undefined) at += step;
    return values[at];
  };
  return typeof neighbour(1) !== "number" && typeof neighbour(-1) !== "number";
}

/** True for a time of another series that lies between two neighbouring points of this one: not a gap, not a point. */
function bridgedTimes({ points, stepSeconds }: ChartSeries): (at: number) => boolean {
  return (at) => {
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((points[middle]?.[0] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    const before = points[low - 1];
    const after = points[low];
    return before !== undefined && after !== undefined && !isGap(before[0], after[0], stepSeconds);
  };
}

function dashOf(index: number): readonly [number, number] | null {
  if (index < 0) return null;
  return ([null, [6, 3], [2, 3], [8, 3]] as const)[index % 4] ?? null;
}

/** What the series of one chart differ by: the server, else the level, else the reason of a rejection. */
function pickEntity(series: readonly ChartSeries[]): (one: ChartSeries) => string {
  const differs = (read: (one: ChartSeries) => string | null) => new Set(series.map(read)).size > 1;
  if (differs((one) => one.rejectReason)) return (one) => one.rejectReason ?? "all reasons";
  if (differs((one) => one.serverName)) return (one) => one.serverName ?? "cluster";
  if (differs((one) => one.priorityLevelName)) return (one) => one.priorityLevelName ?? "all levels";
  return (one) => one.serverName ?? one.priorityLevelName ?? one.metric;
}

/** Not stored as a series: drawn beside the limit that moves. */
export const NOMINAL_METRIC = "nominal-limit-seats";
/** Drawn in the colour of limits, stepped. */
const LIMIT_METRICS: ReadonlySet<string> = new Set(["current-limit-seats", NOMINAL_METRIC]);

const METRIC_LABELS: Readonly<Record<string, string>> = {
  "executing-seats": "seats in use",
  "current-limit-seats": "current limit",
  [NOMINAL_METRIC]: "nominal limit",
  "waiting-requests": "waiting",
  "rejected-per-second": "rejected",
  "requests-per-second": "requests",
  "inflight-requests": "in flight",
  "cpu-cores": "CPU",
  "resident-memory-bytes": "resident memory",
  "storage-bytes": "stored in etcd",
  "long-running-requests": "long-running requests",
  nodes: "nodes",
  pods: "pods",
  "own-requests-per-minute": "Headroom's requests",
  "own-wire-bytes-per-minute": "Headroom's bytes",
};

function labelOf(one: ChartSeries, entity: string): string {
  const metric = METRIC_LABELS[one.metric] ?? one.metric;
  return entity === one.metric ? metric : `${metric}, ${entity}`;
}
