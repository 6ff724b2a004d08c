import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { PartOutcome, ReadFailure } from "../../domain/clusters/part.ts";
import { isClusterFailure } from "../schedule/plan-next.ts";

/** Attempts in a row that must fail before a cluster that has answered before is said to be unreachable. */
export const FAILURES_UNTIL_UNREACHABLE = 3;

export interface Reachability {
  /** Whether it was ever read. */
  readonly hasAnswered: boolean;
  readonly failures: number;
  /** First failed attempt of the present outage; `null` while it answers. */
  readonly firstFailedAt: number | null;
  /** Whether the outage was said. */
  readonly isSaid: boolean;
}

/**
 * What one pass says of whether the cluster can be read. One failed attempt is no outage: the third in a row is, and
 * counts from the first. A cluster that never answered is unreachable at once. Passes that were only refused, throttled
 * or out of budget say nothing.
 */
export function advanceReachability(
  state: Reachability,
  pass: {
    readonly outcomes: readonly PartOutcome[];
    readonly startedAt: number;
    readonly clusterName: string;
  },
): {
  readonly state: Reachability;
  readonly events: readonly ClusterEvent[];
  /** `undefined`: as it was. */
  readonly unreachableSince: number | null | undefined;
} {
  const { outcomes, startedAt, clusterName } = pass;
  if (isClusterFailure(outcomes)) {
    const failures = state.failures + 1;
    const firstFailedAt = state.firstFailedAt ?? startedAt;
    const isOutage = !state.hasAnswered || failures >= FAILURES_UNTIL_UNREACHABLE;
    const next = { ...state, failures, firstFailedAt, isSaid: state.isSaid || isOutage };
    if (!isOutage || state.isSaid) return { state: next, events: [], unreachableSince: undefined };
    const failure = outcomes.find((outcome) => outcome.failure !== null)?.failure ?? null;
    return {
      state: next,
      events: [describeOutage(clusterName, startedAt, firstFailedAt, failure)],
      unreachableSince: firstFailedAt,
    };
  }
  const hasRead = outcomes.some(({ status }) => status === "ok" || status === "partial");
  if (!hasRead) return { state, events: [], unreachableSince: undefined };
  const next: Reachability = { hasAnswered: true, failures: 0, firstFailedAt: null, isSaid: false };
  if (!state.isSaid) return { state: next, events: [], unreachableSince: undefined };
  return {
    state: next,
    // The first answer of a cluster is not a return.
    events: state.hasAnswered ? [describeReturn(clusterName, startedAt, state.firstFailedAt)] : [],
    unreachableSince: null,
  };
}

function describeOutage(
  clusterName: string,
  at: number,
  since: number,
  failure: ReadFailure | null,
): ClusterEvent {
  const isRefused = failure?.reason === "unauthorized" || failure?.reason === "credentials";
  return {
    kind: "cluster-unreachable",
    severity: "error",
    at,
    subject: clusterName,
    lead: isRefused ? `${clusterName} refuses our credential` : `${clusterName} cannot be read`,
    text: `since ${isoSecond(since)}: ${failure?.message ?? "no answer"}. What is shown is older than that.`,
    before: "reachable",
    after: failure?.reason ?? "unreachable",
  };
}

function describeReturn(clusterName: string, at: number, since: number | null): ClusterEvent {
  const minutes = since === null ? null : Math.max(1, Math.round((at - since) / 60_000));
  return {
    kind: "cluster-back",
    severity: "ok",
    at,
    subject: clusterName,
    lead: `${clusterName} answers again`,
    text: minutes === null ? "after an outage." : `after ${minutes} min.`,
    before: "unreachable",
    after: "reachable",
  };
}

function isoSecond(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
