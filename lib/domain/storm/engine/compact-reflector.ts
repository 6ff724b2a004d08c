import type { ClientGoRules } from "../../informers/client-go.ts";
import { DEFAULT_PAGE_SIZE, watchTimeoutSeconds } from "../../informers/reflector-request.ts";
import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";

/**
 * The reflector of `lib/domain/informers` as a state machine of small integers that allocates nothing: a storm has
 * hundreds of thousands of them. It decides exactly as `Reflector` does, with the same random numbers drawn in the same
 * order; a test plays seeded scripts against both. It adds what that one has not: clients that read once (`list`), again
 * and again (`poll`) or watch without a LIST, and other numbers of retries and back-off.
 */

/** What the reflector does next, as `ReflectorCommand`; `DONE`: it reads once, and has. */
export const SEND = 0;
export const WAIT = 1;
export const STREAM = 2;
export const DONE = 3;
export type Command = typeof SEND | typeof WAIT | typeof STREAM | typeof DONE;

/** Verbs. */
export const LIST = 0;
export const WATCH = 1;
export const WATCH_LIST = 2;

/** Resource version of a request: absent, "0", the last one seen. */
export const UNSET = 0;
export const ANY = 1;
export const LAST = 2;

/** Answers to a request; an HTTP status comes with a Retry-After in seconds, or -1. */
export const LIST_DONE = 0;
export const LIST_MORE = 1;
export const OPENED = 2;
export const TOO_MANY = 3;
export const EXPIRED = 4;
export const TOO_LARGE = 5;
export const SERVER_ERROR = 6;
export const CLIENT_ERROR = 7;
/** Failures of the connection: `eof` and `reset` alike. */
export const LOST = 8;
export const TIMED_OUT = 9;
export const HTTP2_LOST = 10;
/** `refused`. */
export const REFUSED = 11;
/** A name that does not resolve, a body that breaks off: handed on at once. */
export const BROKEN = 12;

/** Events of a stream. `ENDED`: the bookmark that ends the initial state. */
export const EVENT = 0;
export const ENDED = 1;
export const CLOSED = 2;
export const ERROR_EXPIRED = 3;
export const ERROR_TOO_MANY = 4;
export const ERROR_OTHER = 5;

const LISTING = 1;
const OPENING = 2;
const INITIAL = 3;
const WATCHING = 4;
const IDLE = 0;

/** What follows a wait. */
const THEN_START = 0;
const THEN_THROTTLE = 1;
const THEN_SEND = 2;
const THEN_WATCH = 3;
const THEN_WATCH_LIST = 4;

/** The bucket of one copy's client, shared by its reflectors; as `ClientRateLimit`. */
export interface Bucket {
  /** In units of 1/qps tick. */
  fullAt: number;
}

export interface ReflectorSettings {
  readonly rules: ClientGoRules;
  readonly mode: "informer" | "list" | "poll" | "watch";
  readonly watchList: boolean;
  readonly firstVersion: typeof UNSET | typeof ANY;
  /** `limit` of every LIST; -1: as client-go decides. */
  readonly pageSize: number;
  readonly periodTicks: Tick;
  /** 0: unlimited. */
  readonly qps: number;
  readonly burst: number;
  readonly maxRetries: number;
  readonly backOffBase: Tick;
  readonly backOffCap: Tick;
  readonly backOffJitter: number;
  readonly backOffReset: Tick;
  /** In [0, 1). */
  readonly random: () => number;
}

export class CompactReflector {
  readonly settings: ReflectorSettings;
  readonly bucket: Bucket;
  phase = IDLE;
  /** Of the request that is sent next or has no answer yet. */
  verb = LIST;
  version = UNSET;
  limit = 0;
  isContinued = false;
  attempt = 1;
  timeoutSeconds = 0;
  /** Tick at which the wait ends. */
  until: Tick = 0;
  #hasVersion = false;
  #isUnavailable = false;
  #isPaginated = false;
  #isSecondList = false;
  #listedVersion = UNSET;
  #pagerVersion = UNSET;
  #pagerSize = 0;
  #pagerIsPaged = false;
  #pagerIsFull = false;
  #then = THEN_START;
  #watchStartedAt: Tick = 0;
  #hasEvents = false;
  #cycleBase: Tick;
  #cycleFrom: Tick;
  #watchBase: Tick;
  #watchFrom: Tick;

  constructor(settings: ReflectorSettings, bucket: Bucket, now: Tick) {
    this.settings = settings;
    this.bucket = bucket;
    this.#cycleBase = settings.backOffBase;
    this.#watchBase = settings.backOffBase;
    this.#cycleFrom = now;
    this.#watchFrom = now;
  }

  get isWatching(): boolean {
    return this.phase === WATCHING;
  }

