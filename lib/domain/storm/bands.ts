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
  readonly verdict: string;
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
  readonly verdicts: Readonly<Record<string, number>>;
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
