/** The priority levels that every API server has by default. */
export const PRIORITY_LEVELS = [
  "catch-all",
  "exempt",
  "global-default",
  "leader-election",
  "node-high",
  "system",
  "workload-high",
  "workload-low",
] as const;
