import { SampledDurations } from "./sampled-durations.ts";

/** What is left of what may be remembered, shared by all that is learned from one log. */
export interface LearnBudget {
  /** Copies by flow and by agent. */
  copies: number;
  /** Copies whose times are kept one by one. */
  timedCopies: number;
  /** Names of namespaces, nodes and objects. */
  names: number;
}

/** One request of a flow. */
export interface FlowRequest {
  /** Milliseconds since the epoch; `null`: not known. */
  readonly at: number | null;
  /** Which copy sent it, a small whole number. */
  readonly copy: number;
  /** Which copy sent which request, where the flow holds several; as `copy` where it does not. */
  readonly same: number;
  /** Seconds until it was answered; `null`: not known, or a WATCH. */
  readonly elapsedSeconds: number | null;
  readonly code: number | null;
}

/** `counted`: how many, by whom, how they ended. `paced`: also how many within a second. `timed`: also how often. */
export type FlowDetail = "counted" | "paced" | "timed";

/** More than so many requests of one copy for the same thing in a second are a hot loop. */
export const HOT_REQUESTS_PER_SECOND = 10;
const TIMED_COPIES_OF_FLOW = 64;
const COPIES_OF_SECOND = 128;
const MAX_CODES = 12;
const OK = 200;
/** Seconds in which requests may be logged out of order, and still count for their second. */
const RING_SECONDS = 16;

/** Requests of one agent for the same thing: how many, by how many copies, how often, how they ended. Bounded memory. */
export class RequestFlow {
  readonly #budget: LearnBudget;
  readonly #detail: FlowDetail;
  readonly #copies = new Set<number>();
  readonly #lastAt = new Map<number, number>();
  /** Of statuses other than 200, which nearly all have. */
  readonly #codes = new Map<number, number>();
  #answered = 0;
  readonly #seconds = new Int32Array(RING_SECONDS).fill(-1);
  readonly #secondCounts = new Int32Array(RING_SECONDS);
  #copySecond = -1;
  /** The copies of the first requests in that second, and the counts of all copies once there are more requests. */
  readonly #firstCopies = new Int32Array(HOT_REQUESTS_PER_SECOND);
  #firstCount = 0;
  #copyCounts: Map<number, number> | null = null;
  #isCopySecondHot = false;
  intervals = new SampledDurations();
  durations = new SampledDurations();
  requests = 0;
  firstAt: number | null = null;
  lastAt: number | null = null;
  /** Most requests of all copies in one second, and that second. */
  peakPerSecond = 0;
  peakAt: number | null = null;
  /** Most requests of one copy for the same in one second. */
  peakOfOneCopy = 0;
  peakOfOneCopyAt: number | null = null;
  /** Seconds in which a copy sent more than `HOT_REQUESTS_PER_SECOND`. */
  hotSeconds = 0;
  /** True where there were more copies than are remembered. */
  isCopiesAtLeast = false;

  constructor(budget: LearnBudget, detail: FlowDetail) {
    this.#budget = budget;
    this.#detail = detail;
  }

  get copies(): number {
    return this.#copies.size;
  }

  /** Requests by HTTP status. */
  get codes(): ReadonlyMap<number, number> {
    return this.#answered === 0 ? this.#codes : new Map([[OK, this.#answered], ...this.#codes]);
  }

