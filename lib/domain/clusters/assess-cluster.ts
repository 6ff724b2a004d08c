import { type ClusterFinding, compareText } from "./finding.ts";
import type { PartState } from "./part.ts";
import type { FairnessFinding } from "./summarise-cluster.ts";

/** State of a cluster in the fleet, worst first. */
export const CLUSTER_STATES = ["error", "unreachable", "warning", "unknown", "ok"] as const;
export type ClusterState = (typeof CLUSTER_STATES)[number];

export interface ClusterToAssess {
  readonly unreachableSince: number | null;
  readonly parts: readonly PartState<unknown>[];
  /** Of the last known good fairness values, worst first. */
  readonly fairness: readonly FairnessFinding[];
  readonly collection: readonly ClusterFinding[];
  /** What its agents come to if all copies LIST at once; `unknown` says nothing of the cluster. */
  readonly fanOut: "error" | "warning" | "ok" | "unknown";
}

export interface ClusterAssessment {
  readonly state: ClusterState;
  /** As it would stand if it were reachable, from what was read last: an unreachable cluster keeps its place by it. */
  readonly lastKnown: Exclude<ClusterState, "unreachable">;
  /** Risk of measured fairness; `unknown` where the cluster is unreachable or its fairness was never read. */
  readonly fairness: "error" | "warning" | "ok" | "unknown";
  /** How well it is read: an outage is an error, a part that is missing a warning. */
  readonly collection: "error" | "warning" | "ok" | "unknown";
}

/** What a cluster comes to: its worst risk, unless it is unreachable or was never read. */
export function assessCluster(cluster: ClusterToAssess): ClusterAssessment {
  const wasRead = cluster.parts.some((each) => each.valueAt !== null);
  const isFairnessRead = cluster.parts.some((each) => each.part === "fairness" && each.valueAt !== null);
  const fairness = isFairnessRead ? worst(cluster.fairness) : "unknown";
  const collection = cluster.parts.length === 0 ? "unknown" : worst(cluster.collection);
  const ofLastKnown = worst([
    ...cluster.fairness,
    ...cluster.collection.filter((each) => each.rule !== "collector.unreachable"),
    { severity: cluster.fanOut },
  ]);
  const lastKnown = ofLastKnown === "ok" && !wasRead ? "unknown" : ofLastKnown;
  if (cluster.unreachableSince === null) return { state: lastKnown, lastKnown, fairness, collection };
  return { state: "unreachable", lastKnown, fairness: "unknown", collection: "error" };
}

function worst(findings: readonly { readonly severity: string }[]): "error" | "warning" | "ok" {
  if (findings.some((each) => each.severity === "error")) return "error";
  return findings.some((each) => each.severity === "warning") ? "warning" : "ok";
}

/**
 * Order of the fleet, worst first: error, unreachable, warning, unknown, ok. An unreachable cluster that was in error
 * when it was last read stays among those in error. Inside one state: levels that reject now, agents that never drain, unsafe
 * ones by their bytes, levels in trouble, the fullest level, the name.
 */
export function compareClusters(a: AssessedCluster, b: AssessedCluster): number {
  return (
    rank(a) - rank(b) ||
    countErrors(b) - countErrors(a) ||
    harmOf(b) - harmOf(a) ||
    b.fairness.length - a.fairness.length ||
    (b.busiestRatio ?? -1) - (a.busiestRatio ?? -1) ||
    compareText(a.name, b.name)
  );
}

/** What the order of the fleet rests on. */
export interface AssessedCluster {
  readonly name: string;
  readonly assessment: ClusterAssessment;
  readonly fairness: readonly FairnessFinding[];
  /** What its agents come to, see `assessFanOut`. */
  readonly fanOut: {
    readonly severity: "error" | "warning" | "ok" | "unknown";
    readonly worst: { readonly undrained: number; readonly bytes: number | null } | null;
  };
  /** Seats in use ÷ current limit of the busiest level; `null` where not known. */
  readonly busiestRatio: number | null;
}

function rank({ assessment }: AssessedCluster): number {
  const isErrorWhenLastRead = assessment.state === "unreachable" && assessment.lastKnown === "error";
  return CLUSTER_STATES.indexOf(isErrorWhenLastRead ? "error" : assessment.state);
}

/** Predicted harm of the worst agent: that it never drains weighs more than any number of bytes. */
function harmOf({ fanOut: { severity, worst } }: AssessedCluster): number {
  if (severity !== "error" || worst === null) return 0;
  return worst.undrained > 0 ? Number.MAX_VALUE : 1 + (worst.bytes ?? 0);
}

const countErrors = ({ fairness }: AssessedCluster): number =>
  fairness.filter((each) => each.severity === "error").length;
