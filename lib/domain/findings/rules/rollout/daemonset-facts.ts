import { parseVersion } from "../../../kubernetes/version.ts";
import { type DaemonSetRules, daemonSetRules } from "../../../rollout/daemonset-rules.ts";
import {
  type IntOrPercent,
  isZero,
  parseIntOrPercent,
  resolveIntOrPercent,
} from "../../../rollout/int-or-percent.ts";
import { listAt, numberAt, textAt, valueAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { ScannedObject } from "../../scanned-object.ts";
import { countPods } from "./daemonset-pods.ts";

/** A DaemonSet in the middle of its life: its limits, and what its status says of its pods. All numbers of nodes. */
export interface DaemonSetFacts {
  readonly daemonSet: ScannedObject;
  /** As written, or the default of 1. */
  readonly limit: IntOrPercent;
  /** Pods that `maxUnavailable` stands for, at least 1. */
  readonly maxUnavailable: number;
  readonly desired: number;
  readonly available: number;
  readonly unavailable: number;
  readonly updated: number;
  /** Some pods are of an older template, or the controller has not seen the newest yet. */
  readonly isUpdating: boolean;
  /** Nodes without any pod. */
  readonly empty: number;
  /** Old pods that are not available: at least and at most so many, where status alone cannot tell old from new. */
  readonly oldUnavailableMin: number;
  readonly oldUnavailableMax: number;
  readonly newUnavailableMax: number;
  /** Pods that will not be available by being replaced: on nodes that are not ready, or ending and not gone. */
  readonly stuck: number;
  readonly nodesNotReady: number | null;
  readonly terminating: number | null;
  readonly oldestDeletionSeconds: number | null;
  /** `null`: the version is not known. */
  readonly rules: DaemonSetRules | null;
}

/** Every DaemonSet that is updated in place (RollingUpdate without surge) and has a status. */
export function daemonSetFactsOf(facts: ScanFacts): readonly DaemonSetFacts[] {
  return facts.objects.ofKind("DaemonSet").flatMap((each) => readDaemonSet(each, facts) ?? []);
}

/** The limits of a DaemonSet's rolling update; `null` for one that has none (OnDelete, nonsense). */
export function limitsOf({ body }: ScannedObject): {
  readonly maxUnavailable: IntOrPercent;
  readonly maxSurge: IntOrPercent;
} | null {
  if ((textAt(body, "spec", "updateStrategy", "type") ?? "RollingUpdate") !== "RollingUpdate") return null;
  const read = (field: string, absent: IntOrPercent) => {
    const value = valueAt(body, "spec", "updateStrategy", "rollingUpdate", field);
    return value === undefined || value === null ? absent : parseIntOrPercent(value);
  };
  const maxSurge = read("maxSurge", 0);
  const maxUnavailable = read("maxUnavailable", 1);
  return maxSurge === null || maxUnavailable === null ? null : { maxUnavailable, maxSurge };
}

function readDaemonSet(daemonSet: ScannedObject, facts: ScanFacts): DaemonSetFacts | null {
  const { body } = daemonSet;
  const limits = limitsOf(daemonSet);
  const desired = numberAt(body, "status", "desiredNumberScheduled");
  if (limits === null || !isZero(limits.maxSurge) || desired === null || desired < 1) return null;
  // The API leaves out what is 0.
  const figure = (name: string) => numberAt(body, "status", name) ?? 0;
  const available = Math.min(desired, figure("numberAvailable"));
  const unavailable = Math.max(figure("numberUnavailable"), 0);
  const updated = Math.min(desired, figure("updatedNumberScheduled"));
  const scheduled = numberAt(body, "status", "currentNumberScheduled") ?? desired;
  const empty = Math.min(Math.max(0, desired - scheduled), unavailable);
  const generation = numberAt(body, "metadata", "generation");
  const observed = numberAt(body, "status", "observedGeneration");
  const pods = countPods(daemonSet, facts);
  const terminating = pods?.terminating ?? measuredPods(facts, "terminating");
  const nodesNotReady = facts.cluster.nodesNotReady ?? notReadyNodes(facts);
  // Counted on their own: an ending pod on a node that is not ready is both.
  const stuck = Math.min(unavailable, Math.max(nodesNotReady ?? 0, terminating ?? 0));
  const withPod = Math.max(0, unavailable - empty - (terminating ?? 0));
  const old = Math.max(0, desired - empty - updated);
  return {
    daemonSet,
    limit: limits.maxUnavailable,
    maxUnavailable: Math.max(1, resolveIntOrPercent(limits.maxUnavailable, desired)),
    desired,
    available,
    unavailable,
    updated,
    isUpdating: updated < desired || (generation !== null && observed !== null && observed < generation),
    empty,
    oldUnavailableMin: pods?.oldUnavailable ?? Math.max(0, Math.min(old, withPod - updated)),
    oldUnavailableMax: pods?.oldUnavailable ?? Math.min(old, withPod),
    newUnavailableMax: pods?.newUnavailable ?? Math.min(updated, withPod),
    stuck,
    nodesNotReady,
    terminating,
    oldestDeletionSeconds: measuredPods(facts, "oldestDeletionSeconds"),
    rules: rulesOf(facts),
  };
}

export function rulesOf({ cluster }: ScanFacts): DaemonSetRules | null {
  const v = cluster.kubernetesVersion;
  return v === null || parseVersion(v) === null ? null : daemonSetRules(v);
}

/** A figure of a short summary of the pods, saved as `pods.json`. */
function measuredPods({ measurements }: ScanFacts, field: string): number | null {
  const found = measurements.find(({ name }) => /^pods\.(?:json|ya?ml)$/.test(name));
  return found === undefined ? null : numberAt(found.value, field);
}

function notReadyNodes({ objects }: ScanFacts): number | null {
  const nodes = objects.ofKind("Node").filter(({ body }) => listAt(body, "status", "conditions").length > 0);
  if (nodes.length === 0) return null;
  return nodes.filter(({ body }) =>
    listAt(body, "status", "conditions").some(
      (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") !== "True",
    ),
  ).length;
}
