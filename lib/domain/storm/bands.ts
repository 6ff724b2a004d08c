import { simulateStorm } from "./simulate-storm.ts";
import type { StormInput } from "./storm-input.ts";
import type { StormResult } from "./storm-result.ts";
import type { VerdictName } from "./verdict.ts";

/** Percentiles of one figure over seeds, by linear interpolation. */
export interface Band {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  /** Seeds for which the figure is there. */
  readonly seeds: number;
}

/** Figures of one seed that bands are made of; `null`: not there for this seed. */
export interface StormSummary {
  readonly seed: number;
  readonly verdict: VerdictName;
  readonly figures: Readonly<Record<BandFigure, number | null>>;
  readonly series: StormSummarySeries;
}

/** Of the busiest level on the busiest server. */
export interface StormSummarySeries {
  readonly stepSeconds: number;
  readonly executingSeats: readonly number[];
  readonly limitSeats: readonly number[];
  readonly waitingRequests: readonly number[];
  readonly rejected: readonly number[];
  readonly bytesPerSecond: readonly number[];
  readonly memoryBytes: readonly number[];
}

export const BAND_FIGURES = [
  "drainSeconds",
  "afterLastStartSeconds",
  "halfSeconds",
  "executingSeats",
  "limitSeats",
  "waitingRequests",
  "rejected",
  "timeouts",
  "requests",
  "attemptsPerList",
  "neighbourWaitSecondsP99",
  "neighboursRejected",
  "ownWaitSecondsP99",
  "exemptSecondsP99",
  "linkRatio",
  "bytesPerSecond",
  "memoryBytes",
] as const;
export type BandFigure = (typeof BAND_FIGURES)[number];

/** Many seeds together: p5 to p95, never a single line. */
export interface StormBands {
  /** Those that are in, in the order of their coming. */
  readonly seeds: readonly number[];
  /** How many of them do not drain, and how many end in a collapse. */
  readonly undrained: number;
  readonly verdicts: Readonly<Partial<Record<VerdictName, number>>>;
  /** `null` where no seed has the figure. */
  readonly figures: Readonly<Record<BandFigure, Band | null>>;
  readonly series: StormBandSeries;
}

/** One band a step; steps beyond a seed's end count as quiet. */
export interface StormBandSeries {
  readonly stepSeconds: number;
  readonly executingSeats: readonly Band[];
  readonly limitSeats: readonly Band[];
  readonly waitingRequests: readonly Band[];
  readonly rejected: readonly Band[];
  readonly bytesPerSecond: readonly Band[];
  readonly memoryBytes: readonly Band[];
}

/** What bands keep of one result. */
export function summariseStorm(result: StormResult): StormSummary {
  const { drain, peaks, totals, agents, neighbours, exempt } = result;
  const server = result.servers[result.busiestServer];
  const level = server?.levels
    .filter(({ isExempt }) => !isExempt)
    .toSorted((a, b) => sumOf(b.executingSeats) - sumOf(a.executingSeats))[0];
  const steps = server?.retries.length ?? 0;
  const rejected = Array.from({ length: steps }, (_, step) =>
    sumOf(Object.values(level?.rejected ?? {}).map((series) => series?.[step] ?? 0)),
  );
  const others = neighbours.filter(({ isOwnFlow }) => !isOwnFlow);
  const lists = agents.flatMap(({ attemptsPerList }) => (attemptsPerList === null ? [] : [attemptsPerList]));
  return {
    seed: result.seed,
    verdict: result.verdict.verdict,
    figures: {
      drainSeconds: drain.seconds,
      afterLastStartSeconds: drain.afterLastStartSeconds,
      halfSeconds: drain.halfSeconds,
      executingSeats: peaks.executingSeats,
      limitSeats: peaks.limitSeats,
      waitingRequests: peaks.waitingRequests,
      rejected: totals.rejectedAll,
      timeouts: totals.timeouts,
      requests: totals.requests,
      attemptsPerList: maxOf(lists),
      neighbourWaitSecondsP99: maxOf(others.flatMap(({ waitSecondsP99 }) => waitSecondsP99 ?? [])),
      neighboursRejected: totals.neighboursRejected,
      ownWaitSecondsP99: maxOf(agents.flatMap(({ waitSeconds }) => waitSeconds?.p99 ?? [])),
      exemptSecondsP99: exempt?.p99Seconds ?? null,
      linkRatio: peaks.linkRatio,
      bytesPerSecond: peaks.bytesPerSecond,
      memoryBytes: peaks.memoryBytes,
    },
    series: {
      stepSeconds: server?.stepSeconds ?? 1,
      executingSeats: level?.executingSeats ?? [],
      limitSeats: level?.limitSeats ?? [],
      waitingRequests: level?.waitingRequests ?? [],
      rejected,
      bytesPerSecond: server?.bytesPerSecond ?? [],
      memoryBytes: server?.memoryBytes ?? [],
    },
  };
}

