import type { Representation } from "../agents/agent.ts";
import type { RejectionReason } from "../fairness/queueset/rejection-reason.ts";
import type { Verdict } from "./verdict.ts";

/** What one simulated storm did. Simulated throughout: no figure of it is measured. Plain data. */
export interface StormResult {
  readonly seed: number;
  readonly verdict: Verdict;
  readonly drain: StormDrain;
  /** One per API server, in the order of the input. */
  readonly servers: readonly StormServerResult[];
  /** Index of the server that the storm asked most of: it is drawn. */
  readonly busiestServer: number;
  /** One per agent, in the order of the input. */
  readonly agents: readonly StormAgentResult[];
  readonly totals: StormTotals;
  readonly peaks: StormPeaks;
  /** One per background flow over all servers, those of the agents' own levels first, then by wait; probes last. */
  readonly neighbours: readonly StormNeighbour[];
  /** Latency of exempt requests from arrival to answer, seconds; `null` where none came. */
  readonly exempt: {
    readonly p50Seconds: number;
    readonly p99Seconds: number;
    readonly maxSeconds: number;
  } | null;
  /** What the rule of thumb says of each level that the agents use, worst first. */
  readonly collapse: readonly CollapseEstimate[];
  /** What the work of the LISTs was reckoned with, one per resource, form and source; sorted. */
  readonly coefficients: readonly UsedCoefficients[];
  /** What was assumed, one sentence each: of the cluster, of the agents, of the run. */
  readonly assumptions: readonly string[];
}

/** `drained`: every copy has its initial state and its watches. `collapse`: LISTs end at the deadline again and again. */
export interface StormDrain {
  readonly outcome: "drained" | "collapse" | "never-drains";
  /** From the begin until the last copy has all; `null`: not within the time looked at. */
  readonly seconds: number | null;
  /** The same counted from the start of the last copy: what the storm adds to the pace of a rollout. */
  readonly afterLastStartSeconds: number | null;
  /** Until all copies have their initial state, watches not counted; `null` as above. */
  readonly listedSeconds: number | null;
  /** Until half of the copies have theirs; `null`: fewer than half got it. */
  readonly halfSeconds: number | null;
  /** When the last copy started. */
  readonly lastStartSeconds: number;
  readonly copies: number;
  readonly copiesDone: number;
  /** Why it does not drain, one sentence; `null` where it does. */
  readonly why: string | null;
  /** Until when it was simulated. */
  readonly simulatedSeconds: number;
}

/** Of equal length, one value a step; the step starts at index × stepSeconds. */
export interface StormServerResult {
  readonly name: string;
  readonly stepSeconds: number;
  /** Levels that anything came to, sorted by name. */
  readonly levels: readonly StormLevelSeries[];
  /** Answers that clients of the storm got: 429 and then another attempt, in the step. */
  readonly retries: readonly number[];
  /** Sent on the link, mean over the step. */
  readonly bytesPerSecond: readonly number[];
  /** Likely size of the process: it grows with what executes and does not shrink within a storm. */
  readonly memoryBytes: readonly number[];
  /** Cores in use, mean over the step. */
  readonly busyCores: readonly number[];
  readonly peaks: StormPeaks;
  /** What was there to have. */
  readonly cores: number;
  readonly linkBytesPerSecond: number | null;
  readonly memoryLimitBytes: number | null;
}

export interface StormLevelSeries {
  readonly priorityLevelName: string;
  readonly isExempt: boolean;
  readonly nominalSeats: number;
  /** Current limit at the end of the step; 0 throughout for the exempt level, which has none. */
  readonly limitSeats: readonly number[];
  /** Highest within the step. */
  readonly executingSeats: readonly number[];
  readonly executingRequests: readonly number[];
  readonly waitingRequests: readonly number[];
  /** In the step, by reason; a reason that never occurs is absent. */
  readonly rejected: Readonly<Partial<Record<RejectionReason, readonly number[]>>>;
}

export type Rejections = Readonly<Partial<Record<RejectionReason, number>>>;

