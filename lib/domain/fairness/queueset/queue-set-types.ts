import type { DemandIntegrator } from "../demand/demand-integrator.ts";
import type { QueueSetConfig } from "./queue-set-config.ts";
import type { QueuedRequest } from "./request.ts";

/** What became of a request at its arrival. The reasons are those of `rejected_requests_total`. */
export type ArrivalResult = "executing" | "waiting" | "queue-full" | "concurrency-limit";

/** A panic of upstream's code, after which no server behaves as this does. */
export interface QueueSetCrash {
  readonly atNs: number;
  /** As a clause. */
  readonly reason: string;
}

export interface QueueSetOptions {
  readonly config: QueueSetConfig;
  readonly startNs: number;
  /** Called when a request starts to run, also from within `arrive`, once its state is "executing". */
  readonly onDispatch: (request: QueuedRequest) => void;
  /** Where the seat demand is noted: `LimitsController.demandOf`. Absent: an integrator of its own. */
  readonly demand?: DemandIntegrator | undefined;
}
