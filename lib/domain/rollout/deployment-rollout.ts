import { type ClientRate, ClientRateLimit } from "./client-rate-limit.ts";
import { type DeploymentLimits, decideRollingDeployment } from "./deployment-step.ts";
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
import { type Tick, toSeconds, toTicks } from "./ticks.ts";

/** Most pods that one sync of the ReplicaSet controller creates or deletes. */
const REPLICA_SET_BURST = 500;

export interface DeploymentRolloutInput {
  readonly replicas: number;
  /** Old pods that are not available when the update begins, of `replicas`. */
  readonly oldUnavailable: number;
  readonly strategy:
    | { readonly kind: "rolling-update"; readonly limits: DeploymentLimits }
    | { readonly kind: "recreate" };
  readonly minReadySeconds: number;
  readonly durations: PodDurations;
  readonly newPods: "healthy" | "never-ready";
  /** Of the Deployment controller and of the ReplicaSet controller: a bucket each. */
  readonly client: ClientRate;
  readonly requestSeconds: number;
  readonly spread?: Spread;
  readonly limitSeconds: number;
}

type Controller = "deployment" | "old" | "new";
type Event =
  | { readonly kind: "end"; readonly of: Controller; readonly then: () => void }
  | { readonly kind: "do"; readonly then: () => void };

interface ReplicaSet {
  spec: number;
  /** Pods that are not terminating. */
  pods: number;
  available: number;
  /** What its status says: lags behind by a sync. */
  statusAvailable: number;
  /** Pods with a deletion timestamp whose object is there still. */
  terminating: number;
}

/**
 * A Deployment's update from its first sync to its end: the Deployment controller scales ReplicaSets, the ReplicaSet
 * controller creates (slow start, at most 500) and deletes pods and reports what is available; each waits for the tokens
 * of its own client. A rolling update does not wait for pods that terminate; Recreate does.
 *
 * Where it is simpler than the real thing: watch events arrive at once, no call fails, one old ReplicaSet, and of old pods
 * those that are not available are deleted first (the controller's order by phase and readiness comes to that).
 */
export class DeploymentRollout {
  readonly #input: DeploymentRolloutInput;
  readonly #clock = new EventClock<Event>();
  readonly #clients: { readonly deployment: ClientRateLimit; readonly replicaSets: ClientRateLimit };
  readonly #old: ReplicaSet;
  readonly #new: ReplicaSet = { spec: 0, pods: 0, available: 0, statusAvailable: 0, terminating: 0 };
  readonly #isQueued: Record<Controller, boolean> = { deployment: true, old: false, new: false };
  readonly #isBusy: Record<Controller, boolean> = { deployment: false, old: false, new: false };
  readonly #startTicks: Tick[] = [];
  #availableMin: number;
  #podsMax: number;

