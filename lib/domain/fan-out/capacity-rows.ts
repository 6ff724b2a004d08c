import type { AgentCost } from "../agents/cost/agent-cost.ts";
import { type Amount, addAmounts, timesAmount } from "../agents/cost/amount.ts";
import type { LevelCapacity, Projection } from "../agents/cost/projection.ts";

/** What the agents of one priority level ask for when all copies of all of them start at once. */
export interface CapacityRow {
  readonly priorityLevelName: string;
  /** Flows that the copies fall into: one for all, one each, or both. */
  readonly flows: "one-each" | "one-per-agent" | "mixed";
  readonly agents: number;
  readonly seatsAsked: Amount;
  /** Of one API server; `null`: the level does not exist. */
  readonly capacity: LevelCapacity | null;
  readonly apiServers: number;
  /** Seats asked ÷ ceiling by borrowing of all API servers; `null`: there is no limit, or none is known. */
  readonly ofCeilingRatio: number | null;
  /** In answers, before compression. */
  readonly bytes: Amount;
  /** Seconds that the network alone takes; less where answers are compressed. `null`: the link is not known. */
  readonly linkSeconds: number | null;
}

/** Most seats asked first. Agents whose copies are not known are left out. */
export function capacityRows(costs: readonly AgentCost[], projection: Projection): CapacityRow[] {
  const { apiServers, facts, capacityOf } = projection;
  const link = facts.server.linkBytesPerSecond;
  const shares = costs.flatMap(sharesOf);
  const byLevel = Map.groupBy(shares, ({ priorityLevelName }) => priorityLevelName);
  return [...byLevel]
    .map(([priorityLevelName, alike]): CapacityRow => {
      const capacity = capacityOf(priorityLevelName);
      const seatsAsked = addAmounts(alike.map(({ seats }) => seats));
      const wireBytes = addAmounts(alike.map((share) => share.wireBytes));
      const ceiling = capacity === null || capacity.isExempt ? 0 : capacity.ceilingSeats * apiServers;
      const oneFlow = new Set(alike.map(({ isOneFlow }) => isOneFlow));
      return {
        priorityLevelName,
        flows: oneFlow.size > 1 ? "mixed" : oneFlow.has(true) ? "one-per-agent" : "one-each",
        agents: new Set(alike.map(({ agentId }) => agentId)).size,
        seatsAsked,
        capacity,
        apiServers,
        ofCeilingRatio: ceiling === 0 ? null : seatsAsked.value / ceiling,
        bytes: addAmounts(alike.map((share) => share.bytes)),
        linkSeconds: link === null || link <= 0 ? null : wireBytes.value / (link * apiServers),
      };
    })
    .sort((a, b) => b.seatsAsked.value - a.seatsAsked.value);
}

interface Share {
  readonly agentId: string;
  readonly priorityLevelName: string;
  readonly isOneFlow: boolean;
  readonly seats: Amount;
  readonly bytes: Amount;
  readonly wireBytes: Amount;
}

function sharesOf({ agentId, copies, informers, levels }: AgentCost): Share[] {
  if (copies === null) return [];
  return informers
    .filter(({ flow }) => flow.priorityLevelName !== "")
    .map(({ flow, start }) => ({
      agentId,
      priorityLevelName: flow.priorityLevelName,
      isOneFlow:
        levels.find(({ priorityLevelName }) => priorityLevelName === flow.priorityLevelName)?.isOneFlow ??
        true,
      seats: timesAmount(flow.seats, copies),
      bytes: timesAmount(start.receivedBytes, copies),
      wireBytes: timesAmount(start.wireBytes, copies),
    }));
}
