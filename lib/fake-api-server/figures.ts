/** The request a flow makes, as debug dumps and request metrics describe it. */
export interface RequestShape {
  /** Lower case: `list`, `get`, `watch`, `patch`. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "cluster" | "namespace" | "resource" | "";
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

/** One flow on one server at one instant. Totals count since the server started. */
export interface FlowFigures {
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly userName: string;
  readonly shape: RequestShape;
  readonly seatsEach: number;
  readonly executingRequests: number;
  readonly waitingRequests: number;
  readonly dispatchedTotal: number;
  /** Of those dispatched, how many came through while the level was full, and waited long. */
  readonly dispatchedLateTotal: number;
  /** By reason; a reason that never occurred is absent. */
  readonly rejectedTotals: Readonly<Record<string, number>>;
  /** How long one request executes, about. */
  readonly executionSeconds: number;
}

export interface LevelFigures {
  readonly name: string;
  readonly type: "Exempt" | "Limited";
  /** 0 where the level has no queues (exempt, or it rejects). */
  readonly queues: number;
  readonly handSize: number;
  readonly nominalSeats: number;
  readonly lowerSeats: number;
  readonly upperSeats: number;
  readonly currentLimitSeats: number;
  readonly demand: {
    readonly highWatermark: number;
    readonly average: number;
    readonly stdev: number;
    readonly smoothed: number;
    readonly target: number;
  };
  readonly flows: readonly FlowFigures[];
}

export interface OpenWatches {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly scope: "cluster" | "namespace" | "resource";
  readonly open: number;
}

/** Everything one API server knows of itself at one instant. Metrics, dumps and history are made of this alone. */
export interface ServerFigures {
  readonly at: number;
  readonly startedAt: number;
  readonly cpuSecondsTotal: number;
  readonly residentMemoryBytes: number;
  /** Cores that it may use; `null`: it publishes none. */
  readonly cores: number | null;
  readonly openFds: number;
  readonly goroutines: number;
  /** Size of the etcd database file. */
  readonly storageBytes: number;
  readonly seatFairFrac: number;
  /** Sorted by name. */
  readonly levels: readonly LevelFigures[];
  readonly watches: readonly OpenWatches[];
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export const executingSeatsOf = (level: LevelFigures) =>
  sum(level.flows.map((flow) => flow.executingRequests * flow.seatsEach));
export const executingRequestsOf = (level: LevelFigures) => sum(level.flows.map((f) => f.executingRequests));
export const waitingRequestsOf = (level: LevelFigures) =>
  sum(level.flows.map((flow) => flow.waitingRequests));
export const dispatchedTotalOf = (level: LevelFigures) =>
  sum(level.flows.map((flow) => flow.dispatchedTotal));
export const rejectedTotalOf = (level: LevelFigures) =>
  sum(level.flows.flatMap((flow) => Object.values(flow.rejectedTotals)));
