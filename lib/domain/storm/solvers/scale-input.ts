import { STATED_ELASTICITIES } from "../../agents/cost/at-nodes.ts";
import { isPerNode, resourceText } from "../remedies/remedy.ts";
import type { StormInformer, StormInput } from "../storm-input.ts";

/** Powers by which collections grow with the nodes, by `resource.group`; those not named as stated, see `STATED_ELASTICITIES`. */
export type NodeElasticities = Readonly<Record<string, number>>;

/**
 * The storm on the same cluster with another number of nodes: collections and copies grow as `factsAtNodes` and
 * `agentAtNodes` say; seats, API servers, cores and links stay. Steady load of others stays as well.
 *
 * @throws {RangeError} where the nodes are not known, or none.
 */
export function inputAtNodes(input: StormInput, nodes: number, measured: NodeElasticities = {}): StormInput {
  const { cluster } = input;
  if (!(cluster.nodes > 0)) throw new RangeError("How many nodes the cluster has is not known.");
  const growth = nodes / cluster.nodes;
  const factorOf = (one: Pick<StormInformer, "apiGroup" | "resource">) => {
    const subject = resourceText(one);
    const stated = Object.hasOwn(STATED_ELASTICITIES, subject) ? STATED_ELASTICITIES[subject] : undefined;
    const exponent = Object.hasOwn(measured, subject) ? measured[subject] : stated;
    return growth ** (exponent ?? 0);
  };
  return {
    ...input,
    cluster: {
      ...cluster,
      nodes,
      collections: cluster.collections.map((one) => {
        const objects = Math.round(one.objects * factorOf(one));
        const each = one.objects === 0 ? 0 : one.storedBytes / one.objects;
        return { ...one, objects, storedBytes: each * objects };
      }),
    },
    agents: input.agents.map((agent) => ({
      ...agent,
      replicas: isPerNode(agent) ? Math.round(agent.replicas * growth) : agent.replicas,
      informers: agent.informers.map((informer) => {
        const { matchingObjects, scope } = informer;
        const grows = matchingObjects !== null && scope !== "own-node" && scope !== "single-object";
        return grows
          ? { ...informer, matchingObjects: Math.round(matchingObjects * factorOf(informer)) }
          : informer;
      }),
    })),
  };
}

/** The storm of so many of the copies: what a staged rollout starts at once. At least one copy of each agent that has any. */
export function inputAtShare(input: StormInput, share: number): StormInput {
  const part = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round(count * share)));
  const { scenario } = input;
  if (scenario.kind === "node-scale-out")
    return { ...input, scenario: { ...scenario, addedNodes: part(scenario.addedNodes) } };
  return {
    ...input,
    agents: input.agents.map((agent) => ({ ...agent, replicas: part(agent.replicas) })),
  };
}
