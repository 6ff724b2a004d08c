import type { ClusterFacts } from "../../clusters/cluster-facts.ts";
import type { Agent, AgentInformer } from "../agent.ts";
import { type EvidenceGrade, weakestGrade } from "../evidence.ts";
import { type Amount, addAmounts, timesAmount } from "./amount.ts";
import { resolveClient } from "./informer-client.ts";
import { type InformerCost, informerCost, type StartCost } from "./informer-cost.ts";
import { type MemoryCost, memoryCost } from "./memory-cost.ts";
import { type LevelCapacity, type Projection, projectCluster } from "./projection.ts";
import { type SteadyCost, steadyCost } from "./steady-cost.ts";

/** What an agent asks of one priority level when all its copies start at once. */
export interface LevelDemand {
  readonly flowSchemaName: string;
  readonly priorityLevelName: string;
  /** True where all copies share one flow: one hand of queues. False: each has its own. */
  readonly isOneFlow: boolean;
  /** Seats of all copies together. */
  readonly seatsAsked: Amount;
  /** Of one API server; `null`: the level does not exist there. */
  readonly capacity: LevelCapacity | null;
  /** Seats asked ÷ that of all API servers together; `null`: the level is exempt, or there is none. */
  readonly ofIdleRatio: number | null;
  readonly ofNominalRatio: number | null;
  readonly ofCeilingRatio: number | null;
}

/** What one agent costs one cluster. */
export interface AgentCost {
  readonly agentId: string;
  /** Copies that read: of an agent that only its leader reads for, one. `null`: not known. */
  readonly copies: number | null;
  readonly perStart: StartCost;
  /** Copies × per start, from unrounded figures; `null`: the number of copies is not known. */
  readonly total: StartCost | null;
  /** In the order of the agent's informers; one bound to everything is opened into what the cluster has. */
  readonly informers: readonly InformerCost[];
  /** Most seats first. Empty where the number of copies is not known. */
  readonly levels: readonly LevelDemand[];
  /** Seconds that the links of all API servers are full, were the network all that takes time; `null`: not known. */
  readonly linkSeconds: number | null;
  readonly memory: MemoryCost | null;
  /** `null`: the number of copies is not known. */
  readonly steady: SteadyCost | null;
  /** What the sums are known by: the weakest of the informers; `null`: it reads nothing, or nothing is known. */
  readonly grade: EvidenceGrade | null;
  /** False where nothing is known of what it reads: then all figures are empty, not zero. */
  readonly isKnown: boolean;
  /** What is not known, one phrase each. */
  readonly unknown: readonly string[];
  /** What was assumed of cluster, client and sizes, one sentence each. */
  readonly assumptions: readonly string[];
}

/** What all copies of an agent cost a cluster. `projection` may be given where several agents are priced on one cluster. */
export function costOfAgent(
  agent: Agent,
  facts: ClusterFacts,
  projection: Projection = projectCluster(facts),
): AgentCost {
  const client = resolveClient(agent.client, projection.versionText);
  const { informers: opened, unknown: unopened } = openWildcards(agent.informers, facts);
  const informers = opened.map((informer) =>
    informerCost({ informer, client, userName: agent.userName, userGroups: agent.userGroups }, projection),
  );
  const { copies, assumption } = copiesOf(agent, facts);
  const perStart = sumStarts(informers.map(({ start }) => start));
  const total = copies === null ? null : timesStart(perStart, copies);
  const levels = copies === null ? [] : levelDemands(informers, copies, projection, agent.userName);
  return {
    agentId: agent.id,
    copies,
    perStart,
    total,
    informers,
    levels,
    linkSeconds: linkSeconds(total, projection),
    memory:
      copies === null
        ? null
        : memoryCost(informers, copies, levels[0]?.capacity?.ceilingSeats ?? null, projection),
    steady: copies === null ? null : steadyCost(informers, copies, projection),
    grade: weakestGrade(agent.informers.map(({ evidence }) => evidence.grade)),
    isKnown: agent.isKnown,
    unknown: unknownOf(agent, informers, copies, unopened),
    assumptions: [
      ...new Set([
        ...(agent.assumptions ?? []),
        ...projection.assumptions,
        ...(client.assumption === null ? [] : [client.assumption]),
        ...(agent.userName === null
          ? ["The user that it is to the API server is not known: any authenticated user is taken."]
          : []),
        ...(assumption === null ? [] : [assumption]),
        ...informers.flatMap((each) => each.assumptions),
      ]),
    ],
  };
}

