import { Flow } from "../../fairness/queueset/request.ts";
import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";
import type { StormBackground } from "../storm-input.ts";
import type { StormModel } from "../storm-model.ts";
import { WATCH } from "./compact-reflector.ts";
import type { RequestShape } from "./request-shape.ts";
import { TickSamples } from "./tick-samples.ts";

/** A background flow, with what became of its requests on all servers. */
export class BackgroundFlowState {
  readonly input: StormBackground;
  readonly isProbe: boolean;
  readonly flow: Flow;
  readonly shape: RequestShape;
  readonly waits = new TickSamples();
  readonly latencies = new TickSamples();
  readonly rejected = new Map<string, number>();
  requests = 0;

  constructor(input: StormBackground, isProbe: boolean, model: StormModel) {
    this.input = input;
    this.isProbe = isProbe;
    this.flow = new Flow(input.flowSchemaName, input.flowDistinguisher);
    this.shape = shapeOf(input, model);
  }
}

/** Its arrivals on one server: at random, at the rate that was measured. */
export class BackgroundSource {
  readonly flow: BackgroundFlowState;
  readonly server: number;
  readonly #random: () => number;
  #meanTicks: number;
  /** Nothing comes while nothing of the storm is on the server. */
  isAsleep = true;

  constructor(flow: BackgroundFlowState, server: number, random: () => number) {
    this.flow = flow;
    this.server = server;
    this.#random = random;
    this.#meanTicks = TICKS_PER_SECOND / flow.input.requestsPerSecond;
  }

  /** A server is gone, and what came to it comes here in part. */
  scale(by: number): void {
    this.#meanTicks /= by;
  }

  /** Ticks until the next one. */
  gap(): Tick {
    return Math.max(1, Math.round(-Math.log(1 - this.#random()) * this.#meanTicks));
  }
}

/** A request of several seats is work; one of a single seat is a small request and waits for others the rest of its time. */
function shapeOf(input: StormBackground, model: StormModel): RequestShape {
  const { seats, serviceSeconds } = input;
  const cpuSeconds =
    input.cpuSeconds ?? (seats > 1 ? serviceSeconds : Math.min(serviceSeconds, model.requestSeconds));
  return {
    verb: WATCH,
    priorityLevelName: input.priorityLevelName,
    flowSchemaName: input.flowSchemaName,
    flowDistinguisher: input.flowDistinguisher,
    seats,
    cpuSeconds,
    idleSeconds: Math.max(0, serviceSeconds - cpuSeconds),
    isSmall: cpuSeconds <= model.schedulerQuantumSeconds,
    wireBytes: 0,
    isStreamed: true,
    hasDeadline: false,
    heldBytes: { low: 0, likely: 0, high: 0 },
    pages: 1,
    isRefused: false,
    coefficients: null,
  };
}
