import type { BudgetShortfall } from "./api-server-error.ts";
import type { KubeClock } from "./clock.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What the collector may ask of one cluster. */
export interface BudgetLimits {
  /** Requests per minute to the cluster, all its servers together. Default 120. */
  readonly requestsPerMinute: number;
  /** Bytes on the wire per minute. Default 256 MiB. */
  readonly bytesPerMinute: number;
}

export const DEFAULT_BUDGET: BudgetLimits = { requestsPerMinute: 120, bytesPerMinute: 256 * 1024 * 1024 };

/** What one API server may be asked on average. A pass keeps the default; one-off readers and benches may not. */
export interface ServerRate {
  /** Default 12: 6 in 30 s. */
  readonly requestsPerMinute: number;
  /** How far it may run ahead of the average. Default 90. */
  readonly burstRequests: number;
}

/** Requests per minute to one API server while an incident page is open. */
const INCIDENT_REQUESTS_PER_MINUTE = 40;
/**
 * The burst: a full pass over a cluster of 5,000 nodes is about 80 requests, and all of them may meet the same server.
 * Spread over the five minutes to the next inventory they are below the average.
 */
const DEFAULT_SERVER_RATE: ServerRate = { requestsPerMinute: 12, burstRequests: 90 };
/** Timers hold 31 bits of milliseconds; waking early does no harm. */
const MAX_SLEEP_MS = 3_600_000;
/** A response of unknown size starts only when so much is left. */
const UNKNOWN_RESPONSE_BYTES = 64 * 1024;

/** A request that wants to be sent. */
export interface BudgetRequest {
  /** Which API server; null where it is not known (a shared address): then it may be any of them. */
  readonly server: string | null;
  /** Bytes that the response is expected to have, from the last time; null where unknown. */
  readonly expectedBytes?: number | null;
  readonly signal?: AbortSignal;
  /** Waiting beyond this instant is pointless. Milliseconds since the epoch. */
  readonly deadlineAt?: number;
}

/** Leave to send one request. Must be released. */
export interface BudgetPermit {
  /** Charges bytes as they come; a shortfall means: stop reading. */
  readonly charge: (bytes: number) => BudgetShortfall | null;
  /** The shortfall that reading `bytes` more would meet, or null where they fit what is left now. */
  readonly foresee: (bytes: number) => BudgetShortfall | null;
  readonly release: () => void;
}

/** Why {@link ClusterBudget.reserve} gave no leave. */
export class BudgetDeniedError extends Error {
  override readonly name = "BudgetDeniedError";
  /**
   * `throttled`: the server asked us to wait longer than the deadline allows; `timeout`: the deadline was over before
   * the request was made; else the budget is too small.
   */
  readonly reason: "budget" | "throttled" | "timeout";
  readonly shortfall: BudgetShortfall | null;
  /** When it would fit, in milliseconds since the epoch; null where it never will, or nobody knows. */
  readonly retryAt: number | null;

  constructor(
    reason: BudgetDeniedError["reason"],
    message: string,
    shortfall: BudgetShortfall | null,
    retryAt: number | null,
  ) {
    super(message);
    this.reason = reason;
    this.shortfall = shortfall;
    this.retryAt = retryAt;
  }
}

/** For pages and logs: what is left. */
export interface BudgetState {
  readonly requestsLeft: number;
  readonly bytesLeft: number;
  readonly waiting: number;
  readonly servers: readonly {
    readonly server: string;
    readonly requestsLeft: number;
    readonly isBusy: boolean;
    readonly heldUntil: number | null;
  }[];
}

interface Server {
  readonly requests: TokenBucket;
  isBusy: boolean;
  heldUntil: number;
}

interface Waiter {
  readonly request: BudgetRequest;
  readonly grant: () => void;
  readonly deny: (error: unknown) => void;
}

/** What keeps a request from being sent now. */
interface Blocker {
  /** Until it may be over; null where only the end of another request helps; Infinity where nothing does. */
  readonly waitMs: number | null;
  /** Whether those behind it wait for the same thing, or only those for the same server. */
  readonly scope: "server" | "cluster";
  readonly reason: BudgetDeniedError["reason"];
  readonly message: string;
  readonly shortfall: BudgetShortfall | null;
}

/** Only the end of another request helps. */
const BUSY: Blocker = {
  waitMs: null,
  scope: "server",
  reason: "budget",
  message: "other reads of this API server took all the time there was: it is asked one thing at a time",
  shortfall: { setting: "requestsPerServer", current: 1, neededAtLeast: null },
};

/** Nothing would be in the way, but the deadline is over. */
const TOO_LATE: Blocker = {
  waitMs: null,
  scope: "server",
  reason: "timeout",
  message: "the time was over before the request could be sent",
  shortfall: null,
};

/** Key of the address behind which any server may stand. */
const SHARED = "";

