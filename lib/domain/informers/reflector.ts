import type { ClientRateLimit } from "../rollout/client-rate-limit.ts";
import { TICKS_PER_SECOND, type Tick, toTicks } from "../rollout/ticks.ts";
import type { ClientGoRules } from "./client-go.ts";
import { ListPager, type PagerStep, pageSizeOf } from "./list-pager.ts";
import { type BackOffState, ReflectorBackOff } from "./reflector-back-off.ts";
import { type ReflectorRequest, watchRequest, watchTimeoutSeconds } from "./reflector-request.ts";
import { isRetriedFailure, retrySeconds } from "./rest-retry.ts";
import {
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
  type RequestAnswer,
  type StatusAnswer,
  type StatusError,
  type StreamEvent,
} from "./server-answer.ts";

/** What a reflector does next. Who drives it carries it out and reports back with `answered`, `streamed` or `woke`. */
export type ReflectorCommand =
  | { readonly kind: "send"; readonly request: ReflectorRequest }
  /** Nothing until the tick; then `woke`. */
  | { readonly kind: "wait"; readonly until: Tick; readonly reason: WaitReason }
  /** A watch is open: nothing until an event of its stream. */
  | { readonly kind: "stream" };

export type WaitReason = "retry-after" | "client-rate-limit" | "back-off";

export interface ReflectorOptions {
  readonly rules: ClientGoRules;
  /** WatchListClient on; without effect where the version has none. */
  readonly watchList: boolean;
  /** In [0, 1), for jitter and the timeouts of watches. */
  readonly random: () => number;
  /** The bucket of the client, shared by all its reflectors; `null`: unlimited. The first attempt of a watch takes none. */
  readonly rateLimit?: ClientRateLimit | null | undefined;
  /** WatchListPageSize of the informer; 0: the default. */
  readonly pageSize?: number | undefined;
  /** MinWatchTimeout of the informer, seconds; what is below 300 counts as 300. */
  readonly minWatchTimeoutSeconds?: number | undefined;
}

export type ReflectorPhase = "idle" | "listing" | "opening-watch" | "streaming-initial-state" | "watching";

/** The state of a reflector, for drawing and debugging. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  readonly waitsFor: WaitReason | null;
  readonly lastResourceVersion: string;
  /** The last version was refused: the next LIST asks for the latest state. */
  readonly isLastVersionUnavailable: boolean;
  /** Its first LIST came in pages. */
  readonly isPaginated: boolean;
  /** The request that has no answer yet, or waits to be sent. */
  readonly request: ReflectorRequest | null;
  readonly backOff: BackOffState;
}

/** A stream that ends within so long without any event counts as an error. */
const VERY_SHORT_WATCH = TICKS_PER_SECOND;

