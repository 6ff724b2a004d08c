import type { Clock } from "../../clock.ts";
import type { NotRead, PartName, PartOutcome, ReadFailure } from "../../domain/clusters/part.ts";
import type { ApiServerClient, ClientScope, CostMeter, RequestCost, SentRequest } from "../../kube/index.ts";
import type { PermissionRecorder } from "./permission-recorder.ts";
import { findReadFailure } from "./read-failure.ts";

/** Seconds after which a part gives up, waiting for the budget included. */
export const PART_DEADLINE_SECONDS: Readonly<Record<PartName, number>> = {
  version: 20,
  servers: 20,
  sizes: 60,
  fairness: 40,
  inventory: 90,
};

/** Reads that end throttled, retries included, before a pass leaves the cluster alone. */
const THROTTLED_READS = 3;

/**
 * What the parts of one pass share: an API server that turns away one read after the other is in trouble, and the
 * rest of the pass is not asked of it.
 */
export class PassHalt {
  #throttled = 0;
  #failure: ReadFailure | null = null;

  /** The failure that every further read of this pass has; `null` while it goes on. */
  get failure(): ReadFailure | null {
    return this.#failure;
  }

  note(failure: ReadFailure): void {
    if (failure.reason !== "throttled") return;
    this.#throttled += 1;
    if (this.#throttled >= THROTTLED_READS) this.#failure = failure;
  }
}

/** One attempt at one part: its clock, its cost, what it could not read. */
export class PartRun {
  readonly part: PartName;
  readonly notRead: NotRead[] = [];
  /** The failure that ended the part as a whole; `null` while it only misses pieces. */
  failure: ReadFailure | null = null;
  readonly #clock: Clock;
  readonly #permissions: PermissionRecorder;
  readonly #halt: PassHalt;
  readonly #meter = createSentMeter();
  readonly #passStartedAt: number;
  #startedAt: number | null = null;
  #durationMs = 0;
  #depth = 0;
  /** Since when this part has been at work without a pause. */
  #atWorkFrom = 0;

  constructor(options: {
    readonly part: PartName;
    readonly clock: Clock;
    readonly permissions: PermissionRecorder;
    readonly halt: PassHalt;
    readonly passStartedAt: number;
  }) {
    this.part = options.part;
    this.#clock = options.clock;
    this.#permissions = options.permissions;
    this.#halt = options.halt;
    this.#passStartedAt = options.passStartedAt;
  }

  /** A client whose reads count for this part and end with its deadline. */
  clientFrom(client: ApiServerClient): ApiServerClient {
    const scope: ClientScope = { meter: this.#meter, deadlineAt: this.deadlineAt() };
    return client.scoped(scope);
  }

  deadlineAt(): number {
    return this.#begin() + PART_DEADLINE_SECONDS[this.part] * 1000;
  }

  /** Counts the time of `work` for this part; nested calls count once. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    if (this.#depth === 0) this.#atWorkFrom = this.#clock.now();
    this.#depth += 1;
    try {
      return await work();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#durationMs += this.#clock.now() - this.#atWorkFrom;
    }
  }

  /**
   * One read. `null` when it failed: then it stands in `notRead`, and a 401 or 403 is kept as a refused permission.
   * @throws what is no failure of reading, and the caller's own abort.
   */
  async attempt<T>(
    read: { readonly what: string; readonly path: string; readonly serverId?: string | null },
    work: () => Promise<T>,
  ): Promise<T | null> {
    const { value, failure } = await this.tryRead(read.path, work);
    if (failure === null) return value;
    this.notRead.push({ what: read.what, serverId: read.serverId ?? null, failure });
    return null;
  }

  /** The same, for callers that decide themselves whether a failure is worth mentioning. */
  async tryRead<T>(
    path: string,
    work: () => Promise<T>,
  ): Promise<
    { readonly value: T; readonly failure: null } | { readonly value: null; readonly failure: ReadFailure }
  > {
    if (this.#halt.failure !== null) return { value: null, failure: this.#halt.failure };
    try {
      const value = await this.track(work);
      this.#permissions.granted(path);
      return { value, failure: null };
    } catch (error) {
      const failure = findReadFailure(error, path);
      if (failure === null || failure.reason === "aborted") throw error;
      if (failure.reason === "forbidden") this.#permissions.refused(path);
      this.#halt.note(failure);
      return { value: null, failure };
    }
  }

  cost(): RequestCost {
    return this.#meter.read();
  }

  /** Every request of this part, in order, with the seconds it took. */
  sent(): readonly TimedRequest[] {
    return this.#meter.sent;
  }

  /** The outcome to store. `hasValue`: anything usable was read. */
  finish(hasValue: boolean, answer: string): PartOutcome {
    const failure = this.failure ?? this.notRead[0]?.failure ?? null;
    const isUntried = !hasValue && failure?.reason === "budget" && this.cost().requests === 0;
    const status = isUntried ? "skipped" : !hasValue ? "failed" : failure === null ? "ok" : "partial";
    const { requests, wireBytes } = this.cost();
    return {
      part: this.part,
      status,
      startedAt: this.#startedAt ?? this.#passStartedAt,
      durationSeconds: this.#workedMs() / 1000,
      requests,
      wireBytes,
      answer: hasValue ? answer : (failure?.message ?? answer),
      failure,
      notRead: this.notRead,
    };
  }

  #workedMs(): number {
    return this.#durationMs + (this.#depth === 0 ? 0 : this.#clock.now() - this.#atWorkFrom);
  }

  #begin(): number {
    this.#startedAt ??= this.#clock.now();
    return this.#startedAt;
  }
}

/** A request and how long its answer took, to the last byte. */
export interface TimedRequest extends SentRequest {
  readonly seconds: number;
}

/** A meter that keeps each request besides. */
function createSentMeter(): CostMeter & { readonly sent: readonly TimedRequest[] } {
  const sent: TimedRequest[] = [];
  const { add, read } = createMeter();
  return {
    sent,
    read,
    add: (cost, request) => {
      add(cost, request);
      sent.push({ ...request, seconds: cost.requestSeconds });
    },
  };
}

/** A meter that adds up what the reads of a scope cost. */
export function createMeter(): CostMeter {
  let total: RequestCost = { requests: 0, wireBytes: 0, decodedBytes: 0, requestSeconds: 0 };
  return {
    add: (cost) => {
      total = {
        requests: total.requests + cost.requests,
        wireBytes: total.wireBytes + cost.wireBytes,
        decodedBytes: total.decodedBytes + cost.decodedBytes,
        requestSeconds: total.requestSeconds + cost.requestSeconds,
      };
    },
    read: () => total,
  };
}
