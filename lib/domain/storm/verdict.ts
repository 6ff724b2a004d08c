export const VERDICTS = ["invisible", "visible", "unsafe", "inconclusive"] as const;
export type VerdictName = (typeof VERDICTS)[number];

export const VERDICT_REASONS = [
  /** LISTs are aborted at the deadline, and it does not drain for it. */
  "collapse",
  "never-drains",
  "neighbours-rejected",
  "neighbours-wait",
  "own-rejected",
  "own-wait",
  "timeouts",
  "drain",
  "link",
  "memory",
  /** The evidence is too weak. */
  "evidence",
] as const;
export type VerdictReasonName = (typeof VERDICT_REASONS)[number];

/** One figure that decided. */
export interface VerdictReason {
  readonly reason: VerdictReasonName;
  /** The verdict that it forces by itself. */
  readonly verdict: VerdictName;
  /** With the figure and the threshold it passed, one sentence. */
  readonly text: string;
}

export interface Verdict {
  readonly verdict: VerdictName;
  /** What forced it, worst first; for `invisible`: empty. */
  readonly reasons: readonly VerdictReason[];
  /** What the simulated figures alone say: differs from `verdict` only where that is `inconclusive`. */
  readonly simulated: Exclude<VerdictName, "inconclusive">;
}

/** The thresholds, as printed under the tables. Source: the verdict rule of the agent page. */
export const VERDICT_THRESHOLDS = {
  invisibleNeighbourWaitSeconds: 1,
  invisibleOwnWaitSeconds: 3,
  invisibleLinkRatio: 0.8,
  visibleNeighbourWaitSeconds: 5,
  visibleDrainSeconds: 60,
} as const;