/**
 * One reflector of client-go over its REST client: what it sends, in which order, and what it waits for. It keeps no
 * time of its own; equal answers at equal ticks with equal random numbers give equal commands. Resyncs send nothing
 * and are not modelled, nor is MaxInternalErrorRetryDuration, which is 0 by default.
 * Source: client-go tools/cache/reflector.go, v0.26 to v0.37, run against v0.30.14 to v0.37.2.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #cycleBackOff: ReflectorBackOff;
  readonly #watchBackOff: ReflectorBackOff;
  #phase: ReflectorPhase = "idle";
  #lastVersion = "";
  #isUnavailable = false;
  #isPaginated = false;
  #pager: ListPager | null = null;
  #isSecondList = false;
  #listedVersion = "";
  #request: ReflectorRequest | null = null;
  #afterWait: (now: Tick) => ReflectorCommand;
  #waitsFor: WaitReason | null = null;
  #watchStartedAt: Tick = 0;
  #streamEvents = 0;

  constructor(options: ReflectorOptions, now: Tick) {
    this.#options = options;
    const { rules } = options;
    this.#cycleBackOff = new ReflectorBackOff(rules.backOffResetsSince, now);
    this.#watchBackOff = rules.hasSharedBackOff
      ? this.#cycleBackOff
      : new ReflectorBackOff(rules.backOffResetsSince, now);
    this.#afterWait = (at) => this.start(at);
  }

  get state(): ReflectorState {
    return {
      phase: this.#phase,
      waitsFor: this.#waitsFor,
      lastResourceVersion: this.#lastVersion,
      isLastVersionUnavailable: this.#isUnavailable,
      isPaginated: this.#isPaginated,
      request: this.#request,
      backOff: this.#cycleBackOff.state,
    };
  }

  /** Begins a cycle: the first thing to call, and what every cycle after a back-off does. */
  start(now: Tick): ReflectorCommand {
    return this.#options.watchList && this.#options.rules.hasWatchList
      ? this.#openWatch(now, true)
      : this.#startList(now);
  }

  /** A wait is over. */
  woke(now: Tick): ReflectorCommand {
    this.#waitsFor = null;
    return this.#afterWait(now);
  }

  /** The answer to the request that was sent last. */
  answered(answer: RequestAnswer, now: Tick): ReflectorCommand {
    const request = this.#request;
    if (request === null) throw new Error("a reflector got an answer without a request");
    const { rules } = this.#options;
    const seconds = retrySeconds(rules, request.verb, answer, request.attempt);
    if (seconds !== null) {
      const again = { ...request, attempt: request.attempt + 1 };
      return this.#wait(now + toTicks(seconds), "retry-after", (at) => this.#throttle(again, at));
    }
    if (answer.kind === "list") return this.#follow(this.#pager?.answered(answer) ?? null, now);
    if (answer.kind === "opened") return this.#opened();
    if (request.verb === "list") {
      return this.#follow(this.#pager?.failed(answer.kind === "status" ? answer : null) ?? null, now);
    }
    if (answer.kind === "failed" && isRetriedFailure(rules, "watch", answer.failure)) {
      // Out of retries a watch counts as opened and closed, from the instant of its first attempt.
      this.#opened();
      return this.streamed({ kind: "closed" }, now);
    }
    return this.#watchRefused(answer, now);
  }

  /** An event of the open watch. */
  streamed(event: StreamEvent, now: Tick): ReflectorCommand {
    const isInitial = this.#phase === "streaming-initial-state";
    switch (event.kind) {
      case "initial-event":
        this.#streamEvents += 1;
        return STREAM;
      case "event":
        this.#streamEvents += 1;
        if (!isInitial) this.#lastVersion = event.resourceVersion;
        return STREAM;
      case "initial-events-end":
        this.#lastVersion = event.resourceVersion;
        this.#streamEvents += 1;
        if (isInitial) {
          this.#isUnavailable = false;
          this.#phase = "watching";
          this.#watchStartedAt = now;
          this.#streamEvents = 0;
        }
        return STREAM;
      case "error":
        return isInitial ? this.#watchListError(event.error, false, now) : this.#watchError(event.error, now);
      case "closed": {
        const isVeryShort = now - this.#watchStartedAt < VERY_SHORT_WATCH && this.#streamEvents === 0;
        if (isInitial) return isVeryShort ? this.#startList(now) : this.#openWatch(now, true);
        return isVeryShort ? this.#endCycle(now) : this.#openWatch(now, false);
      }
    }
  }

  #startList(now: Tick): ReflectorCommand {
    this.#isSecondList = false;
    this.#listedVersion = this.#relistVersion();
    const { pageSize = 0 } = this.#options;
    return this.#list(pageSizeOf(this.#listedVersion, pageSize, this.#isPaginated), now);
  }

  #list(pageSize: number, now: Tick): ReflectorCommand {
    this.#phase = "listing";
    this.#pager = new ListPager(this.#relistVersion(), pageSize);
    return this.#throttle(this.#pager.first(), now);
  }

  /** The version that a LIST asks for: any at the start, then not older than seen, the latest where that was refused. */
  #relistVersion(): string {
    if (this.#isUnavailable) return "";
    return this.#lastVersion === "" ? "0" : this.#lastVersion;
  }

  #follow(step: PagerStep | null, now: Tick): ReflectorCommand {
    if (step === null) throw new Error("a reflector got a LIST without asking for one");
    if (step.kind === "send") return this.#throttle(step.request, now);
    if (step.kind === "failed") return this.#listFailed(step.error, now);
    if (this.#listedVersion === "0" && step.isPaginated) this.#isPaginated = true;
    this.#isUnavailable = false;
    this.#lastVersion = step.resourceVersion;
    this.#pager = null;
    return this.#openWatch(now, false);
  }

  /** One more LIST at once, at the latest state, where the version was the trouble; else the cycle ends. */
  #listFailed(error: StatusError | null, now: Tick): ReflectorCommand {
    const isVersion = error !== null && (isExpired(error) || isTooLargeResourceVersion(error));
    if (!isVersion || this.#isSecondList) return this.#endCycle(now);
    this.#isUnavailable = true;
    this.#isSecondList = true;
    // The page size stays that of the LIST which was refused.
    const { pageSize = 0 } = this.#options;
    return this.#list(pageSizeOf(this.#listedVersion, pageSize, this.#isPaginated), now);
  }

  #openWatch(now: Tick, isWatchList: boolean): ReflectorCommand {
    this.#phase = "opening-watch";
    this.#watchStartedAt = now;
    const version = isWatchList && this.#isUnavailable ? "" : this.#lastVersion;
    const { minWatchTimeoutSeconds = 0, random } = this.#options;
    return this.#send(
      watchRequest(version, isWatchList, watchTimeoutSeconds(minWatchTimeoutSeconds, random)),
    );
  }

  /** The age of the stream counts from before its request was sent first. */
  #opened(): ReflectorCommand {
    this.#phase = this.#request?.isWatchList === true ? "streaming-initial-state" : "watching";
    this.#request = null;
    this.#streamEvents = 0;
    return STREAM;
  }

  /** The watch was not opened. */
  #watchRefused(answer: StatusAnswer | { kind: "failed"; failure: string }, now: Tick): ReflectorCommand {
    const isWatchList = this.#request?.isWatchList === true;
    const isRefused = answer.kind === "failed" && answer.failure === "refused";
    if (isRefused || (answer.kind === "status" && isTooManyRequests(answer))) {
      return this.#backOffWatch(now, isWatchList);
    }
    if (!isWatchList) return this.#endCycle(now);
    return answer.kind === "status" ? this.#watchListError(answer, true, now) : this.#startList(now);
  }

  /** An error while the initial state is asked for or streamed: again from the latest state, or a LIST instead. */
  #watchListError(error: StatusError, isOpening: boolean, now: Tick): ReflectorCommand {
    if (isTooManyRequests(error)) return this.#backOffWatch(now, true);
    const seesCause = !isOpening || this.#options.rules.seesCauseWhenOpening;
    if (isExpired(error) || (seesCause && isTooLargeResourceVersion(error))) {
      this.#isUnavailable = true;
      return this.#openWatch(now, true);
    }
    return this.#startList(now);
  }

  /** An ERROR event inside an ordinary watch. */
  #watchError(error: StatusError, now: Tick): ReflectorCommand {
    if (!isExpired(error) && isTooManyRequests(error)) return this.#backOffWatch(now, false);
    return this.#endCycle(now);
  }

  #backOffWatch(now: Tick, isWatchList: boolean): ReflectorCommand {
    const ticks = this.#watchBackOff.next(now, this.#options.random);
    return this.#wait(now + ticks, "back-off", (at) => this.#openWatch(at, isWatchList));
  }

  #endCycle(now: Tick): ReflectorCommand {
    this.#phase = "idle";
    this.#request = null;
    this.#pager = null;
    const ticks = this.#cycleBackOff.next(now, this.#options.random);
    return this.#wait(now + ticks, "back-off", (at) => this.start(at));
  }

  #wait(until: Tick, reason: WaitReason, then: (now: Tick) => ReflectorCommand): ReflectorCommand {
    this.#afterWait = then;
    this.#waitsFor = reason;
    return { kind: "wait", until, reason };
  }

  /** Sends when the client's bucket lets it. */
  #throttle(request: ReflectorRequest, now: Tick): ReflectorCommand {
    const at = this.#options.rateLimit?.take(now) ?? now;
    if (at <= now) return this.#send(request);
    this.#request = request;
    return this.#wait(at, "client-rate-limit", () => this.#send(request));
  }

  #send(request: ReflectorRequest): ReflectorCommand {
    this.#request = request;
    return { kind: "send", request };
  }
}

const STREAM: ReflectorCommand = { kind: "stream" };
