import { type Flow, QueuedRequest } from "../../fairness/queueset/request.ts";
import type { Tick } from "../../rollout/ticks.ts";
import type { BackgroundFlowState } from "./background-flows.ts";
import type { ClientReflector } from "./clients.ts";
import type { LongJob } from "./processor.ts";
import type { RequestShape } from "./request-shape.ts";
import type { Transfer } from "./shared-link.ts";

/** A request on an API server: of a reflector of the storm, or of a background flow. */
export class StormRequest extends QueuedRequest implements LongJob, Transfer {
  readonly shape: RequestShape;
  readonly background: BackgroundFlowState | null;
  /** Who waits for the answer; `null`: nobody, or nobody any more. */
  reflector: ClientReflector | null;
  readonly cpuSeconds: number;
  readonly wireBytes: number;
  /** When the API server has read it; before, when it was sent. */
  receivedAt: Tick;
  /** Of `cluster.servers`. */
  serverIndex = -1;
  /** Reading it, where that is part of serving it. */
  readSeconds = 0;
  dispatchedAt: Tick = -1;
  cpuEndsAt = 0;
  isCancelled = false;
  linkEndsAt = 0;
  isStopped = false;
  /** Of its answer, once it is over. */
  sentBytes = 0;
  isComputed = false;
  isSent = false;
  readonly sentAt: Tick;
  /** It has its answer, or the server is gone: timers pass it over. */
  isOver = false;

  constructor(
    id: number,
    flow: Flow,
    shape: RequestShape,
    sentAt: Tick,
    reflector: ClientReflector | null,
    background: BackgroundFlowState | null,
  ) {
    super(id, flow, { initialSeats: shape.seats, finalSeats: 0, additionalLatencyNs: 0 });
    this.shape = shape;
    this.cpuSeconds = shape.cpuSeconds;
    this.wireBytes = shape.wireBytes;
    this.sentAt = sentAt;
    this.receivedAt = sentAt;
    this.reflector = reflector;
    this.background = background;
  }
}
