import {
  type AgentProjection,
  joinSeeds,
  type ProjectedStorm,
  prepareAgent,
  projectSeed,
  unprojectable,
} from "./agent-projection.ts";
import type { FanOut } from "./open-fan-out.ts";

export interface ProjectClusterOptions {
  readonly fanOut: FanOut;
  readonly seeds: readonly number[];
  /** Milliseconds since the epoch: evidence grows old. */
  readonly now: number;
  /** Asked before each storm after the first of an agent: whether there is time for another. */
  readonly hasTime: () => boolean;
}

/**
 * What all copies of each agent at once would do, in the order of the agents. Every agent has one seed at least; further
 * seeds go round by round, so that all have as many when time runs out, give or take one.
 */
export function projectAgents(options: ProjectClusterOptions): AgentProjection[] {
  const { fanOut, seeds, now, hasTime } = options;
  const { agents, costs, facts, doubts } = fanOut;
  const settled = new Map<string, AgentProjection>();
  const storms = new Map<string, ProjectedStorm[]>();
  const prepared = agents.flatMap((agent) => {
    const cost = costs.get(agent.id);
    if (cost === undefined) return [];
    const one = prepareAgent({ agent, cost, facts, clusterDoubts: doubts, now });
    if (one.kind === "storm") return [{ agent, input: one.input }];
    settled.set(agent.id, one.projection);
    return [];
  });
  for (const [round, seed] of seeds.entries()) {
    for (const { agent, input } of prepared) {
      if (settled.has(agent.id) || (round > 0 && !hasTime())) continue;
      try {
        const known = storms.get(agent.id) ?? [];
        storms.set(agent.id, [...known, projectSeed(input, seed)]);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        settled.set(agent.id, unprojectable(agent, `It cannot be simulated: ${error.message}`));
      }
    }
  }
  return agents.flatMap(({ id }) => {
    const done = storms.get(id);
    return settled.get(id) ?? (done === undefined ? [] : joinSeeds(id, done));
  });
}
