/** What the collector may ask of one cluster. */
export interface BudgetLimits {
  /** Requests per minute to the cluster, all its servers together. Default 120. */
  readonly requestsPerMinute: number;
  /** Bytes on the wire per minute. Default 256 MiB. */
  readonly bytesPerMinute: number;
}