function unknownOf(
  agent: Agent,
  informers: readonly InformerCost[],
  copies: number | null,
  unopened: readonly string[],
) {
  return [
    ...(agent.isKnown ? [] : ["what it reads"]),
    ...(copies === null ? ["how many copies run"] : []),
    ...unopened,
    ...new Set(informers.flatMap(({ unknown }) => unknown)),
  ];
}

/** Copies that read, and what was assumed of them. */
function copiesOf(
  agent: Agent,
  { nodes }: ClusterFacts,
): { readonly copies: number | null; readonly assumption: string | null } {
  const { replicas, informers } = agent;
  if (replicas.kind === "unknown") return { copies: null, assumption: null };
  if (replicas.kind === "per-node" && replicas.count === null) {
    return { copies: nodes, assumption: nodes === null ? null : "One copy on every node is assumed." };
  }
  const count = replicas.count ?? 0;
  const leading = informers.filter(({ isLeaderOnly }) => isLeaderOnly === true).length;
  if (leading === 0 || count <= 1) return { copies: count, assumption: null };
  if (leading === informers.length) {
    return { copies: 1, assumption: `Only the leader of ${count} copies reads anything.` };
  }
  return { copies: count, assumption: "What only the leader reads is counted for every copy." };
}

interface OpenedInformers {
  readonly informers: readonly AgentInformer[];
  readonly unknown: readonly string[];
}

/** A bound of everything is every collection that the cluster is known to have. */
function openWildcards(informers: readonly AgentInformer[], { collections }: ClusterFacts): OpenedInformers {
  const unknown: string[] = [];
  const opened = informers.flatMap((informer) => {
    const { apiGroup, resource } = informer;
    if (apiGroup !== "*" && resource !== "*") return [informer];
    const covered = collections.filter(
      (each) =>
        (apiGroup === "*" || each.apiGroup === apiGroup) && (resource === "*" || each.resource === resource),
    );
    if (covered.length === 0)
      unknown.push(`what ${resource} of ${apiGroup === "" ? "the core group" : apiGroup} stands for here`);
    return covered.map((each) => ({ ...informer, apiGroup: each.apiGroup, resource: each.resource }));
  });
  return { informers: opened, unknown };
}

const mapStart = (pick: (field: keyof StartCost) => Amount): StartCost => ({
  requests: pick("requests"),
  seats: pick("seats"),
  handledObjects: pick("handledObjects"),
  handledBytes: pick("handledBytes"),
  receivedObjects: pick("receivedObjects"),
  receivedBytes: pick("receivedBytes"),
  wireBytes: pick("wireBytes"),
});

export const sumStarts = (starts: readonly StartCost[]): StartCost =>
  mapStart((field) => addAmounts(starts.map((start) => start[field])));

export const timesStart = (start: StartCost, factor: number): StartCost =>
  mapStart((field) => timesAmount(start[field], factor));

function levelDemands(
  informers: readonly InformerCost[],
  copies: number,
  { capacityOf, apiServers }: Projection,
  userName: string | null,
): LevelDemand[] {
  const byFlow = Map.groupBy(informers, ({ flow }) => `${flow.flowSchemaName}\0${flow.priorityLevelName}`);
  return [...byFlow.values()]
    .flatMap((alike) => {
      const [first] = alike;
      if (first === undefined) return [];
      const { flowSchemaName, priorityLevelName, flowDistinguisher } = first.flow;
      const seatsAsked = timesAmount(addAmounts(alike.map(({ flow }) => flow.seats)), copies);
      const capacity = capacityOf(priorityLevelName);
      const ratio = (seats: number | undefined) =>
        seats === undefined || capacity?.isExempt !== false || seats === 0
          ? null
          : seatsAsked.value / (seats * apiServers);
      return [
        {
          flowSchemaName,
          priorityLevelName,
          // Every node is a user of its own; copies of a workload are one.
          isOneFlow: !(userName === "system:node:*" && flowDistinguisher.startsWith("system:node:")),
          seatsAsked,
          capacity,
          ofIdleRatio: ratio(capacity?.idleSeats),
          ofNominalRatio: ratio(capacity?.nominalSeats),
          ofCeilingRatio: ratio(capacity?.ceilingSeats),
        },
      ];
    })
    .sort(
      (a, b) => b.seatsAsked.value - a.seatsAsked.value || (a.flowSchemaName < b.flowSchemaName ? -1 : 1),
    );
}

function linkSeconds(total: StartCost | null, { facts, apiServers }: Projection): number | null {
  const { linkBytesPerSecond } = facts.server;
  if (total === null || linkBytesPerSecond === null || linkBytesPerSecond <= 0) return null;
  return total.wireBytes.value / (linkBytesPerSecond * apiServers);
}
