import { roundUp } from "@/components/charts/chart-value";
import type { FairnessLevelRow, FairnessResponse, FairnessServer } from "@/lib/contracts/cluster";

/** The server and level that the page shows; `null` where there is none. */
export interface Shown {
  readonly server: FairnessServer | null;
  readonly level: FairnessLevelRow | null;
}

/**
 * The server asked for by name or id, else the busiest, else the first that was read, else the first; on it the level
 * asked for, else the worst that is in trouble, else the one with most seats in use. Nothing is ever averaged over
 * servers.
 */
export function chooseShown(
  response: Pick<FairnessResponse, "servers" | "busiestServerId">,
  wanted: { readonly server: string; readonly level: string },
): Shown {
  const { servers, busiestServerId } = response;
  const server =
    servers.find((each) => each.server.name === wanted.server || each.server.id === wanted.server) ??
    servers.find((each) => each.server.id === busiestServerId) ??
    servers.find(({ observedAt }) => observedAt !== null) ??
    servers[0] ??
    null;
  const levels = server?.levels ?? [];
  const level =
    levels.find(({ priorityLevelName }) => priorityLevelName === wanted.level) ??
    levels.find(({ severity }) => severity === "error" || severity === "warning") ??
    levels.toSorted((a, b) => (b.executingSeats ?? -1) - (a.executingSeats ?? -1))[0] ??
    null;
  return { server, level };
}

/** One scale for all bars of a server: from 0 to a round number of seats above every limit and use. */
export function barScale(levels: readonly FairnessLevelRow[]): number {
  const seats = levels
    .filter(({ type }) => type !== "Exempt")
    .flatMap(({ executingSeats, currentLimitSeats }) => [executingSeats ?? 0, currentLimitSeats ?? 0]);
  return Math.ceil(roundUp(Math.max(0, ...seats), false));
}

/** Sum of nominal seats of the limited levels: what they share; `null` where one of them is not known. */
export function sharedSeats(levels: readonly FairnessLevelRow[]): number | null {
  const nominal = levels.filter(({ type }) => type !== "Exempt").map(({ nominalSeats }) => nominalSeats);
  if (nominal.length === 0 || nominal.some((seats) => seats === null)) return null;
  return nominal.reduce<number>((sum, seats) => sum + (seats ?? 0), 0);
}

/** Sums over the flows of one level, to stand beside the level's own row. */
export function sumFlows(flows: readonly NonNullable<FairnessServer["flows"]>[number][]) {
  return {
    executing: flows.reduce((sum, flow) => sum + flow.executingRequests, 0),
    seats: flows.reduce((sum, flow) => sum + flow.executingSeats, 0),
    waiting: flows.reduce((sum, flow) => sum + flow.waitingRequests, 0),
  };
}
