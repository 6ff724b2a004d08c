import { BURST_REPLICAS } from "./daemonset-rules.ts";

/**
 * What one step of the controller creates or deletes. It ranges over maps, so where it takes only some of several, which
 * ones is chance: those stand in `someOf`.
 *
 * `always.length <= count <= always.length + someOf.length`; `count` equals `always.length` exactly where `someOf` is
 * empty. Both lists are in the order of the nodes, and have no name in common.
 */
export interface PodChoice {
  readonly count: number;
  /** Names of those that go whatever the order. */
  readonly always: readonly string[];
  /** Names of all others that may go. */
  readonly someOf: readonly string[];
}

export const NOTHING: PodChoice = { count: 0, always: [], someOf: [] };

/**
 * A choice from two lists, the first one first: all of `must` and `take` of `candidates` (or all, where there are
 * fewer), together at most 250 in one call of sync.
 */
export function choosePods(
  must: readonly string[],
  candidates: readonly string[] = [],
  take: number = 0,
): PodChoice {
  const wanted = Math.min(Math.max(0, take), candidates.length);
  const mustCount = Math.min(must.length, BURST_REPLICAS);
  const takeCount = Math.min(wanted, BURST_REPLICAS - mustCount);
  const parts = [split(must, mustCount), split(candidates, takeCount)];
  return {
    count: mustCount + takeCount,
    always: parts.flatMap(({ always }) => always),
    someOf: parts.flatMap(({ someOf }) => someOf),
  };
}

function split(
  names: readonly string[],
  take: number,
): { readonly always: readonly string[]; readonly someOf: readonly string[] } {
  if (take === names.length) return { always: names, someOf: [] };
  return { always: [], someOf: take === 0 ? [] : names };
}