  /** As one that has watched for long, so that the end of its stream makes it watch again. */
  resume(): void {
    this.phase = WATCHING;
    this.#hasVersion = true;
    this.#hasEvents = true;
  }

  /** Begins a cycle. */
  start(now: Tick): Command {
    const { mode, watchList, rules } = this.settings;
    if (mode === "watch") return this.#openWatch(now, WATCH);
    return watchList && rules.hasWatchList ? this.#openWatch(now, WATCH_LIST) : this.#startList(now);
  }

  /** A wait is over. */
  woke(now: Tick): Command {
    switch (this.#then) {
      case THEN_THROTTLE:
        return this.#throttle(now);
      case THEN_SEND:
        return SEND;
      case THEN_WATCH:
        return this.#openWatch(now, WATCH);
      case THEN_WATCH_LIST:
        return this.#openWatch(now, WATCH_LIST);
      default:
        return this.start(now);
    }
  }

  answered(answer: number, retryAfterSeconds: number, now: Tick): Command {
    const seconds = this.#retrySeconds(answer, retryAfterSeconds);
    if (seconds >= 0) {
      this.attempt++;
      return this.#wait(now + Math.round(seconds * TICKS_PER_SECOND), THEN_THROTTLE);
    }
    if (answer === LIST_DONE || answer === LIST_MORE) return this.#listed(answer, now);
    if (answer === OPENED) return this.#opened();
    if (this.verb === LIST) return this.#pageFailed(answer, now);
    if (answer === LOST || answer === TIMED_OUT) {
      this.#opened();
      return this.streamed(CLOSED, now);
    }
    return this.#watchRefused(answer, now);
  }

  streamed(event: number, now: Tick): Command {
    const isInitial = this.phase === INITIAL;
    switch (event) {
      case EVENT:
        this.#hasEvents = true;
        if (!isInitial) this.#hasVersion = true;
        return STREAM;
      case ENDED:
        this.#hasVersion = true;
        this.#hasEvents = true;
        if (isInitial) {
          this.#isUnavailable = false;
          this.phase = WATCHING;
          this.#watchStartedAt = now;
          this.#hasEvents = false;
        }
        return STREAM;
      case CLOSED: {
        const isVeryShort = now - this.#watchStartedAt < TICKS_PER_SECOND && !this.#hasEvents;
        if (isInitial) return isVeryShort ? this.#startList(now) : this.#openWatch(now, WATCH_LIST);
        return isVeryShort ? this.#endCycle(now) : this.#openWatch(now, WATCH);
      }
      default: {
        const answer = event === ERROR_EXPIRED ? EXPIRED : event === ERROR_TOO_MANY ? TOO_MANY : CLIENT_ERROR;
        if (isInitial) return this.#watchListError(answer, false, now);
        return answer === TOO_MANY ? this.#backOffWatch(now, WATCH) : this.#endCycle(now);
      }
    }
  }

