import type { Agent } from "../agents/agent.ts";
import { subjectOf } from "../agents/informer-text.ts";
import type { ClusterFacts, CollectionFacts } from "../clusters/cluster-facts.ts";
import type { SizesPart } from "../clusters/version-part.ts";
import { isBuiltInGroup } from "../kubernetes/built-in-resources.ts";

export interface CompletedFacts {
  readonly facts: ClusterFacts;
  /** Resources that agents read and that the API servers publish no count of: taken to be none. Sorted. */
  readonly absent: readonly string[];
}

/**
 * API servers publish a count for each resource that they store. What agents read and no server publishes is not
 * installed there (a CustomResourceDefinition that is missing, a version without it), so that it has no objects. Where
 * counts come from LISTs, which choose what they count, nothing follows from an absence.
 */
export function completeCollections(
  facts: ClusterFacts,
  sizes: SizesPart | null,
  agents: readonly Pick<Agent, "informers">[],
): CompletedFacts {
  const isPublished = (sizes?.resources ?? []).some(({ objectsSource }) =>
    objectsSource?.startsWith("apiserver_"),
  );
  if (!isPublished) return { facts, absent: [] };
  const known = new Set(facts.collections.map(subjectOf));
  const missing = new Map<string, CollectionFacts>();
  for (const { informers } of agents) {
    for (const { apiGroup, resource } of informers) {
      const subject = subjectOf({ apiGroup, resource });
      if (apiGroup === "*" || resource === "*" || known.has(subject)) continue;
      missing.set(subject, nothingOf(apiGroup, resource));
    }
  }
  if (missing.size === 0) return { facts, absent: [] };
  return {
    facts: { ...facts, collections: [...facts.collections, ...missing.values()].sort(compareCollections) },
    absent: [...missing.keys()].sort(),
  };
}

const nothingOf = (apiGroup: string, resource: string): CollectionFacts => ({
  apiGroup,
  resource,
  objects: 0,
  storedBytes: 0,
  jsonObjectBytes: null,
  // Nothing is sent: a size is needed only so that it does not count as unknown.
  protobufObjectBytes: isBuiltInGroup(apiGroup) ? 0 : null,
  metadataObjectBytes: null,
  objectsPerNode: 0,
});

function compareCollections(a: CollectionFacts, b: CollectionFacts): number {
  if (a.apiGroup !== b.apiGroup) return a.apiGroup < b.apiGroup ? -1 : 1;
  return a.resource < b.resource ? -1 : 1;
}
