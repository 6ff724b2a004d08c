import { EventClock } from "../rollout/event-clock.ts";
import { type Tick, toSeconds, toTicks } from "../rollout/ticks.ts";
import { Reflector, type ReflectorCommand, type ReflectorOptions, type ReflectorState } from "./reflector.ts";
import type { ReflectorRequest } from "./reflector-request.ts";
import type { RequestAnswer, StreamEvent } from "./server-answer.ts";
import { playScript, type ScriptedAnswer, type ServerScript, timeAnswer } from "./server-script.ts";

export interface ReflectorSimulationOptions extends ReflectorOptions {
  /** A script, or a function that answers each request. */
  readonly server: ServerScript | ((request: ReflectorRequest, atSeconds: number) => ScriptedAnswer);
  /** Seconds from a request to its answer; 0 where absent. */
  readonly answerSeconds?: number | undefined;
}

/** A request that was sent, and what it got. */
export interface SentRequest extends ReflectorRequest {
  readonly atSeconds: number;
  readonly response: ScriptedAnswer;
}

export interface ReflectorDump {
  readonly nowSeconds: number;
  readonly reflector: ReflectorState;
  readonly requests: number;
  /** What waits, in order. */
  readonly pending: readonly { readonly atSeconds: number; readonly what: string }[];
}

const MAX_REQUESTS = 100_000;

type SimulationEvent =
  | { readonly kind: "woke" }
  | {
      readonly kind: "answered";
      readonly answer: RequestAnswer;
      readonly events: ReturnType<typeof timeAnswer>["events"];
    }
  | { readonly kind: "streamed"; readonly stream: number; readonly event: StreamEvent };

/**
 * One reflector against a server on a clock of whole microseconds. Equal options and equal random numbers give equal
 * requests at equal instants.
 */
export class ReflectorSimulation {
  readonly #clock = new EventClock<SimulationEvent>();
  readonly #reflector: Reflector;
  readonly #server: (request: ReflectorRequest, atSeconds: number) => ScriptedAnswer;
  readonly #answerTicks: Tick;
  readonly #requests: SentRequest[] = [];
  #stream = 0;
  #hasStarted = false;

  constructor(options: ReflectorSimulationOptions) {
    this.#reflector = new Reflector(options, 0);
    this.#server = typeof options.server === "function" ? options.server : playScript(options.server);
    this.#answerTicks = toTicks(options.answerSeconds ?? 0);
  }

  get requests(): readonly SentRequest[] {
    return this.#requests;
  }

  /**
   * Plays all that comes up to `seconds`, but no more than `maxRequests` requests in all: a watch that the server closes
   * at once after an event is opened again without any wait.
   */
  runUntil(seconds: number, maxRequests: number = MAX_REQUESTS): readonly SentRequest[] {
    const end = toTicks(seconds);
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#carryOut(this.#reflector.start(0), 0);
    }
    while (this.#requests.length < maxRequests) {
      const next = this.#clock.nextTick;
      if (next === null || next > end) break;
      const event = this.#clock.next();
      if (event !== null) this.#play(event, this.#clock.now);
    }
    return this.#requests;
  }

  dump(): ReflectorDump {
    return {
      nowSeconds: toSeconds(this.#clock.now),
      reflector: this.#reflector.state,
      requests: this.#requests.length,
      pending: this.#clock
        .pending()
        .filter(({ event }) => event.kind !== "streamed" || event.stream === this.#stream)
        .map(({ tick, event }) => ({ atSeconds: toSeconds(tick), what: describeEvent(event) })),
    };
  }

  #play(event: SimulationEvent, now: Tick): void {
    switch (event.kind) {
      case "woke":
        this.#carryOut(this.#reflector.woke(now), now);
        break;
      case "streamed":
        // What is left of a stream that the reflector gave up is not heard any more.
        if (event.stream === this.#stream) this.#carryOut(this.#reflector.streamed(event.event, now), now);
        break;
      case "answered": {
        this.#stream += 1;
        for (const { after, event: streamed } of event.events) {
          this.#clock.schedule(now + after, { kind: "streamed", stream: this.#stream, event: streamed });
        }
        this.#carryOut(this.#reflector.answered(event.answer, now), now);
      }
    }
  }

  #carryOut(command: ReflectorCommand, now: Tick): void {
    switch (command.kind) {
      case "stream":
        break;
      case "wait":
        this.#stream += 1;
        this.#clock.schedule(command.until, { kind: "woke" });
        break;
      case "send": {
        this.#stream += 1;
        const atSeconds = toSeconds(now);
        const response = this.#server(command.request, atSeconds);
        this.#requests.push({ ...command.request, atSeconds, response });
        this.#clock.schedule(now + this.#answerTicks, { kind: "answered", ...timeAnswer(response) });
      }
    }
  }
}

function describeEvent(event: SimulationEvent): string {
  switch (event.kind) {
    case "woke":
      return "wait ends";
    case "answered":
      return `answer: ${event.answer.kind}`;
    case "streamed":
      return `stream: ${event.event.kind}`;
  }
}
