import { dumpQueueSet, type QueueSetDump } from "../../fairness/queueset/dump-queue-set.ts";
import { toSeconds } from "../../rollout/ticks.ts";
import type { StormSimulation } from "../simulate-storm.ts";

/** The whole state of a storm at a moment. */
export interface StormDump {
  readonly seconds: number;
  readonly events: number;
  readonly requests: number;
  readonly copies: {
    readonly all: number;
    readonly started: number;
    readonly synced: number;
    readonly done: number;
  };
  readonly servers: readonly {
    readonly name: string;
    readonly isDown: boolean;
    /** Requests of the storm that wait or run here. */
    readonly stormRequests: number;
    readonly longJobs: number;
    readonly smallJobs: number;
    readonly transfers: number;
    readonly levels: readonly {
      readonly name: string;
      readonly limitSeats: number;
      readonly queueSet: QueueSetDump;
    }[];
  }[];
}

export function dumpStorm(storm: StormSimulation): StormDump {
  const { clients } = storm;
  return {
    seconds: toSeconds(storm.now),
    events: storm.events,
    requests: storm.requests,
    copies: { all: clients.copies, started: storm.started, synced: clients.synced, done: clients.done },
    servers: storm.servers.map((server) => ({
      name: server.input.name,
      isDown: server.isDown,
      stormRequests: server.stormRequests,
      longJobs: server.processor.longJobs,
      smallJobs: server.processor.smallJobs,
      transfers: server.link?.transfers ?? 0,
      levels: [...server.levels.values()].map((level) => ({
        name: level.name,
        limitSeats: level.limit,
        queueSet: dumpQueueSet(level.queueSet),
      })),
    })),
  };
}
