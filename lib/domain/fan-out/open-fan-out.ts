import type { Agent } from "../agents/agent.ts";
import type { CatalogueEntry } from "../agents/catalogue/catalogue-entry.ts";
import { type AgentCost, costOfAgent } from "../agents/cost/agent-cost.ts";
import { type Projection, projectCluster } from "../agents/cost/projection.ts";
import { describeInformer } from "../agents/informer-text.ts";
import type { LearnedAgent } from "../agents/learn/learned-agents.ts";
import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import { factsOfParts } from "../clusters/facts-of-parts.ts";
import { isStale, type PartName, type PartState } from "../clusters/part.ts";
import type { PartValues } from "../clusters/part-values.ts";
import { PROJECTION_MODEL } from "./agent-projection.ts";
import { agentsOfParts } from "./agents-of-parts.ts";
import { completeCollections } from "./complete-collections.ts";

export type StoredParts = { readonly [P in PartName]?: PartState<PartValues[P]> };

export interface FanOutInput {
  readonly clusterName: string;
  /** Of the cluster, see `SERVER_LABELS`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: StoredParts;
  readonly catalogue: readonly CatalogueEntry[];
  /** What an audit log told of this cluster's users; absent or empty: none was read. */
  readonly learned?: readonly LearnedAgent[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A cluster's agents priced on what is stored of it. */
export interface FanOut {
  readonly facts: ClusterFacts;
  readonly projection: Projection;
  /** Sorted by id. */
  readonly agents: readonly Agent[];
  /** By agent id. */
  readonly costs: ReadonlyMap<string, AgentCost>;
  readonly otherWorkloads: number;
  /** Resources that agents read and that are not installed here. */
  readonly absent: readonly string[];
  /** Why no verdict on this cluster should rest on its figures, one sentence each. */
  readonly doubts: readonly string[];
  /** Equal as long as a projection made before still holds. */
  readonly key: string;
}

/** What the agents of a cluster cost, from what is stored of it; `null` where its workloads were never read. */
export function openFanOut(input: FanOutInput): FanOut | null {
  const { clusterName, labels, parts, catalogue, learned, now } = input;
  const inventory = parts.inventory?.value ?? null;
  if (inventory === null) return null;
  const values: Partial<PartValues> = {
    ...(parts.version?.value ? { version: parts.version.value } : {}),
    ...(parts.servers?.value ? { servers: parts.servers.value } : {}),
    ...(parts.sizes?.value ? { sizes: parts.sizes.value } : {}),
    ...(parts.fairness?.value ? { fairness: parts.fairness.value } : {}),
    inventory,
  };
  const instants = [parts.inventory?.valueAt, parts.sizes?.valueAt, parts.version?.valueAt].flatMap(
    (at) => at ?? [],
  );
  const stored = factsOfParts({ name: clusterName, values, observedAt: Math.min(now, ...instants), labels });
  const { agents, otherWorkloads } = agentsOfParts({
    clusterName,
    inventory,
    gitVersion: values.version?.gitVersion ?? null,
    catalogue,
    learned,
  });
  const { facts, absent } = completeCollections(stored, values.sizes ?? null, agents);
  const projection = projectCluster(facts);
  const doubts = doubtsOf(parts, now);
  return {
    facts,
    projection,
    agents,
    costs: new Map(agents.map((agent) => [agent.id, costOfAgent(agent, facts, projection)])),
    otherWorkloads,
    absent,
    doubts,
    key: keyOf(facts, agents, doubts),
  };
}

/** Rejections a second from which the load measured now is no steady one. */
const REJECTING_PER_SECOND = 1;

function doubtsOf({ sizes, inventory, fairness }: StoredParts, now: number): string[] {
  const doubts: string[] = [];
  if (sizes?.value == null) doubts.push("Counts and sizes of this cluster were never read.");
  else if (isStale(sizes, now)) doubts.push("Counts and sizes are older than two of their periods.");
  if (inventory !== undefined && isStale(inventory, now))
    doubts.push("The list of workloads is older than two of its periods.");
  const rejecting = (fairness?.value?.servers ?? []).some(({ levels }) =>
    levels.some(({ rejectedPerSecond }) => (rejectedPerSecond ?? 0) >= REJECTING_PER_SECOND),
  );
  if (rejecting) doubts.push("The cluster rejects requests now: what is measured is no steady load.");
  return doubts;
}

/** A figure by steps of a sixth: smaller moves change no verdict. */
const coarse = (value: number | null): number | null =>
  value === null ? null : value <= 0 ? 0 : Math.round(Math.log(value) / Math.log(7 / 6)) + 1;

function keyOf(facts: ClusterFacts, agents: readonly Agent[], doubts: readonly string[]): string {
  const { kubernetesVersion, featureGates, etcdVersion, apiServers, nodes, totalConcurrencySeats, server } =
    facts;
  return JSON.stringify([
    PROJECTION_MODEL,
    [kubernetesVersion, featureGates, etcdVersion, apiServers, coarse(nodes), totalConcurrencySeats, server],
    facts.flowSchemas,
    facts.priorityLevels,
    facts.collections.map(({ apiGroup, resource, objects, storedBytes }) => [
      apiGroup,
      resource,
      coarse(objects),
      coarse(storedBytes),
    ]),
    agents.map(({ id, version, replicas, userName, client, informers }) => [
      id,
      version,
      replicas.kind === "unknown" ? null : coarse(replicas.count),
      userName,
      client,
      informers.map((informer) => [describeInformer(informer), informer.evidence.grade]),
    ]),
    doubts,
  ]);
}