  constructor(input: DeploymentRolloutInput) {
    this.#input = input;
    this.#clients = {
      deployment: new ClientRateLimit(input.client),
      replicaSets: new ClientRateLimit(input.client),
    };
    const available = input.replicas - input.oldUnavailable;
    this.#old = {
      spec: input.replicas,
      pods: input.replicas,
      available,
      statusAvailable: available,
      terminating: 0,
    };
    this.#availableMin = available;
    this.#podsMax = input.replicas;
    this.#syncAll();
  }

  get now(): Tick {
    return this.#clock.now;
  }

  /** Handles the next event; `false` where nothing is left to happen. */
  step(): boolean {
    const event = this.#clock.next();
    if (event === null) return false;
    if (event.kind === "end") this.#isBusy[event.of] = false;
    event.then();
    this.#availableMin = Math.min(this.#availableMin, this.#old.available + this.#new.available);
    this.#podsMax = Math.max(this.#podsMax, this.#old.pods + this.#new.pods);
    this.#syncAll();
    return true;
  }

  run(): ReplicaRolloutOutcome {
    const isComplete = () => this.#old.pods === 0 && this.#new.statusAvailable === this.#input.replicas;
    const ending = runToEnd({
      clock: this.#clock,
      limitSeconds: this.#input.limitSeconds,
      findEnd: () => (isComplete() ? "complete" : null),
      step: () => this.step(),
    });
    return this.#outcome(ending);
  }

  /** State at this moment, for drawing and debugging. */
  dump() {
    return {
      seconds: toSeconds(this.now),
      old: { ...this.#old },
      new: { ...this.#new },
      queued: { ...this.#isQueued },
      syncing: { ...this.#isBusy },
      pending: this.#clock.waiting,
    };
  }

  #syncAll(): void {
    // What else happens at this very tick belongs to the same syncs.
    if (this.#clock.nextTick === this.now) return;
    for (const which of ["deployment", "old", "new"] as const) {
      if (!this.#isQueued[which] || this.#isBusy[which]) continue;
      this.#isQueued[which] = false;
      if (which === "deployment") this.#syncDeployment();
      else this.#syncReplicaSet(which);
    }
  }

  #syncDeployment(): void {
    const { replicas, strategy } = this.#input;
    const scale = (of: "old" | "new", to: number) => {
      const set = of === "old" ? this.#old : this.#new;
      // The scale and the Deployment's own status.
      const done = this.#call("deployment", 2);
      this.#busy("deployment", done, () => {
        set.spec = to;
        this.#isQueued[of] = true;
      });
    };
    if (strategy.kind === "recreate") {
      if (this.#old.spec > 0) scale("old", 0);
      else if (this.#old.pods + this.#old.terminating === 0 && this.#new.spec < replicas)
        scale("new", replicas);
      return;
    }
    const counts = {
      replicas,
      newSpec: this.#new.spec,
      newAvailable: this.#new.statusAvailable,
      oldSpec: this.#old.spec,
      oldAvailable: this.#old.statusAvailable,
    };
    const step = decideRollingDeployment(counts, strategy.limits);
    if (step.kind === "scale-new") scale("new", step.to);
    else if (step.kind === "scale-old") scale("old", step.to);
  }

  #syncReplicaSet(of: "old" | "new"): void {
    const set = of === "old" ? this.#old : this.#new;
    const request = toTicks(this.#input.requestSeconds);
    const missing = Math.min(REPLICA_SET_BURST, set.spec - set.pods);
    const creations = { count: Math.max(0, missing), from: this.now, requestTicks: request };
    let done = sendSlowStart(creations, this.#clients.replicaSets, (tick) =>
      this.#at(tick, () => this.#create(set)),
    );
    const surplus = Math.min(REPLICA_SET_BURST, set.pods - set.spec);
    for (let call = 0; call < surplus; call++) {
      done = this.#clients.replicaSets.take(this.now) + request;
      this.#at(done, () => this.#delete(set));
    }
    if (missing > 0 || surplus > 0 || set.statusAvailable !== set.available) {
      done = this.#clients.replicaSets.take(done) + request;
    }
    this.#busy(of, done, () => {
      if (set.statusAvailable !== set.available || missing > 0 || surplus > 0)
        this.#isQueued.deployment = true;
      set.statusAvailable = set.available;
      if (set.pods !== set.spec) this.#isQueued[of] = true;
    });
  }

  #create(set: ReplicaSet): void {
    set.pods++;
    this.#isQueued.new = true;
    this.#startTicks.push(this.now);
    if (this.#input.newPods === "never-ready") return;
    const { durations, minReadySeconds, spread } = this.#input;
    const ready = this.now + spreadTicks(startingSeconds(durations), spread);
    // The controller looks again a second after the pod could be available.
    const noticed = minReadySeconds === 0 ? ready : ready + toTicks(minReadySeconds + 1);
    this.#at(noticed, () => {
      set.available++;
      this.#isQueued.new = true;
    });
  }

  #delete(set: ReplicaSet): void {
    const unavailable = set.pods - set.available;
    set.pods--;
    if (unavailable === 0) set.available--;
    set.terminating++;
    this.#isQueued.old = true;
    this.#at(this.now + spreadTicks(stoppingSeconds(this.#input.durations), this.#input.spread), () => {
      set.terminating--;
      this.#isQueued.deployment = true;
    });
  }

  #call(of: "deployment", calls: number): Tick {
    let done = this.now;
    for (let call = 0; call < calls; call++) {
      done = this.#clients[of].take(done) + toTicks(this.#input.requestSeconds);
    }
    return done;
  }

  #busy(of: Controller, until: Tick, then: () => void): void {
    this.#isBusy[of] = true;
    this.#clock.schedule(until, { kind: "end", of, then });
  }

  #at(tick: Tick, then: () => void): void {
    this.#clock.schedule(tick, { kind: "do", then });
  }

  #outcome(kind: ReplicaRolloutOutcome["kind"]): ReplicaRolloutOutcome {
    return {
      kind,
      // The last event lies before the limit by as much as the next one is late.
      seconds: kind === "time-limit" ? this.#input.limitSeconds : toSeconds(this.now),
      started: this.#startTicks.length,
      oldLeft: this.#old.pods,
      availableMin: this.#availableMin,
      podsMax: this.#podsMax,
      calls: this.#clients.deployment.calls + this.#clients.replicaSets.calls,
      startTicks: this.#startTicks,
    };
  }
}
