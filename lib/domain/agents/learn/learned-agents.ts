import type { Agent, AgentInformer } from "../agent.ts";
import type { WorkloadGuess } from "./workload-of-pods.ts";

/** Instants in milliseconds since the epoch; `null` where the log has no times. */
export interface TimeRange {
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** Requests by HTTP status, sorted by it. */
export type CodeCounts = readonly { readonly code: number; readonly requests: number }[];

/** The time between two requests of one copy for the same thing, over all copies whose times were kept. */
export interface ObservedPeriod {
  readonly medianSeconds: number;
  /** One in ten is shorter, and one in ten longer. */
  readonly secondsP10: number;
  readonly secondsP90: number;
  readonly intervals: number;
  /** True where the middle half of them lies within half of the median: a timer rather than chance. */
  readonly isRegular: boolean;
}

/** Most requests within one second, and when; `null` where the log has no times. */
export interface ObservedPeak {
  readonly requestsPerSecond: number;
  readonly at: number;
}

/** How one thing was read, as counted. A request counts once, whatever its stages. */
export interface InformerObservation extends TimeRange {
  /** LISTs, further pages apart. */
  readonly lists: number;
  /** Requests with a `continue`. */
  readonly pages: number;
  readonly watches: number;
  /** Of the watches those that begin with all objects (`sendInitialEvents`). */
  readonly watchLists: number;
  readonly gets: number;
  /** LISTs by the resourceVersion they ask for. */
  readonly resourceVersions: { readonly zero: number; readonly unset: number; readonly exact: number };
  /** LISTs by limit, 0: none; most frequent first. */
  readonly limits: readonly { readonly limit: number; readonly requests: number }[];
  /** Copies that asked; at least, where there were more than are remembered. */
  readonly copies: number;
  readonly isCopiesAtLeast: boolean;
  /** Namespaces asked for; 0: the whole cluster. */
  readonly namespaces: number;
  /** Different nodes or objects that the field selector or path named; 0: none. */
  readonly names: number;
  /** LISTs beyond the first of each copy. */
  readonly relists: number;
  /** 410 Gone: a resourceVersion or `continue` that had expired. */
  readonly expired: number;
  /** 429 Too Many Requests. */
  readonly throttled: number;
  readonly codes: CodeCounts;
  /** `null`: too few requests of one copy to tell. */
  readonly period: ObservedPeriod | null;
  readonly peak: ObservedPeak | null;
  readonly peakOfOneCopy: ObservedPeak | null;
  /** From arrival to the last byte of LISTs and GETs; `null`: no times. */
  readonly durationSecondsP50: number | null;
  readonly durationSecondsP99: number | null;
  /** Longest wait in a queue of API Priority and Fairness that was annotated, which only slow requests are; `null`: none. */
  readonly queueWaitSecondsMax: number | null;
}

/** An informer with how it was observed. */
export interface LearnedInformer extends AgentInformer {
  readonly observed: InformerObservation;
}

/** Requests that are no reads of an informer, by what they are; most frequent first. */
export interface ObservedRequests {
  /** `update leases.coordination.k8s.io`, `get /healthz`. */
  readonly what: string;
  readonly requests: number;
}

/** The same request by one copy many times within a second, or refused and sent again. */
export interface ObservedLoop {
  /** `list pods`, `get configmaps`. */
  readonly what: string;
  readonly requestsPerSecond: number;
  readonly at: number;
  /** Seconds of the log in which a copy sent more than ten. */
  readonly seconds: number;
}

export interface AgentObservation extends TimeRange {
  /** The program of its user agent, without the version; with the user that is what an agent is told by. */
  readonly family: string;
  /** Each counted once, whatever its stages. */
  readonly requests: number;
  /** Over the time from the first event of the log to the last; `null` where that is under a second or not known. */
  readonly requestsPerSecond: number | null;
  /** By which copies are told apart: pods and nodes where tokens and users name them, else addresses. */
  readonly copiesBy: "pod" | "node" | "address";
  readonly copies: number;
  readonly isCopiesAtLeast: boolean;
  /** As sent, most frequent first, at most eight. */
  readonly userAgents: readonly string[];
  /** What its pods' names point to; `null`: nothing, or several things. */
  readonly workload: WorkloadGuess | null;
  /** Makers of its client library, for people: `client-go`, `not known`. */
  readonly make: string;
  readonly codes: CodeCounts;
  readonly throttled: number;
  readonly throttledPeak: ObservedPeak | null;
  readonly loops: readonly ObservedLoop[];
  readonly writes: readonly ObservedRequests[];
  /** GETs of single objects without a period, subresources, and what is no resource. */
  readonly others: readonly ObservedRequests[];
  /** Of its requests those made for somebody else, whose name it then bears. */
  readonly impersonated: number;
  /** True where a copy was seen to start and was then followed: what it was not seen to read, it does not read. */
  readonly isComplete: boolean;
}

/** An agent as the log shows it. */
export interface LearnedAgent extends Agent {
  readonly informers: readonly LearnedInformer[];
  readonly observed: AgentObservation;
  /** What else is to be known, whole sentences. */
  readonly notes: readonly string[];
}

/** All that was learned from one log. */
export interface LearnedAgents extends TimeRange {
  /** Those who list most first. */
  readonly agents: readonly LearnedAgent[];
  readonly requests: number;
  /** Events that only announce a request (`RequestReceived`) or end one that was counted when it started. */
  readonly otherEvents: number;
  /** What went beyond the bounds of memory: counted, but not learned from. */
  readonly beyond: {
    /** Requests of users and user agents beyond the most that are told apart. */
    readonly agentRequests: number;
    /** Requests for things beyond the most that are told apart. */
    readonly readRequests: number;
  };
}
