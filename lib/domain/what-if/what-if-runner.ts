import { bandsOf, type StormBands, type StormSummary, summariseStorm } from "../storm/bands.ts";
import { StormSimulation } from "../storm/simulate-storm.ts";
import type { StormInput } from "../storm/storm-input.ts";
import type { StormResult } from "../storm/storm-result.ts";
import type { Verdict } from "../storm/verdict.ts";
import { type DrawnStorm, drawProgress, drawStorm, type StormProgress } from "./drawn-storm.ts";

/** One question: a storm to draw, others to judge beside it, further seeds for its bands. The next one replaces it. */
export interface WhatIfAsk {
  readonly id: number;
  readonly input: StormInput;
  /** In the order of their importance; each is simulated once, with the seed of its input. */
  readonly sides: readonly { readonly key: string; readonly input: StormInput }[];
  /** The same for those that may wait until the bands are there. */
  readonly laterSides: readonly { readonly key: string; readonly input: StormInput }[];
  /** Beside the seed of the input. */
  readonly furtherSeeds: readonly number[];
}

/** What is told of a storm that is not drawn. */
export interface SideStorm {
  readonly verdict: Verdict;
  readonly outcome: StormResult["drain"]["outcome"];
  readonly drainSeconds: number | null;
  readonly rejected: number;
  readonly neighbourWaitSeconds: number | null;
  readonly linkRatio: number | null;
}

export type WhatIfReply =
  | { readonly kind: "progress"; readonly id: number; readonly progress: StormProgress }
  | { readonly kind: "storm"; readonly id: number; readonly storm: DrawnStorm }
  | { readonly kind: "side"; readonly id: number; readonly key: string; readonly side: SideStorm | null }
  | { readonly kind: "bands"; readonly id: number; readonly bands: StormBands; readonly seedsWanted: number }
  | { readonly kind: "done"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

export interface WhatIfRunnerOptions {
  readonly reply: (reply: WhatIfReply) => void;
  /** Lets whatever else waits come first, such as the next question. */
  readonly pause: () => Promise<void>;
  /** Milliseconds from any begin. */
  readonly now: () => number;
}

/** How long it simulates before it looks whether something else was asked. */
const SLICE_MS = 24;
const STEPS_BETWEEN_LOOKS = 512;
/** A picture of a storm on its way: the first soon, then from time to time. */
const FIRST_PROGRESS_MS = 60;
const PROGRESS_MS = 250;
/** Bands are made anew at most so often. */
const BANDS_MS = 200;

/**
 * Simulates what a page asks, in slices, so that a newer question ends an older one at once. For each question: one
 * `storm` (before it `progress` where it takes long), then a `side` for each side, `bands` as they fill, `done` at the
 * end; or `failed`. Equal questions get equal storms, those of `simulateStorm`.
 */
export class WhatIfRunner {
  readonly #options: WhatIfRunnerOptions;
  #latest: WhatIfAsk | null = null;
  #running: Promise<void> | null = null;

  constructor(options: WhatIfRunnerOptions) {
    this.#options = options;
  }

  /** Ends with the last question that was asked meanwhile. */
  ask(ask: WhatIfAsk): Promise<void> {
    this.#latest = ask;
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #runAll(): Promise<void> {
    let done: WhatIfAsk | null = null;
    while (this.#latest !== done) {
      const ask: WhatIfAsk | null = this.#latest;
      if (ask === null) return;
      await this.#run(ask);
      done = ask;
    }
  }

  async #run(ask: WhatIfAsk): Promise<void> {
    const { id, input, sides, laterSides, furtherSeeds } = ask;
    const { reply, now } = this.#options;
    const isCurrent = () => this.#latest === ask;
    try {
      const result = await this.#simulate(input, isCurrent, (progress) =>
        reply({ kind: "progress", id, progress }),
      );
      if (result === null) return;
      reply({ kind: "storm", id, storm: drawStorm(result) });
      await this.#runSides(id, sides, isCurrent);
      const summaries: StormSummary[] = [summariseStorm(result)];
      let toldAt = Number.NEGATIVE_INFINITY;
      for (const [index, seed] of furtherSeeds.entries()) {
        const further = await this.#simulate({ ...input, seed }, isCurrent);
        if (further === null) return;
        summaries.push(summariseStorm(further));
        if (index + 1 < furtherSeeds.length && now() - toldAt < BANDS_MS) continue;
        toldAt = now();
        reply({ kind: "bands", id, bands: bandsOf(summaries), seedsWanted: furtherSeeds.length + 1 });
      }
      await this.#runSides(id, laterSides, isCurrent);
      if (isCurrent()) reply({ kind: "done", id });
    } catch (error) {
      if (!isCurrent()) return;
      reply({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #runSides(id: number, sides: WhatIfAsk["sides"], isCurrent: () => boolean): Promise<void> {
    for (const { key, input } of sides) {
      const side = await this.#simulateSide(input, isCurrent);
      if (!isCurrent()) return;
      this.#options.reply({ kind: "side", id, key, side });
    }
  }

  /** `null` where it cannot be simulated, or something else was asked. */
  async #simulateSide(input: StormInput, isCurrent: () => boolean): Promise<SideStorm | null> {
    try {
      const result = await this.#simulate(input, isCurrent);
      return result === null ? null : toSide(result);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** `null`: something else was asked. @throws RangeError where the input cannot be simulated */
  async #simulate(
    input: StormInput,
    isCurrent: () => boolean,
    onProgress?: (progress: StormProgress) => void,
  ): Promise<StormResult | null> {
    const { now, pause } = this.#options;
    if (!isCurrent()) return null;
    let sliceAt = now();
    let tellAt = sliceAt + FIRST_PROGRESS_MS;
    const storm = new StormSimulation(input);
    for (let steps = 1; storm.step(); steps++) {
      if (steps % STEPS_BETWEEN_LOOKS !== 0 || now() - sliceAt < SLICE_MS) continue;
      if (onProgress !== undefined && now() >= tellAt) {
        onProgress(drawProgress(storm));
        tellAt = now() + PROGRESS_MS;
      }
      await pause();
      if (!isCurrent()) return null;
      sliceAt = now();
    }
    // Between storms too, however short each is.
    await pause();
    return isCurrent() ? storm.run() : null;
  }
}

function toSide(result: StormResult): SideStorm {
  const { verdict, drain, totals, peaks, neighbours } = result;
  const waits = neighbours.flatMap(({ isOwnFlow, waitSecondsP99 }) =>
    isOwnFlow ? [] : (waitSecondsP99 ?? []),
  );
  return {
    verdict,
    outcome: drain.outcome,
    drainSeconds: drain.seconds,
    rejected: totals.rejectedAll,
    neighbourWaitSeconds: waits.length === 0 ? null : Math.max(...waits),
    linkRatio: peaks.linkRatio,
  };
}