  #retrySeconds(answer: number, retryAfterSeconds: number): number {
    const { maxRetries, rules } = this.settings;
    if (this.attempt > maxRetries) return -1;
    switch (answer) {
      case LOST:
        return 1;
      case TIMED_OUT:
        return this.verb === LIST ? -1 : 1;
      case HTTP2_LOST:
        return this.verb === LIST && rules.retriesLostHttp2 ? 1 : -1;
      case TOO_MANY:
      case TOO_LARGE:
      case SERVER_ERROR:
        return retryAfterSeconds;
      default:
        return -1;
    }
  }

  #startList(now: Tick): Command {
    this.#isSecondList = false;
    this.#listedVersion = this.#relistVersion();
    return this.#list(now);
  }

  #list(now: Tick): Command {
    this.phase = LISTING;
    this.#pagerVersion = this.#relistVersion();
    this.#pagerSize = this.#pageSizeOf(this.#listedVersion);
    this.#pagerIsPaged = false;
    this.#pagerIsFull = false;
    return this.#sendPage(this.#pagerVersion, this.#pagerSize, false, now);
  }

  #relistVersion(): number {
    if (this.#isUnavailable) return UNSET;
    return this.#hasVersion ? LAST : this.settings.firstVersion;
  }

  #pageSizeOf(version: number): number {
    const { pageSize } = this.settings;
    if (pageSize >= 0) return pageSize;
    return this.#isPaginated || version !== LAST ? DEFAULT_PAGE_SIZE : 0;
  }

  #sendPage(version: number, limit: number, isContinued: boolean, now: Tick): Command {
    this.verb = LIST;
    this.version = version;
    this.limit = limit;
    this.isContinued = isContinued;
    this.attempt = 1;
    return this.#throttle(now);
  }

  #listed(answer: number, now: Tick): Command {
    if (answer === LIST_MORE && !this.#pagerIsFull) {
      this.#pagerIsPaged = true;
      return this.#sendPage(UNSET, this.#pagerSize, true, now);
    }
    if (this.#listedVersion === ANY && this.#pagerIsPaged) this.#isPaginated = true;
    this.#isUnavailable = false;
    this.#hasVersion = true;
    const { mode, periodTicks } = this.settings;
    if (mode === "informer") return this.#openWatch(now, WATCH);
    this.phase = IDLE;
    // Who reads again and again asks each time as at first.
    this.#hasVersion = false;
    return mode === "poll" ? this.#wait(now + periodTicks, THEN_START) : DONE;
  }

  /** A later page that finds its version gone is followed by one LIST of all; anything else ends the LIST. */
  #pageFailed(answer: number, now: Tick): Command {
    if (this.isContinued && !this.#pagerIsFull && answer === EXPIRED) {
      this.#pagerIsFull = true;
      return this.#sendPage(this.#pagerVersion, 0, false, now);
    }
    const isVersion = answer === EXPIRED || answer === TOO_LARGE;
    if (!isVersion || this.#isSecondList) return this.#endCycle(now);
    this.#isUnavailable = true;
    this.#isSecondList = true;
    return this.#list(now);
  }

  #openWatch(now: Tick, verb: number): Command {
    this.phase = OPENING;
    this.#watchStartedAt = now;
    this.verb = verb;
    const isUnset = !this.#hasVersion || (verb === WATCH_LIST && this.#isUnavailable);
    this.version = isUnset ? UNSET : LAST;
    this.limit = 0;
    this.isContinued = false;
    this.attempt = 1;
    this.timeoutSeconds = watchTimeoutSeconds(0, this.settings.random);
    return SEND;
  }

  #opened(): Command {
    this.phase = this.verb === WATCH_LIST ? INITIAL : WATCHING;
    this.#hasEvents = false;
    return STREAM;
  }

  #watchRefused(answer: number, now: Tick): Command {
    if (answer === REFUSED || answer === TOO_MANY) return this.#backOffWatch(now, this.verb);
    if (this.verb !== WATCH_LIST) return this.#endCycle(now);
    return answer < LOST ? this.#watchListError(answer, true, now) : this.#startList(now);
  }

  #watchListError(answer: number, isOpening: boolean, now: Tick): Command {
    if (answer === TOO_MANY) return this.#backOffWatch(now, WATCH_LIST);
    const seesCause = !isOpening || this.settings.rules.seesCauseWhenOpening;
    if (answer === EXPIRED || (seesCause && answer === TOO_LARGE)) {
      this.#isUnavailable = true;
      return this.#openWatch(now, WATCH_LIST);
    }
    return this.#startList(now);
  }

  #backOffWatch(now: Tick, verb: number): Command {
    const { rules } = this.settings;
    const then = verb === WATCH_LIST ? THEN_WATCH_LIST : THEN_WATCH;
    if (rules.hasSharedBackOff) return this.#wait(now + this.#nextCycleBackOff(now), then);
    const { backOffReset, backOffBase } = this.settings;
    const isOver = now - this.#watchFrom > backOffReset;
    if (isOver) this.#watchBase = backOffBase;
    if (isOver || rules.backOffResetsSince === "last-call") this.#watchFrom = now;
    const base = this.#watchBase;
    this.#watchBase = this.#doubled(base);
    return this.#wait(now + this.#jittered(base), then);
  }

  #endCycle(now: Tick): Command {
    this.phase = IDLE;
    return this.#wait(now + this.#nextCycleBackOff(now), THEN_START);
  }

  #nextCycleBackOff(now: Tick): Tick {
    const { backOffReset, backOffBase, rules } = this.settings;
    const isOver = now - this.#cycleFrom > backOffReset;
    if (isOver) this.#cycleBase = backOffBase;
    if (isOver || rules.backOffResetsSince === "last-call") this.#cycleFrom = now;
    const base = this.#cycleBase;
    this.#cycleBase = this.#doubled(base);
    return this.#jittered(base);
  }

  #doubled(base: Tick): Tick {
    return Math.min(base * 2, this.settings.backOffCap);
  }

  #jittered(base: Tick): Tick {
    const { random, backOffJitter } = this.settings;
    return base + Math.floor(random() * base * backOffJitter);
  }

  #wait(until: Tick, then: number): Command {
    this.until = until;
    this.#then = then;
    return WAIT;
  }

  /** Sends when the client's bucket lets it. */
  #throttle(now: Tick): Command {
    const { qps, burst } = this.settings;
    if (qps === 0) return SEND;
    const { bucket } = this;
    const allowedAt = Math.max(now * qps, bucket.fullAt - (burst - 1) * TICKS_PER_SECOND);
    bucket.fullAt = Math.max(bucket.fullAt, allowedAt) + TICKS_PER_SECOND;
    const at = Math.ceil(allowedAt / qps);
    return at <= now ? SEND : this.#wait(at, THEN_SEND);
  }
}
