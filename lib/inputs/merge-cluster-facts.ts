import type { ReadClusterFacts } from "../contracts/cluster-facts.ts";
import type { ClusterFacts, CollectionFacts } from "../domain/clusters/cluster-facts.ts";
import { type HandGivenFacts, NO_CLUSTER_FACTS, NO_HAND_GIVEN_FACTS } from "../domain/findings/index.ts";

export const NO_FACTS: ReadClusterFacts = { cluster: NO_CLUSTER_FACTS, hand: NO_HAND_GIVEN_FACTS };

/** Two descriptions of one cluster: what `over` knows counts, the rest is from `under`. */
export function mergeClusterFacts(under: ReadClusterFacts, over: ReadClusterFacts): ReadClusterFacts {
  const server = mergeKnown(under.cluster.server, over.cluster.server);
  const collections = mergeCollections(under.cluster.collections, over.cluster.collections);
  const featureGates = { ...under.cluster.featureGates, ...over.cluster.featureGates };
  return {
    cluster: {
      ...mergeKnown<ClusterFacts>(under.cluster, over.cluster),
      server,
      collections,
      featureGates,
      background: over.cluster.background.length > 0 ? over.cluster.background : under.cluster.background,
    },
    hand: {
      ...mergeKnown<HandGivenFacts>(under.hand, over.hand),
      nominalSeats: { ...under.hand.nominalSeats, ...over.hand.nominalSeats },
      seats: { ...under.hand.seats, ...over.hand.seats },
      hasDefaultFlowControl: under.hand.hasDefaultFlowControl || over.hand.hasDefaultFlowControl,
      flags: [...under.hand.flags, ...over.hand.flags],
      others: { ...under.hand.others, ...over.hand.others },
    },
  };
}

/** Field by field; `null` says nothing. */
function mergeKnown<Fields extends object>(under: Fields, over: Fields): Fields {
  const known = Object.entries(over).filter(([, value]) => value !== null);
  return { ...under, ...Object.fromEntries(known) };
}

function mergeCollections(
  under: readonly CollectionFacts[],
  over: readonly CollectionFacts[],
): readonly CollectionFacts[] {
  const byName = new Map<string, CollectionFacts>();
  for (const each of [...under, ...over]) {
    const key = `${each.apiGroup}\u0000${each.resource}`;
    const before = byName.get(key);
    byName.set(key, before === undefined ? each : mergeKnown(before, each));
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
