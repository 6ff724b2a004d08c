import { describe, expect, it } from "vitest";
import { seededRandom } from "../../rollout/seeded-random.ts";
import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";
import { HANDSHAKE, type LongJob, Processor, REQUEST } from "./processor.ts";

interface Job extends LongJob {
  readonly name: string;
}

const job = (name: string, cpuSeconds: number): Job => ({
  name,
  cpuSeconds,
  cpuEndsAt: 0,
  isCancelled: false,
});

/** A processor with what ended when, in seconds. */
function open(cores: number, { concurrencyExponent = 0, delaySeconds = 0 } = {}) {
  const processor = new Processor<Job, string>({ cores, concurrencyExponent, delaySeconds });
  const ends: [string, number][] = [];
  const runUntil = (tick: Tick) => {
    while (processor.nextTick <= tick) {
      const now = processor.nextTick;
      const note = (name: string) => ends.push([name, now / TICKS_PER_SECOND]);
      processor.step(now, ({ name }) => note(name), note);
    }
  };
  const run = () => runUntil(1e12);
  return { processor, ends, runUntil, run };
}

describe("long jobs share the cores", () => {
  it("evenly: n jobs of one second on one core all end after n seconds", () => {
    const { processor, ends, run } = open(1);
    for (let index = 0; index < 16; index++) processor.addLong(0, job(`${index}`, 1));
    run();
    expect(ends.map(([, at]) => at)).toEqual(new Array(16).fill(16));
  });

  it("at most one core each: three jobs on eight cores take their own time", () => {
    const { processor, ends, run } = open(8);
    for (const seconds of [1, 2, 3]) processor.addLong(0, job(`${seconds}`, seconds));
    run();
    expect(ends).toEqual([
      ["1", 1],
      ["2", 2],
      ["3", 3],
    ]);
  });

  it("as they come and go: one that comes halfway through delays the first", () => {
    const { processor, ends, run, runUntil } = open(1);
    processor.addLong(0, job("first", 2));
    runUntil(1e6);
    processor.addLong(1e6, job("second", 0.5));
    run();
    expect(ends).toEqual([
      ["second", 2],
      ["first", 2.5],
    ]);
  });

  it("and get dearer with their number per core: 1.38 times at 36", () => {
    const at36 = open(1, { concurrencyExponent: 0.09 });
    for (let index = 0; index < 36; index++) at36.processor.addLong(0, job(`${index}`, 1));
    at36.run();
    expect(at36.ends[0]?.[1]).toBeCloseTo(36 * 36 ** 0.09, 2);
    const spare = open(8, { concurrencyExponent: 0.09 });
    for (let index = 0; index < 8; index++) spare.processor.addLong(0, job(`${index}`, 1));
    spare.run();
    expect(spare.ends[0]?.[1]).toBe(1);
  });

  it("one that is taken off frees its share at once, and says how much of it was done", () => {
    const { processor, ends, run } = open(1);
    const first = job("first", 4);
    processor.addLong(0, first);
    processor.addLong(0, job("second", 2));
    expect(processor.cancel(2e6, first)).toBeCloseTo(0.25, 9);
    run();
    expect(ends).toEqual([["second", 3]]);
    expect(processor.longJobs).toBe(0);
  });

  it("ends are those of work shared out step by step, over seeded loads", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = seededRandom(seed);
      const cores = 1 + Math.floor(random() * 4);
      const jobs = Array.from({ length: 12 }, (_, index) => ({
        name: `${index}`,
        at: Math.floor(random() * 5e6),
        seconds: 0.1 + random() * 3,
      })).sort((a, b) => a.at - b.at);
      const { processor, ends, run, runUntil } = open(cores);
      for (const { name, at, seconds } of jobs) {
        runUntil(at - 1);
        processor.addLong(at, job(name, seconds));
      }
      run();
      for (const [name, at] of shareOut(jobs, cores)) {
        // Each of the twelve comings and goings may be off by a step.
        expect(Math.abs((ends.find(([ended]) => ended === name)?.[1] ?? 0) - at)).toBeLessThan(
          12 * STEP_SECONDS,
        );
      }
    }
  });
});

const STEP_SECONDS = 0.0005;

