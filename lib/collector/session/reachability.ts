import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { PartOutcome, ReadFailure } from "../../domain/clusters/part.ts";
import { asSentence } from "../../domain/clusters/sentence.ts";
import { formatDuration } from "../../format/duration.ts";
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
      events: [describeOutage(clusterName, startedAt, { ...next, failure })],
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
  {
    failure,
    failures,
    hasAnswered,
  }: Pick<Reachability, "failures" | "hasAnswered"> & { readonly failure: ReadFailure | null },
): ClusterEvent {
  const cause = asSentence(failure?.message ?? "no answer");
  const times = failures > 1 ? ` ${failures} attempts in a row came to this.` : "";
  const figures = hasAnswered ? "Figures are the last known good ones." : "No figure of it is known yet.";
  return {
    kind: "cluster-unreachable",
    severity: "error",
    at,
    subject: clusterName,
    lead: leadOf(failure),
    text: `${cause}${times} ${figures}`,
    before: "reachable",
    after: failure?.reason ?? "unreachable",
  };
}

function leadOf(failure: ReadFailure | null): string {
  switch (failure?.reason) {
    case "unauthorized":
      return "Credential refused.";
    case "credentials":
      return "No credential.";
    default:
      return "Unreachable.";
  }
}

function describeReturn(clusterName: string, at: number, since: number | null): ClusterEvent {
  const gap = since === null ? "an outage" : formatDuration(Math.round((at - since) / 1000));
  return {
    kind: "cluster-back",
    severity: "ok",
    at,
    subject: clusterName,
    lead: "Answers again.",
    text: `After ${gap}; what changed meanwhile is dated from now.`,
    before: "unreachable",
    after: "reachable",
  };
}
