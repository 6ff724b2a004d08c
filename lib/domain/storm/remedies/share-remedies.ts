import type { StormAgent, StormInformer, StormInput } from "../storm-input.ts";
import { applied, isPerNode, isWide, notApplicable, type RemedyAnswer, resourceText } from "./remedy.ts";

/** Remedies in which copies get from each other what each asked the API server for. */

/** One reader for so many copies: readers LIST and watch, and the copies ask them. */
export function sharedReads(
  input: StormInput,
  { copiesPerReader }: { readonly copiesPerReader: number },
): RemedyAnswer {
  let isChanged = false;
  // Who is added by new nodes finds readers that run already.
  const areReadersQuiet = input.scenario.kind === "node-scale-out";
  const agents = input.agents.flatMap((agent): readonly StormAgent[] => {
    const wide = agent.informers.filter(isWide);
    const readers = Math.ceil(agent.replicas / copiesPerReader);
    if (wide.length === 0 || readers >= agent.replicas) return [agent];
    isChanged = true;
    const copies = { ...agent, informers: agent.informers.filter((informer) => !isWide(informer)) };
    if (areReadersQuiet) return [copies];
    return [
      copies,
      {
        ...agent,
        id: `${agent.id}/readers`,
        name: `readers of ${agent.name}`,
        kind: "Deployment",
        replicas: readers,
        informers: wide,
      },
    ];
  });
  if (!isChanged)
    return notApplicable(
      `No agent has more than ${copiesPerReader} copies that read a whole collection each.`,
    );
  return applied({ ...input, agents }, ["The copies ask their readers and not the API server."]);
}

/** What several agents on a node read alike is read once on each node. */
export function nodeProxy(input: StormInput): RemedyAnswer {
  const read = new Map<string, string>();
  const shared = new Set<string>();
  const agents = input.agents.map((agent) => {
    if (!isPerNode(agent)) return agent;
    const informers = agent.informers.filter((informer) => {
      const key = keyOf(informer);
      const by = read.get(key);
      if (by === undefined) read.set(key, agent.id);
      if (by === undefined || by === agent.id) return true;
      shared.add(resourceText(informer));
      return false;
    });
    return informers.length === agent.informers.length ? agent : { ...agent, informers };
  });
  if (shared.size === 0)
    return notApplicable("No two agents of the scenario that run on every node read the same.");
  return applied({ ...input, agents }, [
    `A proxy on each node reads ${[...shared].join(", ")} once for all agents there.`,
  ]);
}

/** A proxy answers in any form what it has read in one. */
const keyOf = ({
  apiGroup,
  resource,
  scope,
  namespace,
  fieldSelector,
  labelSelector,
}: StormInformer): string =>
  JSON.stringify([apiGroup, resource, scope, namespace, fieldSelector, labelSelector]);
