import { applyCollapseRule } from "../collapse-rule.ts";
import type { StormSimulation } from "../simulate-storm.ts";
import type { CollapseEstimate, UsedCoefficients } from "../storm-result.ts";
import { LIST } from "./compact-reflector.ts";

/** What the work of the agents' LISTs was reckoned with. */
export function usedCoefficients({ clients }: StormSimulation): UsedCoefficients[] {
  const used = new Map<string, UsedCoefficients>();
  for (const { informers } of clients.agents) {
    for (const { informer, shapes } of informers) {
      for (const shape of shapes.flatMap((ofServer) => ofServer ?? [])) {
        if (shape === undefined || shape.coefficients === null) continue;
        const { errorRatio, provenance, calibratedAt } = shape.coefficients;
        const resource = resourceName(informer);
        const { representation } = informer;
        const key = [resource, representation, provenance, shape.cpuSeconds].join("\n");
        used.set(key, {
          resource,
          representation,
          secondsPerList: shape.cpuSeconds,
          errorRatio,
          provenance,
          calibratedAt,
        });
      }
    }
  }
  return [...used.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

const resourceName = ({
  apiGroup,
  resource,
}: {
  readonly apiGroup: string;
  readonly resource: string;
}): string => (apiGroup === "" ? resource : `${resource}.${apiGroup}`);

/** The dearest LIST of each level on each server, the worst of each level. */
export function collapseEstimates(storm: StormSimulation): CollapseEstimate[] {
  const deadlineSeconds = storm.input.cluster.requestTimeoutSeconds;
  const worst = new Map<string, CollapseEstimate>();
  for (const agent of storm.clients.agents) {
    for (const { shapes, informer } of agent.informers) {
      for (const [index, ofServer] of shapes.entries()) {
        const server = storm.servers[index];
        for (const shape of ofServer ?? []) {
          if (shape === undefined || server === undefined || shape.verb !== LIST || shape.isRefused) continue;
          const { priorityLevelName, seats } = shape;
          const limitSeats = server.levels.get(priorityLevelName)?.limitPeak ?? 0;
          const answer = applyCollapseRule({
            limitSeats,
            seatsPerList: seats,
            cpuSecondsPerList: shape.cpuSeconds,
            cores: server.input.cores,
            deadlineSeconds,
            copies: agent.copies,
          });
          const before = worst.get(priorityLevelName);
          if (before !== undefined && before.secondsPerList >= answer.secondsPerList) continue;
          const resource = resourceName(informer);
          worst.set(priorityLevelName, {
            priorityLevelName,
            resource,
            limitSeats,
            seatsPerList: seats,
            ...answer,
            deadlineSeconds,
          });
        }
      }
    }
  }
  return [...worst.values()].sort((a, b) => b.secondsPerList - a.secondsPerList);
}
