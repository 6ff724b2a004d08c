import { ADJUSTMENT_PERIOD_NS, LimitsController } from "../../fairness/limits/limits-controller.ts";
import { queueWaitLimitSeconds } from "../../fairness/queueset/queue-wait-limit.ts";
import { rejectionReason } from "../../fairness/queueset/rejection-reason.ts";
import type { QueuedRequest } from "../../fairness/queueset/request.ts";
import { RetryAfterTracker } from "../../fairness/retry-after/retry-after-tracker.ts";
import { isAtLeast } from "../../kubernetes/version.ts";
import { TICKS_PER_SECOND, type Tick, toTicks } from "../../rollout/ticks.ts";
import type { StormServer } from "../storm-input.ts";
import { HANDSHAKE, Processor, REQUEST } from "./processor.ts";
import { type Statistics, scaleMemory } from "./request-shape.ts";
import type { ApiServerOptions } from "./server-host.ts";
import { ServerLevel } from "./server-level.ts";
import { ServerRecorder } from "./server-recorder.ts";
import { SharedLink } from "./shared-link.ts";
import type { StormRequest } from "./storm-request.ts";

export const NS_PER_TICK = 1000;
export const ADJUSTMENT_TICKS: Tick = ADJUSTMENT_PERIOD_NS / NS_PER_TICK;
/** Any late Unix second: Retry-After compares with the second 0. */
const UNIX_SECOND = 1_700_000_000;

/** One API server: its limits, its queues, its cores, its link, its memory, and the series of all of them. */
export class ApiServer<Caller> {
  readonly index: number;
  readonly input: StormServer;
  readonly recorder: ServerRecorder;
  readonly levels = new Map<string, ServerLevel>();
  readonly processor: Processor<StormRequest, StormRequest | { readonly caller: Caller }>;
  readonly link: SharedLink<StormRequest> | null;
  readonly #options: ApiServerOptions<Caller>;
  #controller: LimitsController;
  #retryAfter: RetryAfterTracker;
  #currentLimits = new Map<string, number>();
  #maxSeats = new Map<string, number>();
  readonly #waitLimit: Tick;
  readonly #sweeps: boolean;
  readonly #readSeconds: number;
  readonly #rejectSeconds: number;
  /** Seats of the storm's requests that ran, by level. */
  readonly seatsAsked = new Map<string, number>();
  retryAfterPeak = 1;
  isDown = false;
  /** Statistics of each collection are not tracked before its tick. */
  #trackedFrom: Tick[] = [];
  #hasRestarted = false;
  /** Requests of the storm that are here, and when the last one was. */
  stormRequests = 0;
  activeUntil: Tick = 0;

