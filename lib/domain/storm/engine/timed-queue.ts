import type { Tick } from "../../rollout/ticks.ts";
import type { StormRequest } from "./storm-request.ts";

/** Requests with a time limit that is the same for all of them: first come, first due. */
export class TimedQueue {
  readonly #limit: Tick;
  readonly #isDue: (request: StormRequest) => boolean;
  #requests: StormRequest[] = [];
  #head = 0;

  /** `isDue`: what the limit still concerns; others are passed over. */
  constructor(limit: Tick, isDue: (request: StormRequest) => boolean) {
    this.#limit = limit;
    this.#isDue = isDue;
  }

  push(request: StormRequest): void {
    this.#requests.push(request);
  }

  /** Tick at which the first request's time is over; infinite where there is none. */
  get nextTick(): Tick {
    for (let first = this.#requests[this.#head]; first !== undefined; first = this.#requests[this.#head]) {
      if (this.#isDue(first)) return first.receivedAt + this.#limit;
      this.#drop();
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The first request, taken out. */
  take(): StormRequest | null {
    const first = this.#requests[this.#head] ?? null;
    if (first !== null) this.#drop();
    return first;
  }

  #drop(): void {
    this.#head++;
    // What was passed over is let go of now and then.
    if (this.#head > 1024 && 2 * this.#head > this.#requests.length) {
      this.#requests = this.#requests.slice(this.#head);
      this.#head = 0;
    }
  }
}
