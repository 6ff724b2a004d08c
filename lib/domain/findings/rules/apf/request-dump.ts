import type { RequestDumpLine, ScanFacts } from "../../scan-facts.ts";
import { flowConfigurationOf, nominalSeatsOf } from "./flow-configuration.ts";

/** Executing requests are listed from 1.28 on, at no place in a queue. */
export const isExecuting = ({ requestIndexInQueue }: RequestDumpLine): boolean => requestIndexInQueue === -1;

/** What it occupies while it runs. */
export const seatsOfRequest = ({ initialSeats, finalSeats }: RequestDumpLine): number =>
  Math.max(initialSeats ?? 1, finalSeats ?? 0, 1);

/** Seats that a level may use, as given by hand or of a known configuration; `null`: not known. */
export function levelLimit(name: string, facts: ScanFacts): number | null {
  const { hand, cluster } = facts;
  const given = hand.seats[name] ?? hand.nominalSeats[name];
  if (given !== undefined) return given;
  if (cluster.priorityLevels === null && cluster.totalConcurrencySeats === null) return null;
  return nominalSeatsOf(facts, flowConfigurationOf(facts))[name] ?? null;
}
