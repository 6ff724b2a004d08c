import type { AssumedDemand } from "../../fairness/limits/limits-controller.ts";
import type { StormBackground, StormInput, StormServer } from "../storm-input.ts";
import { BackgroundFlowState } from "./background-flows.ts";

/** Requests a second of a probe. */
export const PROBES_PER_SECOND = 5;
const PROBE_SECONDS = 0.0005;

export interface BackgroundFlows {
  readonly flows: readonly BackgroundFlowState[];
  readonly notes: readonly string[];
}

/**
 * The flows that come whatever the storm does: those measured, and probes where none were. `levels`: those that the
 * agents use, probed where the input names no others. Flows of a level that does not exist are left out, and said.
 */
export function backgroundFlows(input: StormInput, levels: ReadonlySet<string>): BackgroundFlows {
  const { cluster, agents, model } = input;
  const known = new Set(cluster.priorityLevels.map(({ name }) => name));
  const notes: string[] = [];
  const flows: BackgroundFlowState[] = [];
  for (const flow of cluster.background) {
    if (flow.requestsPerSecond <= 0) continue;
    if (known.has(flow.priorityLevelName)) flows.push(new BackgroundFlowState(flow, false, model));
    else
      notes.push(
        `The steady load of ${flow.flowSchemaName} is left out: there is no priority level ${flow.priorityLevelName}.`,
      );
  }
  if (!input.hasProbes) return { flows, notes };
  const users = new Set(agents.map(({ userName }) => userName));
  const exempt = cluster.priorityLevels.find(({ type }) => type === "Exempt")?.name;
  const wanted = new Set([...(input.probedLevels ?? levels), ...(exempt === undefined ? [] : [exempt])]);
  for (const name of [...wanted].filter((each) => known.has(each)).sort()) {
    const hasOthers = flows.some(
      ({ input: flow }) => flow.priorityLevelName === name && !users.has(flow.flowDistinguisher),
    );
    if (hasOthers) continue;
    flows.push(new BackgroundFlowState(probeOf(name), true, model));
  }
  return { flows, notes };
}

const probeOf = (priorityLevelName: string): StormBackground => ({
  priorityLevelName,
  flowSchemaName: "probe",
  flowDistinguisher: "neighbour",
  requestsPerSecond: PROBES_PER_SECOND,
  seats: 1,
  serviceSeconds: PROBE_SECONDS,
  cpuSeconds: PROBE_SECONDS,
});

/**
 * Seat demand of each level as the server has it before the storm: as given, else from the steady load, whose seats in use
 * are taken for those of independent requests (mean and variance by Little's law).
 */
export function assumedDemand(
  server: StormServer,
  flows: readonly BackgroundFlowState[],
): ReadonlyMap<string, AssumedDemand> {
  const demand = new Map<string, AssumedDemand>();
  const sums = new Map<string, { mean: number; variance: number }>();
  for (const { input, isProbe } of flows) {
    if (isProbe) continue;
    const sum = sums.get(input.priorityLevelName) ?? { mean: 0, variance: 0 };
    const requests = input.requestsPerSecond * input.serviceSeconds;
    sum.mean += requests * input.seats;
    sum.variance += requests * input.seats ** 2;
    sums.set(input.priorityLevelName, sum);
  }
  for (const [name, { mean, variance }] of sums) {
    const deviation = Math.sqrt(variance);
    demand.set(name, { highWatermark: Math.round(mean + 3 * deviation), smoothed: mean + deviation });
  }
  for (const { priorityLevelName, highWatermark, smoothed } of server.demand) {
    demand.set(priorityLevelName, { highWatermark, smoothed });
  }
  return demand;
}
