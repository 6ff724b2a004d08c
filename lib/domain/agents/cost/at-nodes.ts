import type { ClusterFacts, CollectionFacts } from "../../clusters/cluster-facts.ts";
import type { Agent } from "../agent.ts";
import { subjectOf } from "../informer-text.ts";
import { type AgentCost, costOfAgent } from "./agent-cost.ts";

/** How a collection grows with the nodes: objects × (nodes ÷ nodes now) to this power. */
export interface NodeElasticity {
  readonly subject: string;
  readonly exponent: number;
  /** `measured`: from this cluster's own history. `stated`: a default, see `STATED_ELASTICITIES`. */
  readonly source: "measured" | "stated";
}

/**
 * Taken where no growth was measured. One object per node, or a fixed number on each, grows in step with the nodes:
 * pods at as many a node as now, and what follows pods (EndpointSlices at as many endpoints a slice as now). All else is
 * held as it is: it grows with what people install, not with nodes.
 */
export const STATED_ELASTICITIES: Readonly<Record<string, number>> = {
  nodes: 1,
  pods: 1,
  events: 1,
  "events.events.k8s.io": 1,
  "leases.coordination.k8s.io": 1,
  "csinodes.storage.k8s.io": 1,
  "csistoragecapacities.storage.k8s.io": 1,
  "volumeattachments.storage.k8s.io": 1,
  "resourceslices.resource.k8s.io": 1,
  "endpointslices.discovery.k8s.io": 1,
  "nodemetrics.metrics.k8s.io": 1,
  "podmetrics.metrics.k8s.io": 1,
  "ciliumnodes.cilium.io": 1,
  "ciliumendpoints.cilium.io": 1,
  "blockaffinities.crd.projectcalico.org": 1,
  "ipamblocks.crd.projectcalico.org": 1,
  "ipamhandles.crd.projectcalico.org": 1,
};

export function elasticityOf(collection: CollectionFacts): NodeElasticity {
  const subject = subjectOf(collection);
  const measured = collection.nodeElasticity ?? null;
  if (measured !== null) return { subject, exponent: measured, source: "measured" };
  const stated = Object.hasOwn(STATED_ELASTICITIES, subject) ? STATED_ELASTICITIES[subject] : undefined;
  return { subject, exponent: stated ?? 0, source: "stated" };
}

/**
 * The cluster as it would be with so many nodes: collections grow by their elasticity, with the same bytes per object and
 * the same objects on each node; seats, API servers and links stay. `null`: the nodes are not known, or none.
 *
 * @throws {RangeError} where `nodes` is no number of 0 or more.
 */
export function factsAtNodes(facts: ClusterFacts, nodes: number): ClusterFacts | null {
  if (!(Number.isFinite(nodes) && nodes >= 0)) throw new RangeError(`${nodes} is not a number of nodes.`);
  if (facts.nodes === null || facts.nodes <= 0) return null;
  const growth = nodes / facts.nodes;
  const grown = (value: number | null, factor: number) => (value === null ? null : value * factor);
  return {
    ...facts,
    nodes,
    nodesNotReady: grown(facts.nodesNotReady, growth),
    collections: facts.collections.map((collection) => {
      const factor = growth ** elasticityOf(collection).exponent;
      return {
        ...collection,
        objects: grown(collection.objects, factor),
        storedBytes: grown(collection.storedBytes, factor),
        ...(collection.changesPerSecond === undefined
          ? {}
          : { changesPerSecond: grown(collection.changesPerSecond, factor) }),
      };
    }),
  };
}

/** The agent with the copies it would have: one that runs on nodes keeps its share of them, others keep their number. */
export function agentAtNodes(agent: Agent, facts: ClusterFacts, nodes: number): Agent {
  const { replicas } = agent;
  if (replicas.kind !== "per-node" || replicas.count === null || facts.nodes === null || facts.nodes <= 0)
    return agent;
  const count = Math.round((replicas.count * nodes) / facts.nodes);
  return { ...agent, replicas: { kind: "per-node", count } };
}

/** What an agent would cost at another number of nodes; `null`: the cluster's nodes are not known. */
export function costAtNodes(agent: Agent, facts: ClusterFacts, nodes: number): AgentCost | null {
  const grown = factsAtNodes(facts, nodes);
  return grown === null ? null : costOfAgent(agentAtNodes(agent, facts, nodes), grown);
}