/** The same by brute force. */
function shareOut(
  jobs: readonly { readonly name: string; readonly at: number; readonly seconds: number }[],
  cores: number,
): Map<string, number> {
  const left = new Map<string, number>();
  const ends = new Map<string, number>();
  const step = STEP_SECONDS;
  for (let now = 0; ends.size < jobs.length; now += step) {
    for (const { name, at, seconds } of jobs) {
      if (!left.has(name) && !ends.has(name) && at / 1e6 <= now) left.set(name, seconds);
    }
    const share = step * Math.min(1, cores / Math.max(1, left.size));
    for (const [name, seconds] of left) {
      if (seconds > share) left.set(name, seconds - share);
      else {
        left.delete(name);
        ends.set(name, now + step);
      }
    }
  }
  return ends;
}

describe("small jobs", () => {
  it("run one after the other: 500 handshakes of 3.6 ms are let in over 1.8 s", () => {
    const { processor, ends, run } = open(1);
    for (let index = 0; index < 500; index++) processor.addSmall(0, HANDSHAKE, 0.0036, `${index}`);
    run();
    expect(ends[0]?.[1]).toBeCloseTo(0.0036, 6);
    expect(ends[249]?.[1]).toBeCloseTo(0.9, 3);
    expect(ends[499]?.[1]).toBeCloseTo(1.8, 3);
  });

  it("wait for their turns behind long ones: 40 ms of each of 36, 1.44 s; and for nothing with a core to spare", () => {
    const wait = (cores: number) => {
      const { processor, ends, runUntil } = open(cores, { delaySeconds: 0.04 });
      for (let index = 0; index < 36; index++) processor.addLong(0, job(`${index}`, 100));
      processor.addSmall(0, REQUEST, 0.0005, "small");
      runUntil(5e6);
      return ends[0]?.[1] ?? Number.NaN;
    };
    expect(wait(1)).toBeCloseTo(1.4405, 4);
    expect(wait(4)).toBeCloseTo(0.3605, 3);
    expect(wait(37)).toBeCloseTo(0.0005, 6);
  });

  it("are freed at once when the last long one ends", () => {
    const { processor, ends, run } = open(1, { delaySeconds: 10 });
    processor.addLong(0, job("long", 1));
    processor.addSmall(0, REQUEST, 0.001, "small");
    run();
    expect(ends).toEqual([
      ["long", 1],
      ["small", 1.001],
    ]);
  });

  it("of requests go before handshakes", () => {
    const { processor, ends, run } = open(1);
    processor.addSmall(0, HANDSHAKE, 0.001, "handshake");
    processor.addSmall(0, HANDSHAKE, 0.001, "next");
    processor.addSmall(0, REQUEST, 0.001, "request");
    run();
    expect(ends.map(([name]) => name)).toEqual(["request", "handshake", "next"]);
  });

  it("take what they need from the long ones", () => {
    const { processor, ends, run } = open(1);
    processor.addLong(0, job("long", 1));
    for (let index = 0; index < 100; index++) processor.addSmall(0, REQUEST, 0.005, "");
    run();
    expect(ends.at(-1)).toEqual(["long", 1.5]);
  });

  it("that nobody waits for are told to nobody, and cost all the same", () => {
    const { processor, ends, run } = open(1);
    processor.addSmall(0, REQUEST, 0.5, null);
    processor.addSmall(0, REQUEST, 0.5, null);
    processor.addSmall(0, REQUEST, 0.1, "last");
    run();
    expect(ends).toEqual([["last", 1.1]]);
  });
});

describe("the account of core-seconds", () => {
  it("is the work that was done, and never more than the cores", () => {
    const { processor, run } = open(2);
    for (let index = 0; index < 5; index++) processor.addLong(0, job(`${index}`, 1));
    processor.addSmall(0, REQUEST, 0.25, "small");
    expect(processor.busyCoreSecondsAt(1e6)).toBe(2);
    run();
    expect(processor.busyCoreSecondsAt(10e6)).toBeCloseTo(5.25, 5);
  });

  it("ends with everything when the process does", () => {
    const { processor, ends, run } = open(1);
    processor.addLong(0, job("long", 1));
    processor.addSmall(0, REQUEST, 1, "small");
    processor.reset(100);
    run();
    expect(ends).toEqual([]);
    expect([processor.longJobs, processor.smallJobs, processor.nextTick]).toEqual([
      0,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it("does not go back in time", () => {
    const { processor } = open(1);
    processor.addLong(10, job("long", 1));
    expect(() => processor.addLong(5, job("late", 1))).toThrow(RangeError);
  });
});
