import type { DemandStatistics } from "../demand/demand-statistics.ts";
import type { StaticLimits } from "./static-limits.ts";

/** All limits of a priority level at one moment, in whole seats. */
export interface LevelLimits extends StaticLimits {
  readonly currentCL: number;
  /** Most seats of one request, as the level tells the work estimator; 0: it tells none. */
  readonly maxSeats: number;
}

export interface LevelState extends LevelLimits {
  readonly name: string;
  readonly isExempt: boolean;
  readonly demand: DemandStatistics;
  /** Removed from the configuration, but something of it still runs. */
  readonly isDraining: boolean;
}
