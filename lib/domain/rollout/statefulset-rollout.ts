import { type ClientRate, ClientRateLimit } from "./client-rate-limit.ts";
import { EventClock } from "./event-clock.ts";
import {
  type PodDurations,
  type Spread,
  spreadTicks,
  startingSeconds,
  stoppingSeconds,
} from "./pod-durations.ts";
import type { ReplicaRolloutOutcome } from "./rollout-outcome.ts";
import { runToEnd } from "./run-to-end.ts";
import { sendSlowStart } from "./slow-start.ts";
import { decideStatefulSet, type ReplicaState, type StatefulSetLimits } from "./statefulset-step.ts";
import { type Tick, toSeconds, toTicks } from "./ticks.ts";

/** Most pods in one batch of a Parallel set's slow start. */
const MAX_BATCH = 500;

export interface StatefulSetRolloutInput {
  /** By ordinal. */
  readonly replicas: readonly ReplicaState[];
  readonly limits: StatefulSetLimits;
  readonly minReadySeconds: number;
  readonly durations: PodDurations;
  readonly newPods: "healthy" | "never-ready";
  readonly client: ClientRate;
  readonly requestSeconds: number;
  readonly spread?: Spread;
  readonly limitSeconds: number;
}

type EventKind = "sync-end" | "deleted" | "gone" | "created" | "ready" | "available";
interface Event {
  readonly kind: EventKind;
  /** -1 for the controller's own. */
  readonly ordinal: number;
}

/**
 * A StatefulSet's update from its first sync to its end: each sync decides as `decideStatefulSet` does, its calls wait for
 * the tokens of the controller's client (deletions one after the other), and pods take their time. Ordinals below the
 * partition stay old; a pod of theirs that is missing comes back old. Watch events arrive at once, and no call fails.
 */
export class StatefulSetRollout {
  readonly #input: StatefulSetRolloutInput;
  readonly #clock = new EventClock<Event>();
  readonly #client: ClientRateLimit;
  readonly #states: ReplicaState[];
  readonly #startTicks: Tick[] = [];
  #isSyncing = false;
  #isQueued = true;
  #availableMin: number;

  constructor(input: StatefulSetRolloutInput) {
    this.#input = input;
    this.#client = new ClientRateLimit(input.client);
    this.#states = [...input.replicas];
    for (const [ordinal, state] of this.#states.entries()) {
      if (state === "terminating") this.#after(stoppingSeconds(input.durations), "gone", ordinal);
    }
    this.#availableMin = this.#available();
    this.#maybeSync();
  }

  get now(): Tick {
    return this.#clock.now;
  }

  /** Handles the next event; `false` where nothing is left to happen. */
  step(): boolean {
    const event = this.#clock.next();
    if (event === null) return false;
    this.#handle(event);
    this.#availableMin = Math.min(this.#availableMin, this.#available());
    this.#maybeSync();
    return true;
  }

  run(): ReplicaRolloutOutcome {
    const ending = runToEnd({
      clock: this.#clock,
      limitSeconds: this.#input.limitSeconds,
      findEnd: () => (this.#isComplete() ? "complete" : null),
      step: () => this.step(),
    });
    return this.#outcome(ending);
  }

  /** State at this moment, for drawing and debugging. */
  dump() {
    return {
      seconds: toSeconds(this.now),
      replicas: [...this.#states],
      controller: {
        isSyncing: this.#isSyncing,
        isQueued: this.#isQueued,
        tokens: this.#client.tokens(this.now),
      },
      pending: this.#clock
        .pending()
        .map(({ tick, event }) => ({ seconds: toSeconds(tick), kind: event.kind, ordinal: event.ordinal })),
    };
  }

  #handle({ kind, ordinal }: Event): void {
    const { durations, minReadySeconds } = this.#input;
    if (kind === "sync-end") {
      this.#isSyncing = false;
      return;
    }
    this.#isQueued = true;
    switch (kind) {
      case "deleted":
        this.#states[ordinal] = "terminating";
        this.#after(stoppingSeconds(durations), "gone", ordinal);
        return;
      case "gone":
        this.#states[ordinal] = "missing";
        return;
      case "created":
        this.#startTicks.push(this.now);
        this.#states[ordinal] = `${this.#template(ordinal)}-not-ready`;
        if (this.#input.newPods === "healthy" || this.#template(ordinal) === "old") {
          this.#after(startingSeconds(durations), "ready", ordinal);
        }
        return;
      case "ready":
        if (minReadySeconds === 0) this.#states[ordinal] = `${this.#template(ordinal)}-available`;
        else {
          this.#states[ordinal] = `${this.#template(ordinal)}-ready`;
          // The controller looks again a second after the pod could be available.
          this.#clock.schedule(this.now + toTicks(minReadySeconds + 1), { kind: "available", ordinal });
        }
        return;
      case "available":
        this.#states[ordinal] = `${this.#template(ordinal)}-available`;
        return;
      default: {
        const never: never = kind;
        throw new Error(`unknown event ${String(never)}`);
      }
    }
  }

  #maybeSync(): void {
    if (this.#isSyncing || !this.#isQueued || this.#clock.nextTick === this.now) return;
    this.#isQueued = false;
    this.#isSyncing = true;
    const { created, deleted } = decideStatefulSet(this.#states, this.#input.limits);
    const request = toTicks(this.#input.requestSeconds);
    const creations = {
      count: created.length,
      from: this.now,
      requestTicks: request,
      maxBatch: MAX_BATCH,
    };
    let done = sendSlowStart(creations, this.#client, (tick, index) =>
      this.#clock.schedule(tick, { kind: "created", ordinal: created[index] ?? 0 }),
    );
    for (const ordinal of deleted) {
      done = this.#client.take(done) + request;
      this.#clock.schedule(done, { kind: "deleted", ordinal });
    }
    // Its status, which every sync but the first of an idle set changes.
    done = this.#client.take(done) + request;
    this.#clock.schedule(done, { kind: "sync-end", ordinal: -1 });
  }

  #template(ordinal: number): "old" | "new" {
    return ordinal < this.#input.limits.partition ? "old" : "new";
  }

  #after(seconds: number, kind: EventKind, ordinal: number): void {
    this.#clock.schedule(this.now + spreadTicks(seconds, this.#input.spread), { kind, ordinal });
  }

  #available(): number {
    return this.#states.reduce((sum, state) => sum + (state.endsWith("-available") ? 1 : 0), 0);
  }

  #isComplete(): boolean {
    return this.#states.every((state, ordinal) => state === `${this.#template(ordinal)}-available`);
  }

  #outcome(kind: ReplicaRolloutOutcome["kind"]): ReplicaRolloutOutcome {
    return {
      kind,
      // The last event lies before the limit by as much as the next one is late.
      seconds: kind === "time-limit" ? this.#input.limitSeconds : toSeconds(this.now),
      started: this.#startTicks.length,
      oldLeft: this.#states.filter((state) => state.startsWith("old-")).length,
      availableMin: this.#availableMin,
      podsMax: this.#states.length,
      calls: this.#client.calls,
      startTicks: this.#startTicks,
    };
  }
}
