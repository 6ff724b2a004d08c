import type { FairnessLevelRow } from "../../contracts/cluster.ts";
import type { StoredSeries } from "../../db/store.ts";
import { sumRate } from "../../domain/clusters/sum-rate.ts";

/** Seconds over which rejections are counted. */
export const REJECTION_COUNT_SECONDS = 3600;

export type LevelKind = "Exempt" | "Queue" | "Reject" | "unknown";
export type Rejections = FairnessLevelRow["rejected"];

export interface RejectionSeries {
  /** `rejected-per-second` of all servers, levels and reasons. */
  readonly rejected: readonly StoredSeries[];
  /** `up` of all servers: where there is none, nothing was observed. */
  readonly up: readonly StoredSeries[];
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/**
 * Rejections of one level on one server in the window, whole requests. `null`: the reason cannot occur at this kind of
 * level (only Queue levels have queues; only Reject levels refuse at the limit), or the server was not read at all. 0:
 * it was read and no rejection was seen. `windowSeconds` is shorter where the server was first read within the window.
 */
export function countRejections(
  series: RejectionSeries,
  serverId: string,
  priorityLevelName: string,
  kind: LevelKind,
): Rejections {
  const up = series.up.find((each) => each.key.serverId === serverId)?.points ?? [];
  const first = up[0];
  const observedFrom = Math.max(series.fromSeconds, first?.atSeconds ?? series.toSeconds);
  const count = (reason: string, kinds: readonly LevelKind[]): number | null => {
    if (first === undefined || !(kind === "unknown" || kinds.includes(kind))) return null;
    const found = series.rejected.find(
      ({ key }) =>
        key.serverId === serverId &&
        key.priorityLevelName === priorityLevelName &&
        key.rejectReason === reason,
    );
    if (found === undefined) return 0;
    return Math.round(
      sumRate(found.points, {
        fromSeconds: series.fromSeconds,
        toSeconds: series.toSeconds,
        stepSeconds: found.stepSeconds,
        isAsScraped: found.resolution === "fine",
      }),
    );
  };
  return {
    queueFull: count("queue-full", ["Queue"]),
    timeOut: count("time-out", ["Queue"]),
    concurrencyLimit: count("concurrency-limit", ["Reject"]),
    windowSeconds: Math.min(REJECTION_COUNT_SECONDS, Math.max(0, series.toSeconds - observedFrom)),
  };
}