  observe({ at, copy, same, elapsedSeconds, code }: FlowRequest): void {
    this.requests++;
    this.#addCopy(copy);
    if (code === OK) this.#answered++;
    else if (code !== null && (this.#codes.has(code) || this.#codes.size < MAX_CODES)) {
      this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    }
    if (elapsedSeconds !== null && this.#detail === "timed") this.durations.add(elapsedSeconds);
    if (at === null) return;
    if (this.firstAt === null || at < this.firstAt) this.firstAt = at;
    if (this.lastAt === null || at > this.lastAt) this.lastAt = at;
    if (this.#detail === "counted") return;
    if (this.#detail === "timed") this.#addInterval(same, at);
    this.#addToSecond(same, at);
  }

  /** Takes over what was counted of a like flow, intervals and durations of the longer one alone. */
  absorb(other: RequestFlow): void {
    this.requests += other.requests;
    for (const copy of other.#copies) this.#addCopy(copy);
    for (const [code, requests] of other.#codes)
      this.#codes.set(code, (this.#codes.get(code) ?? 0) + requests);
    if (other.firstAt !== null) this.firstAt = Math.min(this.firstAt ?? other.firstAt, other.firstAt);
    if (other.lastAt !== null) this.lastAt = Math.max(this.lastAt ?? other.lastAt, other.lastAt);
    if (other.peakPerSecond > this.peakPerSecond) {
      this.peakPerSecond = other.peakPerSecond;
      this.peakAt = other.peakAt;
    }
    if (other.peakOfOneCopy > this.peakOfOneCopy) {
      this.peakOfOneCopy = other.peakOfOneCopy;
      this.peakOfOneCopyAt = other.peakOfOneCopyAt;
    }
    this.hotSeconds += other.hotSeconds;
    if (other.isCopiesAtLeast) this.isCopiesAtLeast = true;
    if (other.intervals.count > this.intervals.count) this.intervals = other.intervals;
    if (other.durations.count > this.durations.count) this.durations = other.durations;
  }

  #addCopy(copy: number): void {
    if (this.#copies.has(copy)) return;
    if (this.#budget.copies <= 0) {
      this.isCopiesAtLeast = true;
      return;
    }
    this.#budget.copies--;
    this.#copies.add(copy);
  }

  #addInterval(copy: number, at: number): void {
    const before = this.#lastAt.get(copy);
    if (before === undefined) {
      if (this.#lastAt.size >= TIMED_COPIES_OF_FLOW || this.#budget.timedCopies <= 0) return;
      this.#budget.timedCopies--;
    } else if (at > before) this.intervals.add((at - before) / 1000);
    // Logs of several servers one behind the other go back in time: what lies between says nothing.
    this.#lastAt.set(copy, at);
  }

  #addToSecond(copy: number, at: number): void {
    const second = Math.floor(at / 1000);
    const slot = second % RING_SECONDS;
    if (this.#seconds[slot] !== second % 0x40000000) {
      this.#seconds[slot] = second % 0x40000000;
      this.#secondCounts[slot] = 0;
    }
    const count = (this.#secondCounts[slot] ?? 0) + 1;
    this.#secondCounts[slot] = count;
    if (count > this.peakPerSecond) {
      this.peakPerSecond = count;
      this.peakAt = second * 1000;
    }
    this.#addToCopySecond(copy, second);
  }

  /** The first requests of a second are only written down: most seconds have no more. */
  #addToCopySecond(copy: number, second: number): void {
    if (second !== this.#copySecond) {
      if (second < this.#copySecond && this.#copySecond - second < RING_SECONDS) return;
      this.#copySecond = second;
      this.#firstCount = 0;
      this.#copyCounts?.clear();
      this.#isCopySecondHot = false;
    }
    if (this.#firstCount < HOT_REQUESTS_PER_SECOND) {
      this.#firstCopies[this.#firstCount++] = copy;
      if (this.peakOfOneCopy < HOT_REQUESTS_PER_SECOND) this.#notePeak(this.#countOfFirst(copy), second);
      return;
    }
    this.#copyCounts ??= new Map();
    if (this.#copyCounts.size === 0) {
      for (const each of this.#firstCopies) this.#copyCounts.set(each, (this.#copyCounts.get(each) ?? 0) + 1);
    }
    const before = this.#copyCounts.get(copy);
    if (before === undefined && this.#copyCounts.size >= COPIES_OF_SECOND) return;
    const count = (before ?? 0) + 1;
    this.#copyCounts.set(copy, count);
    this.#notePeak(count, second);
    if (count > HOT_REQUESTS_PER_SECOND && !this.#isCopySecondHot) {
      this.#isCopySecondHot = true;
      this.hotSeconds++;
    }
  }

  #countOfFirst(copy: number): number {
    let count = 0;
    for (let i = 0; i < this.#firstCount; i++) if (this.#firstCopies[i] === copy) count++;
    return count;
  }

  #notePeak(count: number, second: number): void {
    if (count <= this.peakOfOneCopy) return;
    this.peakOfOneCopy = count;
    this.peakOfOneCopyAt = second * 1000;
  }
}

/** Adds up counts by code; `codes` sorted by code. */
export function joinCodes(
  flows: readonly RequestFlow[],
): readonly { readonly code: number; readonly requests: number }[] {
  const sum = new Map<number, number>();
  for (const flow of flows) {
    for (const [code, count] of flow.codes) sum.set(code, (sum.get(code) ?? 0) + count);
  }
  return [...sum].map(([code, requests]) => ({ code, requests })).sort((a, b) => a.code - b.code);
}
