import {
  INCIDENT_FAIRNESS_PERIOD_SECONDS,
  PART_NAMES,
  PART_PERIOD_SECONDS,
  type PartName,
  type PartOutcome,
} from "../../domain/clusters/part.ts";
import { isWholeCluster } from "../pass/read-failure.ts";

/** When each part of one cluster is due, milliseconds since the epoch, and how often it failed in a row. */
export interface PartPlan {
  readonly dueAt: Readonly<Record<PartName, number>>;
  readonly failures: Readonly<Record<PartName, number>>;
  /** Passes in a row in which the cluster could not be read at all. */
  readonly clusterFailures: number;
}

/** Back-off of a cluster that cannot be read at all: 5, 10, 20, 40, 60, 60 … seconds. */
const CLUSTER_BACKOFF_SECONDS = { first: 5, most: 60 };
/** A part that failed by itself is tried again sooner than its period, if that is long. */
const PART_BACKOFF_SECONDS = { first: 60, most: 900 };
/** Parts that fall due within this time are read in the same pass: one connection, one metrics page. */
const TOGETHER_MS = 3000;
/** Spread of a pause, so that clusters that failed together do not come back together. */
const JITTER = 0.2;

/** Period of a part at the pace asked for. */
export function periodSeconds(part: PartName, isIncident: boolean): number {
  return part === "fairness" && isIncident ? INCIDENT_FAIRNESS_PERIOD_SECONDS : PART_PERIOD_SECONDS[part];
}

/**
 * The first plan of a cluster: everything at once, at a random instant of the first `spreadSeconds`, so that a start
 * over many clusters is no burst.
 */
export function firstPlan(now: number, spreadSeconds: number, random: () => number): PartPlan {
  const at = now + Math.floor(random() * spreadSeconds * 1000);
  return {
    dueAt: forEachPart(() => at),
    failures: forEachPart(() => 0),
    clusterFailures: 0,
  };
}

/** When the next pass begins. */
export function nextPassAt(plan: PartPlan): number {
  return Math.min(...Object.values(plan.dueAt));
}

/** What a pass that begins now reads: all that is due, and what would be in a moment. In the order of the parts. */
export function duePartsAt(plan: PartPlan, now: number): readonly PartName[] {
  return PART_NAMES.filter((part) => plan.dueAt[part] <= now + TOGETHER_MS);
}

/** Whether a pass found the cluster unreadable as a whole: nothing was read, and no part for reasons of its own. */
export function isClusterFailure(outcomes: readonly PartOutcome[]): boolean {
  return (
    outcomes.length > 0 &&
    outcomes.every(
      ({ status, failure }) => status === "failed" && failure !== null && isWholeCluster(failure),
    )
  );
}

/**
 * The plan after a pass. A part that was read is due one period after it was due (no drift; never in the past). A
 * cluster that cannot be read at all is asked again by back-off, all its parts together.
 */
export function planNext(input: {
  readonly plan: PartPlan;
  readonly outcomes: readonly PartOutcome[];
  readonly now: number;
  readonly isIncident: boolean;
  readonly random: () => number;
}): PartPlan {
  const { plan, outcomes, now, isIncident, random } = input;
  const jittered = (seconds: number) => Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
  if (isClusterFailure(outcomes)) {
    const clusterFailures = plan.clusterFailures + 1;
    const at = now + jittered(backOff(CLUSTER_BACKOFF_SECONDS, clusterFailures));
    const attempted = new Set(outcomes.map(({ part }) => part));
    return {
      // Parts not attempted are not due yet; they wait no shorter than the rest.
      dueAt: forEachPart((part) => (attempted.has(part) ? at : Math.max(at, plan.dueAt[part]))),
      failures: plan.failures,
      clusterFailures,
    };
  }
  const dueAt = { ...plan.dueAt };
  const failures = { ...plan.failures };
  for (const { part, status, failure } of outcomes) {
    const period = periodSeconds(part, isIncident);
    if (status === "ok" || status === "partial") {
      failures[part] = 0;
      dueAt[part] = Math.max(now, plan.dueAt[part] + period * 1000);
      // More than a period behind (a long pass, a suspended machine): begin the rhythm anew.
      if (dueAt[part] <= now) dueAt[part] = now + period * 1000;
      continue;
    }
    failures[part] += 1;
    const pause = Math.min(period, backOff(PART_BACKOFF_SECONDS, failures[part]));
    dueAt[part] = now + jittered(Math.max(pause, Math.min(failure?.retryAfterSeconds ?? 0, 600)));
  }
  return { dueAt, failures, clusterFailures: 0 };
}

/** The plan when the pace changes: fairness comes forward when it quickens, and keeps its turn when it slows down. */
export function changePace(plan: PartPlan, isIncident: boolean, now: number): PartPlan {
  const soonest = now + periodSeconds("fairness", isIncident) * 1000;
  // A cluster that does not answer is not asked more often because somebody looks at it.
  if (!isIncident || plan.clusterFailures > 0 || plan.dueAt.fairness <= soonest) return plan;
  return { ...plan, dueAt: { ...plan.dueAt, fairness: now } };
}

function backOff(
  { first, most }: { readonly first: number; readonly most: number },
  failures: number,
): number {
  return Math.min(most, first * 2 ** Math.min(10, failures - 1));
}

function forEachPart(at: (part: PartName) => number): Record<PartName, number> {
  return {
    version: at("version"),
    servers: at("servers"),
    sizes: at("sizes"),
    fairness: at("fairness"),
    inventory: at("inventory"),
  };
}