  constructor(options: ApiServerOptions<Caller>) {
    const { input, model, cluster, version } = options;
    this.#options = options;
    this.index = options.index;
    this.input = input;
    const storedBytes = cluster.collections.reduce((sum, collection) => sum + collection.storedBytes, 0);
    this.recorder = new ServerRecorder(
      options.stepSeconds,
      scaleMemory(model.memory.idlePerStoredByte, storedBytes),
    );
    this.processor = new Processor({
      cores: input.cores,
      concurrencyExponent: model.concurrencyExponent,
      // Half of its turns before a request is read, half before it is served.
      delaySeconds: (model.schedulerTurns / 2) * model.schedulerQuantumSeconds,
    });
    this.link = input.linkBytesPerSecond === null ? null : new SharedLink(input.linkBytesPerSecond);
    this.#waitLimit = toTicks(
      queueWaitLimitSeconds({ version, requestTimeoutSeconds: cluster.requestTimeoutSeconds }),
    );
    this.#sweeps = !isAtLeast(version, 28, 5);
    this.#readSeconds = READ_SHARE * model.requestSeconds;
    this.#rejectSeconds = model.requestSeconds - this.#readSeconds;
    this.#controller = this.#openController(0);
    this.#retryAfter = new RetryAfterTracker(version);
    this.#controller.adjust(0, options.assumedDemand);
    this.#readLimits();
  }

  /** Tick of its next own event: a job that ends, an answer that is sent. */
  get nextTick(): Tick {
    const next = this.processor.nextTick;
    return this.link === null ? next : Math.min(next, this.link.nextTick);
  }

  get waitLimitTicks(): Tick {
    return this.#waitLimit;
  }

  /** Before 1.28.5 the waiting limit is looked at only when another request comes to the queue. */
  get sweepsQueues(): boolean {
    return this.#sweeps;
  }

  levelMaxSeats(name: string): number {
    return this.#maxSeats.get(name) ?? 0;
  }

  statisticsOf(collection: number, now: Tick): Statistics {
    const { statistics, isSizeKnownAfterRestart } = this.#options.cluster.collections[collection] ?? {
      statistics: "not-tracked" as const,
      isSizeKnownAfterRestart: true,
    };
    if (now < (this.#trackedFrom[collection] ?? 0)) return "not-tracked";
    if (this.#hasRestarted && statistics === "known" && !isSizeKnownAfterRestart) return "size-unknown";
    return statistics;
  }

  /** Ends all steps up to `now`; to be called before anything changes. */
  rollTo(now: Tick): void {
    if (this.recorder.clock.endTick > now) return;
    this.recorder.rollTo(now, this.levels, (tick) => this.processor.busyCoreSecondsAt(tick));
  }

  noteRetry(now: Tick): void {
    this.rollTo(now);
    this.recorder.noteRetry();
  }

  shakeHands(now: Tick, caller: Caller): void {
    this.rollTo(now);
    const { handshakeSeconds } = this.#options.model;
    if (handshakeSeconds === 0) this.#options.host.onShaken(this, caller, now);
    else this.processor.addSmall(now, HANDSHAKE, handshakeSeconds, { caller });
  }

  /** A request is on its way in: it `arrive`s when it is read. */
  read(now: Tick, request: StormRequest): void {
    this.rollTo(now);
    request.serverIndex = this.index;
    if (this.processor.hasSpareCore) {
      // Nothing can come between: it is read and served in one go.
      request.readSeconds = this.#readSeconds;
      this.#arrive(now, request);
    } else this.processor.addSmall(now, REQUEST, this.#readSeconds, request);
  }

  #arrive(now: Tick, request: StormRequest): void {
    if (request.isOver) return;
    request.receivedAt = now;
    const level = this.levelOf(request.shape.priorityLevelName, now);
    const nowNs = now * NS_PER_TICK;
    if (this.#sweeps) {
      const limitNs = this.#waitLimit * NS_PER_TICK;
      for (const swept of level.queueSet.sweep(nowNs, request, () => limitNs)) {
        this.#reject(now, level, ours(swept), "time-out");
      }
    }
    const result = level.queueSet.arrive(nowNs, request);
    level.note();
    if (result === "queue-full" || result === "concurrency-limit") this.#reject(now, level, request, result);
    else this.#options.host.onAccepted(this, request);
  }

  /** It has waited as long as it may. */
  expire(now: Tick, request: StormRequest): void {
    this.rollTo(now);
    const level = this.levelOf(request.shape.priorityLevelName, now);
    level.queueSet.eject(now * NS_PER_TICK, request);
    level.note();
    this.#reject(now, level, request, "time-out");
  }

  /** Its client left while it waited or ran. Returns the share of its work that was done. */
  abandon(now: Tick, request: StormRequest): number {
    const level = this.levelOf(request.shape.priorityLevelName, now);
    this.rollTo(now);
    if (request.state === "arriving") {
      // It is still to be read, and then nobody is there.
      request.isOver = true;
      return 0;
    }
    if (request.state === "waiting") {
      level.queueSet.eject(now * NS_PER_TICK, request);
      level.note();
      request.isOver = true;
      return 0;
    }
    return this.abort(now, request);
  }

  /** Takes a request off the cores and the link, frees its seats. Returns the share of its work that was done. */
  abort(now: Tick, request: StormRequest): number {
    const { shape } = request;
    // A small job runs on to its end; nobody is told.
    const done = request.isComputed || shape.isSmall ? 1 : this.processor.cancel(now, request);
    let sent = request.isSent ? 1 : 0;
    if (!request.isSent && this.link !== null && this.#isOnLink(request))
      sent = this.link.cancel(now, request);
    else if (!request.isSent && shape.isStreamed) sent = done;
    this.#countBytes(request, now, Math.round(sent * shape.wireBytes));
    request.isOver = true;
    this.#end(now, request);
    return done;
  }

  /** One own event at `now`; false where there is none any more. */
  step(now: Tick): boolean {
    this.rollTo(now);
    const isProcessed = this.processor.step(
      now,
      (request) => this.#computed(now, request),
      (item) => {
        if ("caller" in item) this.#options.host.onShaken(this, item.caller, now);
        else if (item.state === "arriving") this.#arrive(now, item);
        else this.#computed(now, item);
      },
    );
    if (isProcessed) return true;
    return this.link?.step(now, (request) => this.#sent(now, request)) ?? false;
  }

  /** What it waited for elsewhere is there. */
  idled(now: Tick, request: StormRequest): void {
    this.rollTo(now);
    if (!request.isOver) this.#complete(now, request);
  }

  /** Every 10 s: new limits from the seat demand. */
  adjust(now: Tick): void {
    this.rollTo(now);
    this.#controller.adjust(now * NS_PER_TICK);
    this.#readLimits();
    for (const level of this.levels.values()) {
      level.setLimit(now * NS_PER_TICK, this.#currentLimits.get(level.name) ?? level.limit);
      level.note();
    }
  }

  goDown(now: Tick): void {
    this.rollTo(now);
    this.isDown = true;
    this.processor.reset(now);
    this.link?.reset(now);
    this.recorder.drop();
  }

  /** It is back: no demand is known, no counts, every level empty. */
  comeUp(now: Tick): void {
    this.rollTo(now);
    const { cluster, random, version } = this.#options;
    this.isDown = false;
    this.#hasRestarted = true;
    this.#controller = this.#openController(now * NS_PER_TICK);
    this.#retryAfter = new RetryAfterTracker(version);
    this.#readLimits();
    this.#trackedFrom = cluster.collections.map(
      () => now + toTicks(FIRST_POLL_SECONDS + POLL_SPREAD_SECONDS * random()),
    );
    for (const level of this.levels.values()) {
      level.restart({
        limit: this.#currentLimits.get(level.name) ?? level.limit,
        startNs: now * NS_PER_TICK,
        demand: this.#controller.demandOf(level.name),
        onDispatch: (request) => this.#dispatched(ours(request)),
      });
    }
  }

  levelOf(name: string, now: Tick): ServerLevel {
    const known = this.levels.get(name);
    if (known !== undefined) return known;
    const object = this.#options.cluster.priorityLevels.find((level) => level.name === name);
    if (object === undefined) throw new RangeError(`There is no priority level ${name}.`);
    const state = this.#controller.levels.find((level) => level.name === name);
    const level = new ServerLevel({
      object,
      limit: this.#currentLimits.get(name) ?? 0,
      nominalSeats: state?.nominalCL ?? 0,
      startNs: now * NS_PER_TICK,
      demand: this.#controller.demandOf(name),
      onDispatch: (request) => this.#dispatched(ours(request)),
      clock: this.recorder.clock,
    });
    this.levels.set(name, level);
    return level;
  }

  /** Ends the step under way, so that the series reach up to `now`. */
  finishSeries(now: Tick): void {
    this.rollTo(now);
    const { clock } = this.recorder;
    if (clock.steps * clock.stepTicks < now || clock.steps === 0) this.rollTo(clock.endTick);
  }

  #openController(nowNs: number): LimitsController {
    const { version, cluster, input } = this.#options;
    const controller = new LimitsController(version);
    controller.configure(nowNs, cluster.priorityLevels, input.totalConcurrencySeats);
    return controller;
  }

  #readLimits(): void {
    for (const { name, currentCL, maxSeats } of this.#controller.levels) {
      this.#currentLimits.set(name, currentCL);
      this.#maxSeats.set(name, maxSeats);
    }
  }

  #dispatched(request: StormRequest): void {
    const now = request.startedAtNs / NS_PER_TICK;
    request.dispatchedAt = now;
    const { shape } = request;
    if (shape.isSmall) this.processor.addSmall(now, REQUEST, shape.cpuSeconds + request.readSeconds, request);
    else this.processor.addLong(now, request);
    request.isSent = this.link === null || shape.wireBytes === 0;
    if (shape.isStreamed && !request.isSent) this.link?.add(now, request);
    this.recorder.hold(shape.heldBytes);
    if (request.reflector !== null) {
      this.seatsAsked.set(
        shape.priorityLevelName,
        (this.seatsAsked.get(shape.priorityLevelName) ?? 0) + shape.seats,
      );
    }
    this.#options.host.onDispatched(this, request, now);
  }

  #computed(now: Tick, request: StormRequest): void {
    if (request.isOver) return;
    request.isComputed = true;
    if (!request.isSent && !request.shape.isStreamed) this.link?.add(now, request);
    if (request.isSent) this.#served(now, request);
  }

  #sent(now: Tick, request: StormRequest): void {
    if (request.isOver) return;
    request.isSent = true;
    if (request.isComputed) this.#served(now, request);
  }

  #served(now: Tick, request: StormRequest): void {
    const { idleSeconds } = request.shape;
    if (idleSeconds > 0) this.#options.host.onIdle(this, request, now + toTicks(idleSeconds));
    else this.#complete(now, request);
  }

  #complete(now: Tick, request: StormRequest): void {
    this.#countBytes(request, now, request.shape.wireBytes);
    request.isOver = true;
    this.#end(now, request);
    this.#options.host.onCompleted(this, request, now);
  }

  #end(now: Tick, request: StormRequest): void {
    this.recorder.release(request.shape.heldBytes);
    const level = this.levelOf(request.shape.priorityLevelName, now);
    level.queueSet.finish(now * NS_PER_TICK, request);
    level.note();
  }

  #isOnLink(request: StormRequest): boolean {
    return request.shape.isStreamed || request.isComputed;
  }

  #countBytes(request: StormRequest, now: Tick, bytes: number): void {
    request.sentBytes = bytes;
    this.recorder.noteBytes(request.dispatchedAt, now, bytes);
  }

  #reject(
    now: Tick,
    level: ServerLevel,
    request: StormRequest,
    outcome: "queue-full" | "concurrency-limit" | "time-out",
  ): void {
    const { host, secondPhase, version } = this.#options;
    request.isOver = true;
    const reason = rejectionReason(outcome, version) ?? outcome;
    level.noteRejection(reason);
    const second = UNIX_SECOND + Math.floor((now + secondPhase) / TICKS_PER_SECOND);
    const seconds = this.#retryAfter.reject(level.name, second);
    this.retryAfterPeak = Math.max(this.retryAfterPeak, seconds);
    this.processor.addSmall(now, REQUEST, this.#rejectSeconds + request.readSeconds, null);
    host.onRejected(this, request, reason, seconds, now);
  }
}

/** Of a small request's work: reading and authenticating it, before it gets to its priority level. */
const READ_SHARE = 0.4;
const FIRST_POLL_SECONDS = 60;
const POLL_SPREAD_SECONDS = 72;

/** The queue sets of this folder hold requests of this folder only. */
const ours = (request: QueuedRequest): StormRequest => request as StormRequest;