/** One storm of a seed, as bands need it: what a worker does for each further seed. */
export const simulateSeed = (input: StormInput, seed: number): StormSummary =>
  summariseStorm(simulateStorm({ ...input, seed }));

/** Storms of many seeds and their bands. A worker that fills in calls `simulateSeed` and `bandsOf` by itself. */
export function stormBands(input: StormInput, seeds: readonly number[]): StormBands {
  return bandsOf(seeds.map((seed) => simulateSeed(input, seed)));
}

/** Bands over the seeds that are in so far; of none: no figures. */
export function bandsOf(summaries: readonly StormSummary[]): StormBands {
  const verdicts: Partial<Record<VerdictName, number>> = {};
  for (const { verdict } of summaries) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  const figure = (name: BandFigure): Band | null =>
    bandOf(summaries.flatMap(({ figures }) => figures[name] ?? []));
  return {
    seeds: summaries.map(({ seed }) => seed),
    undrained: summaries.filter(({ figures }) => figures.drainSeconds === null).length,
    verdicts,
    figures: Object.fromEntries(BAND_FIGURES.map((name) => [name, figure(name)])) as Record<
      BandFigure,
      Band | null
    >,
    series: bandSeries(summaries.map(({ series }) => series)),
  };
}

/** p5, p50 and p95 by linear interpolation; `null` of none. */
export function bandOf(values: readonly number[]): Band | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (ratio: number): number => {
    const place = ratio * (sorted.length - 1);
    const low = sorted[Math.floor(place)] ?? 0;
    const high = sorted[Math.ceil(place)] ?? 0;
    return low + (high - low) * (place - Math.floor(place));
  };
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95), seeds: values.length };
}

type Lens = Exclude<keyof StormSummarySeries, "stepSeconds">;

/** How values of several steps become that of a longer one. */
const LENSES: Readonly<Record<Lens, "max" | "last" | "sum" | "mean">> = {
  executingSeats: "max",
  limitSeats: "last",
  waitingRequests: "max",
  rejected: "sum",
  bytesPerSecond: "mean",
  memoryBytes: "max",
};

/** All at the longest of their steps: each step is another's times a power of two. */
function bandSeries(all: readonly StormSummarySeries[]): StormBandSeries {
  const stepSeconds = Math.max(0, ...all.map((series) => series.stepSeconds));
  const bands = (lens: Lens): readonly Band[] => {
    const series = all.map((one) =>
      lengthen(one[lens], Math.round(stepSeconds / one.stepSeconds), LENSES[lens]),
    );
    const steps = Math.max(0, ...series.map(({ length }) => length));
    // What has grown or was set stays so when the storm is over; what flows does not.
    const isKept = lens === "limitSeats" || lens === "memoryBytes";
    return Array.from({ length: steps }, (_, step) => {
      const values = series.map((values) => values[step] ?? (isKept ? (values.at(-1) ?? 0) : 0));
      return bandOf(values) ?? { p5: 0, p50: 0, p95: 0, seeds: 0 };
    });
  };
  return {
    stepSeconds,
    executingSeats: bands("executingSeats"),
    limitSeats: bands("limitSeats"),
    waitingRequests: bands("waitingRequests"),
    rejected: bands("rejected"),
    bytesPerSecond: bands("bytesPerSecond"),
    memoryBytes: bands("memoryBytes"),
  };
}

function lengthen(values: readonly number[], times: number, kind: (typeof LENSES)[Lens]): readonly number[] {
  if (times <= 1) return values;
  return Array.from({ length: Math.ceil(values.length / times) }, (_, step) =>
    combine(values.slice(step * times, (step + 1) * times), kind),
  );
}

function combine(part: readonly number[], kind: (typeof LENSES)[Lens]): number {
  switch (kind) {
    case "max":
      return Math.max(...part);
    case "last":
      return part.at(-1) ?? 0;
    case "sum":
      return sumOf(part);
    case "mean":
      return sumOf(part) / part.length;
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const maxOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values);
