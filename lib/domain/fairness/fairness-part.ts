export interface WaitP99 {
  readonly seconds: number;
  /** True where the value lies in the last, open bucket: it is a lower bound. */
  readonly isAtLeast: boolean;
  /** Length of the window over which the histogram's increase was taken. */
  readonly windowSeconds: number;
}

/**
 * One priority level on one API server, as its metrics say. `null` means that this server does not publish the
 * figure (version or level type), never zero. There is no figure over several servers.
 */
export interface LevelSample {
  readonly priorityLevelName: string;
  readonly nominalSeats: number | null;
  readonly minSeats: number | null;
  /** A setting of the API, not capacity: never shown as such. */
  readonly maxSeats: number | null;
  readonly currentLimitSeats: number | null;
  readonly executingSeats: number | null;
  readonly executingRequests: number | null;
  readonly waitingRequests: number | null;
  readonly waitingSeats: number | null;
  readonly demandSeatsSmoothed: number | null;
  /**
   * Counters since the server started, by reason (`queue-full`, `time-out`, `concurrency-limit`, `cancelled`); one that
   * never occurred is absent. Source: apiserver pkg/util/flowcontrol/metrics, v1.34.
   */
  readonly rejectedTotal: Readonly<Record<string, number>>;
  readonly dispatchedTotal: number | null;
  /** Rates since the scrape before; `null` at the first scrape and after a restart of the server. */
  readonly rejectedPerSecond: number | null;
  readonly dispatchedPerSecond: number | null;
  readonly waitP99: WaitP99 | null;
}

/** One flow of a level on one server, summed from `dump_requests`. */
export interface FlowSample {
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly executingRequests: number;
  readonly executingSeats: number;
  readonly waitingRequests: number;
  readonly waitingSeats: number;
  /** Queues in which its requests wait or waited for dispatch, sorted; empty where the level has none. */
  readonly queues: readonly number[];
  readonly longestWaitSeconds: number | null;
  /** Distinct `verb resource` of its requests, most frequent first, at most 3; empty without request details. */
  readonly requestKinds: readonly string[];
}

export interface ServerFairness {
  readonly serverId: string;
  readonly observedAt: number;
  /** False where APF is off on this server or its metrics hold nothing of it. */
  readonly isEnabled: boolean;
  /** Sorted by priority level name. */
  readonly levels: readonly LevelSample[];
  /** `null` where `dump_requests` was not read (then `notRead` of the part says why). Sorted by seats, then waiting. */
  readonly flows: readonly FlowSample[] | null;
  readonly flowsObservedAt: number | null;
}

/** The spec of a PriorityLevelConfiguration, in the field names of flowcontrol.apiserver.k8s.io/v1. */
export interface PriorityLevelObject {
  readonly name: string;
  readonly type: "Exempt" | "Limited";
  readonly nominalConcurrencyShares: number | null;
  readonly lendablePercent: number | null;
  readonly borrowingLimitPercent: number | null;
  readonly limitResponse: "Queue" | "Reject" | null;
  readonly queues: number | null;
  readonly handSize: number | null;
  readonly queueLengthLimit: number | null;
  /** Annotation `apf.kubernetes.io/autoupdate-spec`. */
  readonly autoupdateSpec: string | null;
  readonly generation: number | null;
  /** Who wrote it, from `managedFields`, sorted; absent where nothing is known of them. */
  readonly managers?: readonly string[] | undefined;
}

export interface FlowSchemaObject {
  readonly name: string;
  readonly matchingPrecedence: number;
  readonly priorityLevelName: string;
  readonly distinguisherMethod: "ByUser" | "ByNamespace" | null;
  /** `spec.rules` as the API gives it, validated only as JSON: the matcher parses it. */
  readonly rules: readonly unknown[];
  readonly autoupdateSpec: string | null;
  readonly isDangling: boolean;
  readonly generation: number | null;
  /** As for a priority level. */
  readonly managers?: readonly string[] | undefined;
}

export interface FairnessPart {
  readonly servers: readonly ServerFairness[];
  /** `null` where the configuration was not read. Sorted by name. */
  readonly priorityLevels: readonly PriorityLevelObject[] | null;
  /** Sorted by matchingPrecedence, then name: the order in which the API server tries them. */
  readonly flowSchemas: readonly FlowSchemaObject[] | null;
  readonly configurationReadAt: number | null;
  /** API version that answered, e.g. `flowcontrol.apiserver.k8s.io/v1`. */
  readonly configurationApiVersion: string | null;
}
