export interface CollapseRuleInput {
  /** Highest current limit that the level reaches, borrowing included. */
  readonly limitSeats: number;
  readonly seatsPerList: number;
  /** Work of one LIST alone on a core. */
  readonly cpuSecondsPerList: number;
  readonly cores: number;
  /** `--request-timeout`. */
  readonly deadlineSeconds: number;
  /** Copies that may ask at once; absent: any number. */
  readonly copies?: number | undefined;
}

export interface CollapseRuleAnswer {
  /** LISTs that the limit lets in together. */
  readonly executingAtOnce: number;
  /** How long each of them then takes. */
  readonly secondsPerList: number;
  /** All of them pass the deadline: they are aborted, start again, and none gets through. */
  readonly isPredicted: boolean;
}

/**
 * The rule of thumb: (current limit ÷ seats) × CPU of a LIST ÷ cores above the request deadline means that LISTs are let
 * in that cannot end in time. More seats make it worse: fewer LISTs at a time would drain. Watch-lists have no deadline.
 * That work grows with concurrency is not in it, so it is on the side of no collapse.
 */
export function applyCollapseRule({
  limitSeats,
  seatsPerList,
  cpuSecondsPerList,
  cores,
  deadlineSeconds,
  copies = Number.POSITIVE_INFINITY,
}: CollapseRuleInput): CollapseRuleAnswer {
  const executingAtOnce = Math.min(copies, Math.max(1, limitSeats / Math.max(1, seatsPerList)));
  const secondsPerList = cpuSecondsPerList * Math.max(1, executingAtOnce / cores);
  return { executingAtOnce, secondsPerList, isPredicted: secondsPerList > deadlineSeconds };
}
