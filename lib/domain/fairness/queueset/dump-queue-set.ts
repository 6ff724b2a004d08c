import type { QueueSet } from "./queue-set.ts";
import type { QueueSetConfig } from "./queue-set-config.ts";
import type { QueuedRequest, RequestState } from "./request.ts";
import { formatSeatSeconds, unwind } from "./seat-seconds.ts";

export interface RequestDump {
  readonly id: number;
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly state: RequestState;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyNs: number;
  readonly arrivedAtNs: number;
  /** `null` while it waits. */
  readonly startedAtNs: number | null;
}

export interface QueueDump {
  readonly index: number;
  /** As upstream prints it, e.g. `12.00300000ss`; the last reading where nothing waits or runs. */
  readonly nextDispatchR: string;
  readonly executingRequests: number;
  readonly seatsInUse: number;
  /** Sums over the waiting requests. */
  readonly waitingInitialSeats: number;
  readonly waitingSeats: number;
  readonly waitingWork: string;
  /** Oldest first. */
  readonly waiting: readonly RequestDump[];
  /** Running and lingering, in the order of their start. */
  readonly running: readonly RequestDump[];
}

export interface QueueSetDump {
  readonly atNs: number;
  readonly config: QueueSetConfig;
  readonly virtualTime: string;
  readonly waitingRequests: number;
  readonly waitingSeats: number;
  readonly executingRequests: number;
  readonly seatsInUse: number;
  readonly lastDispatchedQueue: number;
  readonly dispatches: number;
  readonly unaccommodated: number;
  /** All queues by index, idle ones included. */
  readonly queues: readonly QueueDump[];
  /** What runs or lingers without a queue of this list: on Reject and exempt levels, and from removed queues. */
  readonly queueless: readonly RequestDump[];
}

/** The whole state at this moment as plain values, for drawing and debugging; JSON keeps it as it is. */
export function dumpQueueSet(queueSet: QueueSet): QueueSetDump {
  const running = Map.groupBy(queueSet.running, (request) => request.queue);
  const listed = new Set(queueSet.queues);
  const { windBacks } = queueSet;
  return {
    atNs: queueSet.nowNs,
    config: queueSet.config,
    virtualTime: formatSeatSeconds(queueSet.virtualTime),
    waitingRequests: queueSet.waitingRequests,
    waitingSeats: queueSet.waitingSeats,
    executingRequests: queueSet.executingRequests,
    seatsInUse: queueSet.seatsInUse,
    lastDispatchedQueue: queueSet.lastDispatchedQueue,
    dispatches: queueSet.dispatches,
    unaccommodated: queueSet.unaccommodated,
    queues: queueSet.queues.map((queue) => ({
      index: queue.index,
      nextDispatchR: formatSeatSeconds(unwind(queue.nextDispatchR, queue.isActive ? windBacks : 0)),
      executingRequests: queue.executingRequests,
      seatsInUse: queue.seatsInUse,
      waitingInitialSeats: queue.waitingInitialSeats,
      waitingSeats: queue.waitingSeats,
      waitingWork: formatSeatSeconds(BigInt(queue.waitingWork)),
      waiting: [...queue.waiting].map(dumpRequest),
      running: (running.get(queue) ?? []).map(dumpRequest),
    })),
    queueless: [...running]
      .filter(([queue]) => queue === null || !listed.has(queue))
      .flatMap(([, requests]) => requests.map(dumpRequest)),
  };
}

function dumpRequest(request: QueuedRequest): RequestDump {
  return {
    id: request.id,
    flowSchemaName: request.flow.flowSchemaName,
    flowDistinguisher: request.flow.flowDistinguisher,
    state: request.state,
    initialSeats: request.initialSeats,
    finalSeats: request.finalSeats,
    additionalLatencyNs: request.additionalLatencyNs,
    arrivedAtNs: request.arrivedAtNs,
    startedAtNs: request.state === "waiting" ? null : request.startedAtNs,
  };
}
