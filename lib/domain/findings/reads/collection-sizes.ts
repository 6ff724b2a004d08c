import type { ClusterFacts } from "../../clusters/cluster-facts.ts";

/** What is known of the size of a collection; `null`: not known. */
export interface CollectionSize {
  readonly objects: number | null;
  /** As stored, all objects together. */
  readonly storedBytes: number | null;
  /** Mean of one object as stored, whole bytes. */
  readonly objectBytes: number | null;
}

const UNKNOWN: CollectionSize = { objects: null, storedBytes: null, objectBytes: null };

/** The size of a resource. People write `replicasets` for `replicasets.apps`: without a group it is taken for any. */
export function sizeOf({ collections }: ClusterFacts, apiGroup: string, resource: string): CollectionSize {
  const named = collections.filter((each) => each.resource === resource);
  const found =
    named.find((each) => each.apiGroup === apiGroup) ?? named.find((each) => each.apiGroup === "");
  if (found === undefined) return UNKNOWN;
  const { objects, storedBytes } = found;
  const mean = storedBytes !== null && objects !== null && objects > 0 ? storedBytes / objects : null;
  return { objects, storedBytes, objectBytes: mean === null ? found.protobufObjectBytes : Math.round(mean) };
}

/** `pods`, `replicasets.apps`. */
export const nameOfResource = (apiGroup: string, resource: string): string =>
  apiGroup === "" ? resource : `${resource}.${apiGroup}`;

/**
 * Whether the API server can ask this etcd for progress, without which it reads the latest state from etcd; `undefined`
 * where the version of etcd is not known. Source: apiserver pkg/storage/feature/feature_support_checker.go, v1.31 to v1.37.
 */
export function hasEtcdProgress({ etcdVersion }: ClusterFacts): boolean | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(etcdVersion ?? "");
  if (match === null) return undefined;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (major !== 3) return major > 3;
  if (minor !== 4 && minor !== 5) return minor > 5;
  return patch >= (minor === 4 ? 31 : 13);
}
