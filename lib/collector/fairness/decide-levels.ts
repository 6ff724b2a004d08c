import type { LevelSample, ServerFairness } from "../../domain/fairness/fairness-part.ts";
import type { PriorityLevelDumpRow } from "../../kube/fairness-dumps.ts";
import type { ServerRates } from "../metrics/rates.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";

/** Levels of one server from its metrics page, sorted by name. */
export function decideLevels(metrics: ServerMetrics, rates: ServerRates): readonly LevelSample[] {
  return [...metrics.levels]
    .map(([priorityLevelName, level]): LevelSample => {
      const rate = rates.levels.get(priorityLevelName);
      return {
        priorityLevelName,
        nominalSeats: level.nominalSeats,
        minSeats: level.minSeats,
        maxSeats: level.maxSeats,
        currentLimitSeats: level.currentLimitSeats,
        executingSeats: level.executingSeats,
        executingRequests: level.executingRequests,
        waitingRequests: level.waitingRequests,
        waitingSeats: level.waitingSeats,
        demandSeatsSmoothed: level.demandSeatsSmoothed,
        rejectedTotal: Object.fromEntries([...level.rejectedTotal].sort(([a], [b]) => (a < b ? -1 : 1))),
        dispatchedTotal: level.dispatchedTotal,
        rejectedPerSecond: rate?.rejectedPerSecond ?? null,
        dispatchedPerSecond: rate?.dispatchedPerSecond ?? null,
        waitP99: rate?.waitP99 ?? null,
      };
    })
    .sort((a, b) => (a.priorityLevelName < b.priorityLevelName ? -1 : 1));
}

/**
 * Levels from `dump_priority_levels`, for a server whose metrics could not be read: requests executing and waiting
 * now, and nothing else. Its rejected counter has no reasons and counts time-outs twice over, so it is left out.
 */
export function decideLevelsFromDump(dumped: readonly PriorityLevelDumpRow[]): readonly LevelSample[] {
  return dumped
    .map(
      (level): LevelSample => ({
        priorityLevelName: level.priorityLevelName,
        nominalSeats: null,
        minSeats: null,
        maxSeats: null,
        currentLimitSeats: null,
        executingSeats: null,
        executingRequests: level.executingRequests,
        waitingRequests: level.waitingRequests,
        waitingSeats: null,
        demandSeatsSmoothed: null,
        rejectedTotal: {},
        dispatchedTotal: level.dispatchedRequests,
        rejectedPerSecond: null,
        dispatchedPerSecond: null,
        waitP99: null,
      }),
    )
    .sort((a, b) => (a.priorityLevelName < b.priorityLevelName ? -1 : 1));
}

/** A server's fairness figures. APF counts as enabled when the page names any level. */
export function decideServerFairness(input: {
  readonly serverId: string;
  readonly observedAt: number;
  readonly levels: readonly LevelSample[];
  readonly flows: ServerFairness["flows"];
  readonly flowsObservedAt: number | null;
}): ServerFairness {
  return { ...input, isEnabled: input.levels.length > 0 };
}