/**
 * The budget of one cluster, shared by everything that reads it: requests and bytes per minute for the cluster, and
 * for each API server one request at a time and an average rate. First come, first served, except that a request for
 * a free server passes one that waits for a busy server.
 *
 * A request through a shared address may reach any server. It waits until none is busy, keeps all busy meanwhile, and
 * counts against each: so the limits per server hold whichever answers.
 */
export class ClusterBudget {
  readonly #clock: KubeClock;
  readonly #limits: BudgetLimits;
  readonly #requests: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #servers = new Map<string, Server>();
  readonly #serverRate: ServerRate;
  #isIncident = false;
  #waiters: Waiter[] = [];
  #wake: AbortController | null = null;

  constructor(options: {
    readonly clock: KubeClock;
    readonly limits?: Partial<BudgetLimits>;
    readonly serverRate?: ServerRate;
  }) {
    this.#clock = options.clock;
    this.#serverRate = options.serverRate ?? DEFAULT_SERVER_RATE;
    this.#limits = { ...DEFAULT_BUDGET, ...options.limits };
    const now = this.#clock.now();
    const { requestsPerMinute, bytesPerMinute } = this.#limits;
    this.#requests = new TokenBucket(requestsPerMinute, requestsPerMinute / 60, now);
    this.#bytes = new TokenBucket(bytesPerMinute, bytesPerMinute / 60, now);
  }

  get limits(): BudgetLimits {
    return this.#limits;
  }

