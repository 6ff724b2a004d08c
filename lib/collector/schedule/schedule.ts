import type { PartName, PartOutcome } from "../../domain/clusters/part.ts";
import type { KubeClock } from "../../kube/index.ts";
import { changePace, duePartsAt, firstPlan, nextPassAt, type PartPlan, planNext } from "./plan-next.ts";
import { Slots } from "./slots.ts";

/** One cluster as the schedule sees it: something that can be read now and then. */
export interface ScheduledCluster {
  /** Changes when what has to be read changes. */
  readonly key: string;
  /**
   * One pass. The plan that follows from its outcomes is asked for with `plan` before anything is stored, so that the
   * store knows when the next attempt is.
   */
  pass(input: {
    readonly due: readonly PartName[];
    /** The pass before could not read anything. */
    readonly mustProbe: boolean;
    readonly isIncident: boolean;
    readonly signal: AbortSignal;
    readonly plan: (outcomes: readonly PartOutcome[]) => PartPlan;
  }): Promise<void>;
  isInIncident(clusterIds: ReadonlySet<string>): boolean;
  close(): Promise<void>;
}

/** Work that comes back on its own, one run at a time. */
export interface PeriodicJob {
  readonly name: string;
  readonly periodSeconds: number;
  /** Seconds until the first run. Default 0. */
  readonly firstAfterSeconds?: number;
  run(signal: AbortSignal): Promise<void>;
}

export interface ScheduleOptions {
  readonly clock: KubeClock;
  readonly random: () => number;
  /** The clusters to read now, by key. Called again and again. */
  readonly listClusters: () => Promise<ReadonlyMap<string, () => ScheduledCluster>>;
  /** Ids of clusters with an open incident page. */
  readonly listIncidentPace: (now: number) => Promise<readonly string[]>;
  readonly jobs: readonly PeriodicJob[];
  readonly limits?: Partial<ScheduleLimits>;
  readonly onError: (what: string, error: unknown) => void;
}

export interface ScheduleLimits {
  /** Passes at once over clusters that answer. They wait for networks far more than they compute. */
  readonly passes: number;
  /** Passes at once over clusters that did not answer the last time: they only wait, and in a line of their own. */
  readonly recoveringPasses: number;
  /** First passes are spread over so many seconds, fewer when there are few clusters. */
  readonly spreadSeconds: number;
  readonly syncSeconds: number;
}

const DEFAULT_LIMITS: ScheduleLimits = {
  passes: 64,
  recoveringPasses: 64,
  spreadSeconds: 20,
  syncSeconds: 2,
};

interface Running {
  readonly cluster: ScheduledCluster;
  readonly stop: AbortController;
  readonly done: Promise<void>;
  wake: AbortController;
  isIncident: boolean;
  plan: PartPlan;
}

