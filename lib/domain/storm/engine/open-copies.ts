import { toTicks } from "../../rollout/ticks.ts";
import type { StormCollection, StormInput } from "../storm-input.ts";
import { startTicks } from "./arrivals.ts";
import { AgentState, InformerState, StormCopy } from "./clients.ts";

/**
 * The copies that take part, in the order of their starts: all that start, or those that lose their API server.
 * `pickServer` gives the index of the one that a copy is connected to.
 */
export function openCopies(
  { cluster, scenario }: StormInput,
  agents: readonly AgentState[],
  random: () => number,
  pickServer: () => number,
): { readonly copies: StormCopy[]; readonly notes: readonly string[] } {
  const copies: StormCopy[] = [];
  const notes = new Set<string>();
  const lost = lostServers({ cluster, scenario });
  const notice = scenario.kind === "api-server-loss" ? toTicks(scenario.noticedWithinSeconds) : 0;
  for (const agent of agents) {
    if (lost.size > 0) {
      for (let index = 0; index < agent.input.replicas; index++) {
        if (lost.has(pickServer())) copies.push(new StormCopy(agent, index, Math.floor(random() * notice)));
      }
      continue;
    }
    const starts = startTicks({ cluster, agent: agent.input, scenario, agents: agents.length, random });
    for (const note of starts.notes) notes.add(note);
    for (const [index, tick] of starts.ticks.entries()) copies.push(new StormCopy(agent, index, tick));
  }
  for (const { agent } of copies) agent.copies++;
  copies.sort((a, b) => a.startTick - b.startTick || a.agent.index - b.agent.index || a.index - b.index);
  return { copies, notes: [...notes] };
}

/** The agents with their informers, each with the collection that it reads. */
export function openAgents({ agents, cluster }: StormInput, random: () => number): AgentState[] {
  const places = new Map(cluster.collections.map((one, index) => [`${one.apiGroup}/${one.resource}`, index]));
  return agents.map((input, index) => {
    const agent = new AgentState(input, index);
    for (const informer of input.informers) {
      const place = places.get(`${informer.apiGroup}/${informer.resource}`) ?? -1;
      const collection = cluster.collections[place] ?? emptyCollection(informer);
      agent.informers.push(new InformerState(agent, informer, collection, place, random));
    }
    return agent;
  });
}

/** A resource that the cluster is not known to have. */
const emptyCollection = ({
  apiGroup,
  resource,
}: {
  apiGroup: string;
  resource: string;
}): StormCollection => ({
  apiGroup,
  resource,
  objects: 0,
  storedBytes: 0,
  jsonObjectBytes: 0,
  protobufObjectBytes: 0,
  metadataJsonObjectBytes: 0,
  metadataProtobufObjectBytes: 0,
  objectsPerNode: 0,
  statistics: "not-tracked",
  isSizeKnownAfterRestart: true,
});

/** Indexes of the servers that a scenario takes away, for a time or for good. */
export function lostServers({
  scenario,
  cluster,
}: Pick<StormInput, "scenario" | "cluster">): ReadonlySet<number> {
  if (scenario.kind === "api-server-loss") return new Set([scenario.server]);
  if (scenario.kind !== "api-server-restart") return new Set();
  return new Set(scenario.servers.length > 0 ? scenario.servers : cluster.servers.map((_, index) => index));
}