  /**
   * Waits until the request may be sent.
   * @throws BudgetDeniedError as soon as it is clear that it will not be before the deadline, or never
   * @throws the signal's reason when it is aborted
   */
  reserve(request: BudgetRequest): Promise<BudgetPermit> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason);
        this.#pump();
      };
      const waiter: Waiter = {
        request,
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#permit(request));
        },
        deny: (error) => {
          signal?.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(waiter);
      this.#pump();
    });
  }

  /** Sends nothing to the server before the instant: it answered 429 or 503 with Retry-After. */
  holdServer(server: string | null, untilAt: number): void {
    const entry = this.#server(server ?? SHARED);
    entry.heldUntil = Math.max(entry.heldUntil, untilAt);
  }

  /** While an incident page is open on the cluster, each server may be asked 40 times a minute. */
  setIncidentMode(isOn: boolean): void {
    this.#isIncident = isOn;
    const now = this.#clock.now();
    for (const server of this.#servers.values()) server.requests.setRate(this.#requestsPerServer() / 60, now);
    this.#pump();
  }

  /** A minute, on average. */
  #requestsPerServer(): number {
    const { requestsPerMinute } = this.#serverRate;
    return this.#isIncident ? Math.max(requestsPerMinute, INCIDENT_REQUESTS_PER_MINUTE) : requestsPerMinute;
  }

  state(): BudgetState {
    const now = this.#clock.now();
    return {
      requestsLeft: Math.floor(this.#requests.available(now)),
      bytesLeft: Math.floor(this.#bytes.available(now)),
      waiting: this.#waiters.length,
      servers: [...this.#servers].map(([server, entry]) => ({
        server,
        requestsLeft: Math.floor(entry.requests.available(now)),
        isBusy: entry.isBusy,
        heldUntil: entry.heldUntil > now ? entry.heldUntil : null,
      })),
    };
  }

  #server(key: string): Server {
    let server = this.#servers.get(key);
    if (server === undefined) {
      const now = this.#clock.now();
      const { burstRequests } = this.#serverRate;
      const requests = new TokenBucket(burstRequests, this.#requestsPerServer() / 60, now);
      // A server that is met for the first time may be one that answered behind the shared address.
      const shared = this.#servers.get(SHARED);
      if (shared !== undefined) requests.take(burstRequests - shared.requests.available(now), now);
      server = { requests, isBusy: false, heldUntil: 0 };
      this.#servers.set(key, server);
    }
    return server;
  }

  /** The servers that the request may meet, the shared address included. */
  #serversOf(key: string | null): readonly Server[] {
    const shared = this.#server(SHARED);
    return key === null ? [...this.#servers.values()] : [this.#server(key), shared];
  }

  #permit(request: BudgetRequest): BudgetPermit {
    const now = this.#clock.now();
    const own = this.#server(request.server ?? SHARED);
    own.isBusy = true;
    const charged = request.server === null ? this.#serversOf(null) : [own];
    for (const server of charged) server.requests.take(1, now);
    this.#requests.take(1, now);
    let responseBytes = 0;
    let isReleased = false;
    return {
      charge: (bytes) => {
        responseBytes += bytes;
        this.#bytes.take(bytes, this.#clock.now());
        return this.#bytes.available(this.#clock.now()) >= 0 ? null : this.#bytesShortfall(responseBytes);
      },
      foresee: (bytes) =>
        this.#bytes.available(this.#clock.now()) >= bytes
          ? null
          : this.#bytesShortfall(responseBytes + bytes),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        own.isBusy = false;
        this.#pump();
      },
    };
  }

  #bytesShortfall(responseBytes: number): BudgetShortfall {
    const { bytesPerMinute } = this.#limits;
    const neededAtLeast = responseBytes > bytesPerMinute ? responseBytes : null;
    return { setting: "bytesPerMinute", current: bytesPerMinute, neededAtLeast };
  }

  /** Grants whom it can, in order; denies who cannot make it; sleeps until the next change. */
  #pump(): void {
    this.#wake?.abort();
    this.#wake = null;
    const waiting = this.#waiters;
    this.#waiters = [];
    const blockedServers = new Set<string | null>();
    let isClusterBlocked = false;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const waiter of waiting) {
      const { server, deadlineAt } = waiter.request;
      const leftMs = deadlineAt === undefined ? Number.POSITIVE_INFINITY : deadlineAt - this.#clock.now();
      const isBehind =
        isClusterBlocked ||
        blockedServers.has(null) ||
        blockedServers.has(server) ||
        (server === null && blockedServers.size > 0);
      const blocker = this.#findBlocker(waiter.request) ?? (isBehind ? BUSY : null);
      if (blocker === null && leftMs >= 0) {
        // Takes its place at once, so that the next in line sees it.
        waiter.grant();
        continue;
      }
      const { waitMs } = blocker ?? TOO_LATE;
      if (waitMs === Number.POSITIVE_INFINITY || leftMs <= 0 || (waitMs !== null && waitMs > leftMs)) {
        waiter.deny(this.#denial(blocker ?? TOO_LATE));
        continue;
      }
      this.#waiters.push(waiter);
      if (blocker?.scope === "cluster") isClusterBlocked = true;
      else blockedServers.add(server);
      nextMs = Math.min(nextMs, leftMs, waitMs ?? Number.POSITIVE_INFINITY);
    }
    if (Number.isFinite(nextMs)) this.#sleep(Math.min(nextMs, MAX_SLEEP_MS));
  }

  #denial(blocker: Blocker): BudgetDeniedError {
    const waitMs = blocker.waitMs ?? Number.POSITIVE_INFINITY;
    const retryAt = Number.isFinite(waitMs) ? this.#clock.now() + waitMs : null;
    return new BudgetDeniedError(blocker.reason, blocker.message, blocker.shortfall, retryAt);
  }

  /** The blocker that lasts longest, or null when the request may be sent. */
  #findBlocker(request: BudgetRequest): Blocker | null {
    const now = this.#clock.now();
    const servers = this.#serversOf(request.server);
    const { requestsPerMinute, bytesPerMinute } = this.#limits;
    const expectedBytes = request.expectedBytes ?? null;
    if (expectedBytes !== null && expectedBytes > bytesPerMinute) {
      return {
        waitMs: Number.POSITIVE_INFINITY,
        scope: "server",
        reason: "budget",
        message: `the response is expected to have ${expectedBytes} bytes, more than bytesPerMinute (${bytesPerMinute}) ever admits: raise it to at least ${expectedBytes}`,
        shortfall: { setting: "bytesPerMinute", current: bytesPerMinute, neededAtLeast: expectedBytes },
      };
    }
    const wantedBytes = Math.min(expectedBytes ?? UNKNOWN_RESPONSE_BYTES, bytesPerMinute);
    const charged = request.server === null ? servers : servers.slice(0, 1);
    const heldMs = Math.max(0, ...servers.map((server) => server.heldUntil - now));
    const candidates: readonly Blocker[] = [
      {
        waitMs: heldMs,
        scope: "server",
        reason: "throttled",
        message: `the API server asked to wait for another ${Math.ceil(heldMs / 1000)} s`,
        shortfall: null,
      },
      {
        waitMs: Math.max(0, ...charged.map((server) => server.requests.waitMs(1, now))),
        scope: "server",
        reason: "budget",
        message: `this API server has had its share of requests (${this.#requestsPerServer()} a minute on average)`,
        shortfall: { setting: "requestsPerServer", current: this.#requestsPerServer(), neededAtLeast: null },
      },
      {
        waitMs: this.#requests.waitMs(1, now),
        scope: "cluster",
        reason: "budget",
        message: `requestsPerMinute (${requestsPerMinute}) of this cluster is used up`,
        shortfall: { setting: "requestsPerMinute", current: requestsPerMinute, neededAtLeast: null },
      },
      {
        waitMs: this.#bytes.waitMs(wantedBytes, now),
        scope: "cluster",
        reason: "budget",
        message: `bytesPerMinute (${bytesPerMinute}) of this cluster is used up`,
        shortfall: { setting: "bytesPerMinute", current: bytesPerMinute, neededAtLeast: null },
      },
    ];
    let longest: Blocker | null = null;
    for (const candidate of candidates) {
      if ((candidate.waitMs ?? 0) > (longest?.waitMs ?? 0)) longest = candidate;
    }
    return longest ?? (servers.some((server) => server.isBusy) ? BUSY : null);
  }

  #sleep(durationMs: number): void {
    const wake = new AbortController();
    this.#wake = wake;
    this.#clock.sleep(durationMs, wake.signal).then(
      () => this.#pump(),
      () => undefined, // Woken by another change, which pumps by itself.
    );
  }
}
