import { ruleVersion } from "../../kubernetes/version.ts";
import type { PriorityLevelObject } from "../fairness-part.ts";
import { findHandFault } from "../shuffle-sharding/deal-hand.ts";
import { expandPriorityLevels, type PriorityLevelList } from "./expand-objects.ts";

/**
 * Why the API server takes a priority level for broken, as a clause, or `null`. It goes on as if a broken one were not
 * there: FlowSchemas that point to it are skipped, its shares do not count.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, queueSetCompleterForPL, v1.26 to v1.37.
 */
export function findLevelFault(level: PriorityLevelObject): string | null {
  const { name, type, limitResponse, queues, handSize } = level;
  if ((type === "Exempt") !== (name === "exempt")) {
    return type === "Exempt"
      ? "only the level exempt may be of type Exempt"
      : "exempt must be of type Exempt";
  }
  if (type === "Exempt") return null;
  if (limitResponse === null) return "spec.limited.limitResponse is missing";
  if (limitResponse === "Reject") return queues === null ? null : "a level that rejects has no queuing";
  if (queues === null || handSize === null) return "spec.limited.limitResponse.queuing is missing";
  return findHandFault(queues, handSize);
}

/**
 * Why the API server goes on without some of the levels that a list stands for, by name; empty where it uses all.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function findBrokenLevels(v: string, listed: PriorityLevelList): Readonly<Record<string, string>> {
  return Object.fromEntries(
    expandPriorityLevels(listed, ruleVersion(v).minor).flatMap((level) => {
      const fault = findLevelFault(level);
      return fault === null ? [] : [[level.name, fault]];
    }),
  );
}