export interface StormAgentResult {
  readonly id: string;
  readonly copies: number;
  readonly copiesDone: number;
  /** LISTs and WATCHes that the agent had to get through, pages counted each. */
  readonly calls: number;
  /** Requests sent, retries included. */
  readonly requests: number;
  /** LISTs and WatchLists sent ÷ those that ended well; `null` where none ended well. */
  readonly attemptsPerList: number | null;
  readonly rejected: Rejections;
  /** Aborted at the request deadline. */
  readonly timeouts: number;
  /** Refused connections, lost streams. */
  readonly failures: number;
  /** Processes that ended because their caches were not filled in time. */
  readonly restarts: number;
  /** From the start of a copy until it has all its initial state; `null` where no copy has. */
  readonly syncSeconds: StormSpread | null;
  /** Time in queues of its requests, rejected ones included; `null` where none came to a queue. */
  readonly waitSeconds: StormSpread | null;
  readonly bytes: number;
}

export interface StormSpread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Over all servers and agents; background not counted. */
export interface StormTotals {
  readonly copies: number;
  readonly requests: number;
  readonly lists: number;
  readonly watches: number;
  readonly watchLists: number;
  readonly handshakes: number;
  /** Requests after a 429, 5xx or lost connection, by the REST client. */
  readonly retries: number;
  readonly rejected: Rejections;
  readonly rejectedAll: number;
  /** Of those, WATCHes: of copies that have their state and queue behind the LISTs of others. */
  readonly watchesRejected: number;
  /** LISTs aborted at the request deadline. */
  readonly timeouts: number;
  /** Received in answers that were complete. */
  readonly receivedBytes: number;
  /** Sent for answers that were aborted. */
  readonly wastedBytes: number;
  /** Core-seconds of LISTs that ended well, and of those that did not. */
  readonly usefulCpuSeconds: number;
  readonly wastedCpuSeconds: number;
  /** Rejected requests of others. */
  readonly neighboursRejected: number;
  /** Events that the simulation handled: what its own time is proportional to. */
  readonly events: number;
}

/** Highest values on any one API server. */
export interface StormPeaks {
  /** Of the level that the agents' most seats were in. */
  readonly executingSeats: number;
  readonly limitSeats: number;
  readonly executingRequests: number;
  readonly waitingRequests: number;
  /** The busiest window of `LINK_WINDOW_SECONDS`. */
  readonly bytesPerSecond: number;
  /** That ÷ the link; `null` where the link is not known. */
  readonly linkRatio: number | null;
  readonly memoryBytes: number;
  readonly memoryLowBytes: number;
  readonly memoryHighBytes: number;
  readonly retryAfterSeconds: number;
}

export interface StormNeighbour {
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  /** It waits in a level that the agents use. */
  readonly sharesLevel: boolean;
  /** It is a probe of the simulation, not a flow that was measured. */
  readonly isProbe: boolean;
  /** Queues of its hand that are in the agents' hands too; `null` where the level has no queues or each copy is a flow. */
  readonly queuesShared: number | null;
  readonly handSize: number | null;
  /** The agents' own flow: not a neighbour, but their steady load. */
  readonly isOwnFlow: boolean;
  readonly requests: number;
  /** Time in the queue, rejected ones included; `null` where none came. */
  readonly waitSecondsP50: number | null;
  readonly waitSecondsP99: number | null;
  readonly rejected: Rejections;
  readonly rejectedAll: number;
}

/** (Current limit ÷ seats) × CPU of a LIST ÷ cores against the request deadline, for the dearest LIST of a level. */
export interface CollapseEstimate {
  readonly priorityLevelName: string;
  readonly resource: string;
  /** Highest current limit that the level had in the storm. */
  readonly limitSeats: number;
  readonly seatsPerList: number;
  readonly executingAtOnce: number;
  readonly secondsPerList: number;
  readonly deadlineSeconds: number;
  readonly isPredicted: boolean;
}

/** A service time that the simulation used, with what is known of it. */
export interface UsedCoefficients {
  /** `pods`, `endpointslices.discovery.k8s.io`. */
  readonly resource: string;
  readonly representation: Representation;
  /** Alone on a core, as the first LIST asks for it. */
  readonly secondsPerList: number;
  readonly errorRatio: number;
  readonly provenance: string;
  /** `null`: a default, not measured on this cluster. */
  readonly calibratedAt: number | null;
}
