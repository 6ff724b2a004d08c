/** One sample of a Prometheus text page. */
export interface MetricSample {
  readonly name: string;
  /** Label values with `\\`, `\"` and `\n` undone. */
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN, Infinity or -Infinity. */
  readonly value: number;
  /** As written: milliseconds in the text format, seconds in OpenMetrics; null when absent. */
  readonly timestamp: number | null;
}

/** What a scan came across. */
export interface MetricsScanSummary {
  /** Wanted samples handed over. */
  readonly samples: number;
  /** Lines of any kind. */
  readonly lines: number;
  /** Wanted lines that could not be read, and were left out. */
  readonly malformedLines: number;
}
