import { EventHeap } from "../../events/event-heap.ts";
import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";

/**
 * The cores of one API server, shared as Go's scheduler shares them, on two virtual clocks so that an event costs
 * O(log n).
 *
 * A long job (a LIST) shares the cores evenly with the other long ones, at most one core each; its work grows with their
 * number per core. `#work` is the work done of a job that has been there from the beginning, so a job that comes at `w`
 * and needs `s` ends when `#work` is `w + s`.
 *
 * A small job (a handshake, the reading of a request, the opening of a watch) runs to its end within one turn. But first
 * it waits for its turns behind the long ones: until each of them has run `delaySeconds` since it came. `#turns` is the
 * time that a long job has run. With a core to spare it waits for nothing.
 *
 * Small jobs whose turn has come go before the long ones, which is what taking turns with short ones comes to; among them
 * handshakes come last, since each takes several round trips: requests of connections that stand do not wait for those
 * that come.
 */

/** Classes of small jobs: who goes first. */
export const REQUEST = 0;
export const HANDSHAKE = 1;
const CLASSES = 2;

export interface ProcessorOptions {
  readonly cores: number;
  readonly concurrencyExponent: number;
  /** Turns × their length: what each long job runs before a small one gets through. */
  readonly delaySeconds: number;
}

/** Long jobs as the processor sees them. `cpuEndsAt` is its own. */
export interface LongJob {
  /** Work alone on a core, seconds. */
  readonly cpuSeconds: number;
  cpuEndsAt: number;
  /** Taken off before its end: it is not told of it. */
  isCancelled: boolean;
}

interface SmallJob<Item> {
  readonly rank: number;
  readonly readyAt: number;
  seconds: number;
  /** `null`: work that nobody waits for. */
  readonly item: Item | null;
}

