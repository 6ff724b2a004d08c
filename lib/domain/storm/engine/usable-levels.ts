import { MANDATORY_NAMES } from "../../fairness/configuration/api-objects.ts";
import { defaultPriorityLevels } from "../../fairness/configuration/expand-objects.ts";
import { findLevelFault } from "../../fairness/configuration/level-fault.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import type { StormCluster } from "../storm-input.ts";

/** The cluster with the priority levels that its API servers work with: without broken ones, with mandatory ones supplied. */
export function withUsableLevels(cluster: StormCluster): StormCluster {
  const { minor } = ruleVersion(cluster.kubernetesVersion);
  const levels = new Map(
    cluster.priorityLevels
      .filter((level) => findLevelFault(level) === null)
      .map((level) => [level.name, level] as const),
  );
  for (const level of defaultPriorityLevels(minor)) {
    if (MANDATORY_NAMES.includes(level.name) && !levels.has(level.name)) levels.set(level.name, level);
  }
  return { ...cluster, priorityLevels: [...levels.values()] };
}