/**
 * The only owner of time. One loop per cluster, so that no cluster overlaps itself and none waits for another; lines
 * with room for many, one for those that answer and one for those that do not; and the periodic jobs. `stop` ends all
 * of it: passes under way are given up whole.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #limits: ScheduleLimits;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  readonly #answering: Slots;
  readonly #recovering: Slots;
  #loops: Promise<unknown> = Promise.resolve();
  #syncWake = new AbortController();

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#answering = new Slots(this.#limits.passes);
    this.#recovering = new Slots(this.#limits.recoveringPasses);
  }

  start(): void {
    this.#loops = Promise.all([this.#syncLoop(), ...this.#options.jobs.map((job) => this.#jobLoop(job))]);
  }

  /** Asks for the list of clusters again now, rather than at the next turn. */
  requestSync(): void {
    this.#syncWake.abort();
  }

  /** For logs and tests: how many clusters have a loop, and how many of them wait in line. */
  state(): { readonly clusters: number; readonly waiting: number } {
    return { clusters: this.#running.size, waiting: this.#answering.waiting + this.#recovering.waiting };
  }

  /** Gives up what is under way and resolves when all loops have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new StopError());
    await this.#loops;
    await Promise.all([...this.#running.values()].map((running) => this.#end(running)));
    await Promise.all(this.#ending);
  }

  async #syncLoop(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isStopping()) {
      this.#syncWake = new AbortController();
      await this.#try("list of clusters", () => this.#sync());
      await this.#sleep(this.#limits.syncSeconds * 1000, this.#syncWake.signal);
      if (this.#isStopping()) return;
      await this.#try("incident pace", async () => {
        const ids = new Set(await this.#options.listIncidentPace(clock.now()));
        for (const running of this.#running.values()) this.#setPace(running, ids);
      });
    }
  }

  async #sync(): Promise<void> {
    const wanted = await this.#options.listClusters();
    for (const [key, running] of this.#running) {
      if (wanted.has(key)) continue;
      this.#running.delete(key);
      const ended = this.#end(running).finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
    const missing = [...wanted].filter(([key]) => !this.#running.has(key));
    // A handful of clusters is read at once; hundreds are spread.
    const spreadSeconds = Math.min(this.#limits.spreadSeconds, missing.length <= 4 ? 0 : missing.length / 4);
    for (const [key, open] of missing) {
      const { clock, random } = this.#options;
      const plan = firstPlan(clock.now(), spreadSeconds, random);
      const running: Running = {
        cluster: open(),
        stop: new AbortController(),
        done: Promise.resolve(),
        wake: new AbortController(),
        isIncident: false,
        plan,
      };
      this.#running.set(key, running);
      Object.assign(running, { done: this.#clusterLoop(running) });
    }
  }

  #setPace(running: Running, clusterIds: ReadonlySet<string>): void {
    const isIncident = running.cluster.isInIncident(clusterIds);
    if (running.isIncident === isIncident) return;
    running.isIncident = isIncident;
    running.plan = changePace(running.plan, isIncident, this.#options.clock.now());
    running.wake.abort();
  }

  async #clusterLoop(running: Running): Promise<void> {
    const { clock, random } = this.#options;
    const signal = AbortSignal.any([this.#stopping.signal, running.stop.signal]);
    while (!signal.aborted) {
      running.wake = new AbortController();
      const waitMs = nextPassAt(running.plan) - clock.now();
      if (waitMs > 0) {
        await this.#sleep(waitMs, AbortSignal.any([signal, running.wake.signal]));
        continue;
      }
      const mustProbe = running.plan.clusterFailures > 0;
      const line = mustProbe ? this.#recovering : this.#answering;
      await this.#try(running.cluster.key, () =>
        line.run(signal, async () => {
          const { isIncident, plan: before } = running;
          const due = duePartsAt(before, clock.now());
          let planned: PartPlan | null = null;
          try {
            await running.cluster.pass({
              due,
              mustProbe,
              isIncident,
              signal,
              plan: (outcomes) => {
                planned = planNext({ plan: before, outcomes, now: clock.now(), isIncident, random });
                return planned;
              },
            });
          } finally {
            running.plan = planned ?? postpone(before, due, clock.now());
          }
        }),
      );
    }
  }

  async #jobLoop(job: PeriodicJob): Promise<void> {
    await this.#sleep((job.firstAfterSeconds ?? 0) * 1000);
    while (!this.#isStopping()) {
      await this.#try(job.name, () => job.run(this.#stopping.signal));
      await this.#sleep(job.periodSeconds * 1000);
    }
  }

  async #end(running: Running): Promise<void> {
    running.stop.abort(new StopError());
    await running.done;
    await this.#try(running.cluster.key, () => running.cluster.close());
  }

  /** An error ends this turn only. What comes of stopping is none. */
  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isStopping() && !(error instanceof StopError)) this.#options.onError(what, error);
    }
  }

  /** Ends early when the schedule stops or the signal is aborted; never throws. */
  async #sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    const signals = signal === undefined ? [] : [signal];
    await this.#options.clock
      .sleep(durationMs, AbortSignal.any([this.#stopping.signal, ...signals]))
      .catch(() => undefined);
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}

/** The reason with which everything is ended when the collector stops or a cluster is removed. */
export class StopError extends Error {
  override readonly name = "StopError";

  constructor() {
    super("the collector is stopping, or this cluster was removed");
  }
}

/** After a pass that ended in an error of ours: its parts are due again after a pause, not at once. */
function postpone(plan: PartPlan, due: readonly PartName[], now: number): PartPlan {
  const dueAt = { ...plan.dueAt };
  for (const part of due) dueAt[part] = now + 30_000;
  return { ...plan, dueAt };
}