/** First in, first out. */
class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }
  get first(): Item | undefined {
    return this.#items[this.#head];
  }
  get last(): Item | undefined {
    return this.#items[this.#items.length - 1];
  }
  push(item: Item): void {
    this.#items.push(item);
  }
  shift(): void {
    this.#head++;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head > 1024 && 2 * this.#head > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}

/** Shorter than a tick: what rounding may leave of a job that is done. */
const DONE_SECONDS = 1e-9;

export class Processor<Long extends LongJob, Small> {
  readonly #options: ProcessorOptions;
  readonly #growth: number[] = [1];
  #now: Tick = 0;
  #work = 0;
  #turns = 0;
  #busyCoreSeconds = 0;
  #order = 0;
  readonly #long = new EventHeap<Long>();
  #longJobs = 0;
  readonly #queued = new Fifo<SmallJob<Small>>();
  readonly #ready = Array.from({ length: CLASSES }, () => new Fifo<SmallJob<Small>>());
  #readyJobs = 0;
  /** Ticks are expensive to find anew; `-1`: to be found. */
  #next: Tick = -1;
  #longRate = 1;
  #workRate = 1;
  #smallRate = 1;

  constructor(options: ProcessorOptions) {
    this.#options = options;
  }

  /** Long jobs that share the cores now. */
  get longJobs(): number {
    return this.#longJobs;
  }

  get smallJobs(): number {
    return this.#queued.length + this.#readyJobs;
  }

  /** A core idles: whatever comes now runs at once. */
  get hasSpareCore(): boolean {
    return this.#readyJobs + this.#longJobs + this.#queued.length < this.#options.cores;
  }

  /** Seconds that a long job has come on by `tick`, alone on a core; not before its last change. */
  workAt(tick: Tick): number {
    return this.#work + (this.#longJobs > 0 ? this.#workRate * this.#elapsed(tick) : 0);
  }

  /** Core-seconds used up to `tick`, not before the last change. */
  busyCoreSecondsAt(tick: Tick): number {
    return this.#busyCoreSeconds + this.#busyCores * this.#elapsed(tick);
  }

  addLong(now: Tick, job: Long): void {
    this.#advance(now);
    job.isCancelled = false;
    job.cpuEndsAt = this.#work + job.cpuSeconds;
    this.#long.push(job.cpuEndsAt, this.#order++, job);
    this.#longJobs++;
    this.#changed();
  }

  /** Takes a long job off that has not ended; returns how much of its work was done, 0 to 1. */
  cancel(now: Tick, job: Long): number {
    this.#advance(now);
    job.isCancelled = true;
    this.#longJobs--;
    const left = Math.max(0, job.cpuEndsAt - this.#work);
    this.#changed();
    return job.cpuSeconds > 0 ? Math.max(0, 1 - left / job.cpuSeconds) : 1;
  }

  /** `item` `null`: work that delays others and that nobody waits for. */
  addSmall(now: Tick, rank: number, seconds: number, item: Small | null): void {
    this.#advance(now);
    const isFree = this.#longJobs < this.#options.cores;
    const line = isFree ? this.#line(rank) : this.#queued;
    const { last } = line;
    if (item === null && last?.item === null && last.rank === rank) last.seconds += seconds;
    else {
      line.push({ rank, readyAt: this.#turns + this.#options.delaySeconds, seconds, item });
      if (isFree) this.#readyJobs++;
    }
    this.#changed();
  }

  /** The tick of the next event of its own; infinite where nothing runs. */
  get nextTick(): Tick {
    if (this.#next < 0) this.#next = this.#findNext();
    return this.#next;
  }

  /**
   * Comes to `now` and tells of what ended: at most one job a call, so that whoever is told may change the load. False
   * where nothing ended.
   */
  step(now: Tick, onLong: (job: Long) => void, onSmall: (item: Small) => void): boolean {
    this.#advance(now);
    this.#release();
    const head = this.#head();
    if (head !== undefined && head.seconds <= DONE_SECONDS) {
      this.#line(head.rank).shift();
      this.#readyJobs--;
      this.#changed();
      if (head.item !== null) onSmall(head.item);
      return true;
    }
    this.#dropCancelled();
    if (this.#longJobs > 0 && this.#long.nextTime <= this.#work + DONE_SECONDS) {
      const job = this.#long.pop();
      this.#longJobs--;
      this.#changed();
      if (job !== null) onLong(job);
      return true;
    }
    this.#next = -1;
    return false;
  }

  /** Everything that runs is gone: the process ended. */
  reset(now: Tick): void {
    this.#advance(now);
    while (this.#long.pop() !== null) this.#longJobs = 0;
    this.#longJobs = 0;
    this.#queued.clear();
    for (const line of this.#ready) line.clear();
    this.#readyJobs = 0;
    this.#changed();
  }

  #line(rank: number): Fifo<SmallJob<Small>> {
    const line = this.#ready[rank];
    if (line === undefined) throw new RangeError(`There is no class ${rank} of small jobs.`);
    return line;
  }

  /** The small job that runs. */
  #head(): SmallJob<Small> | undefined {
    if (this.#readyJobs === 0) return undefined;
    for (const line of this.#ready) if (line.length > 0) return line.first;
    return undefined;
  }

  get #busyCores(): number {
    const small = Math.min(this.#options.cores, this.#readyJobs);
    return small + Math.min(this.#longJobs, this.#options.cores - small);
  }

  #elapsed(tick: Tick): number {
    return (tick - this.#now) / TICKS_PER_SECOND;
  }

  #advance(now: Tick): void {
    if (now === this.#now) return;
    const seconds = this.#elapsed(now);
    if (seconds < 0) throw new RangeError(`Time went back from ${this.#now} to ${now}.`);
    this.#busyCoreSeconds += this.#busyCores * seconds;
    if (this.#longJobs > 0) {
      this.#work += this.#workRate * seconds;
      this.#turns += this.#longRate * seconds;
    }
    const head = this.#head();
    if (head !== undefined) head.seconds -= this.#smallRate * seconds;
    this.#now = now;
  }

  /** Small jobs whose turn has come. */
  #release(): void {
    for (let job = this.#queued.first; job !== undefined; job = this.#queued.first) {
      if (this.#longJobs > 0 && job.readyAt > this.#turns + DONE_SECONDS) break;
      this.#queued.shift();
      this.#line(job.rank).push(job);
      this.#readyJobs++;
      this.#changed();
    }
  }

  /** New rates, after what is there changed. */
  #changed(): void {
    const { cores } = this.#options;
    const ready = this.#readyJobs;
    const small = Math.min(cores, ready);
    this.#smallRate = ready > 0 ? Math.min(cores, Math.max(1, ready)) : 0;
    if (cores < 1) this.#smallRate = ready > 0 ? cores : 0;
    this.#longRate = this.#longJobs > 0 ? Math.min(1, (cores - small) / this.#longJobs) : 1;
    this.#workRate = this.#longRate / this.#growthAt(this.#longJobs);
    this.#next = -1;
  }

  /** How much dearer the work is with so many long jobs at once. */
  #growthAt(jobs: number): number {
    for (let n = this.#growth.length; n <= jobs; n++) {
      const perCore = Math.max(1, n / this.#options.cores);
      // Rounded, so that no engine's power function shows in a trace.
      const exact = perCore ** this.#options.concurrencyExponent;
      this.#growth.push(Math.round(exact * 1e9) / 1e9);
    }
    return this.#growth[jobs] ?? 1;
  }

  #dropCancelled(): void {
    for (let first = this.#long.first; first?.isCancelled === true; first = this.#long.first)
      this.#long.pop();
  }

  #findNext(): Tick {
    let seconds = Number.POSITIVE_INFINITY;
    const head = this.#head();
    if (head !== undefined) {
      if (head.seconds <= DONE_SECONDS) return this.#now;
      seconds = head.seconds / this.#smallRate;
    }
    const queued = this.#queued.first;
    if (queued !== undefined) {
      const left = queued.readyAt - this.#turns;
      if (this.#longJobs === 0 || left <= DONE_SECONDS) return this.#now;
      seconds = Math.min(seconds, left / this.#longRate);
    }
    if (this.#longJobs > 0) {
      this.#dropCancelled();
      const left = this.#long.nextTime - this.#work;
      if (left <= DONE_SECONDS) return this.#now;
      seconds = Math.min(seconds, left / this.#workRate);
    }
    return seconds === Number.POSITIVE_INFINITY
      ? seconds
      : this.#now + Math.max(1, Math.ceil(seconds * TICKS_PER_SECOND));
  }
}
