import { TICKS_PER_SECOND, type Tick } from "../../rollout/ticks.ts";

/** How values of two steps become that of one twice as long, and how those of one step do. */
export type SeriesKind = "max" | "last" | "sum" | "mean";

/** Most steps of a series before its step doubles. */
export const SERIES_STEPS_MAX = 1200;
const FINEST_STEP_SECONDS = 0.125;

/** The steps that all series of a run share: they double together when there are too many. */
export class StepClock {
  #stepTicks: Tick;
  #end: Tick;
  #steps = 0;
  readonly #series: StepSeries[] = [];

  constructor(stepSeconds: number | null) {
    this.#stepTicks = Math.max(1, Math.round((stepSeconds ?? FINEST_STEP_SECONDS) * TICKS_PER_SECOND));
    this.#end = this.#stepTicks;
  }

  get stepSeconds(): number {
    return this.#stepTicks / TICKS_PER_SECOND;
  }

  /** End of the step under way. */
  get endTick(): Tick {
    return this.#end;
  }

  /** Full steps. */
  get steps(): number {
    return this.#steps;
  }

  indexOf(tick: Tick): number {
    return Math.floor(tick / this.#stepTicks);
  }

  make(kind: SeriesKind): StepSeries {
    const series = new StepSeries(this, kind, this.#steps);
    this.#series.push(series);
    return series;
  }

  /** Ends the step under way; `close` puts its values into the series first. */
  roll(close: (endTick: Tick) => void): void {
    close(this.#end);
    this.#steps++;
    if (this.#steps >= SERIES_STEPS_MAX && this.#steps % 2 === 0) {
      for (const series of this.#series) series.halve();
      this.#steps /= 2;
      this.#stepTicks *= 2;
    }
    this.#end = (this.#steps + 1) * this.#stepTicks;
  }

  startOf(index: number): Tick {
    return index * this.#stepTicks;
  }

  get stepTicks(): Tick {
    return this.#stepTicks;
  }
}

/** One value a step. Steps before it was made have 0. */
export class StepSeries {
  readonly kind: SeriesKind;
  readonly #clock: StepClock;
  #values: number[];
  /** Rates that begin or end at a step, of amounts spread over time. */
  #rates: number[] = [];

  constructor(clock: StepClock, kind: SeriesKind, steps: number) {
    this.#clock = clock;
    this.kind = kind;
    this.#values = new Array<number>(steps).fill(0);
  }

  /** The value of the step under way. */
  push(value: number): void {
    // Amounts spread into the step under way are there already.
    const index = this.#clock.steps;
    this.#values[index] = (this.#values[index] ?? 0) + value;
  }

  /** Spreads an amount evenly over a time that has passed: a sum series. */
  spread(from: Tick, to: Tick, amount: number): void {
    if (amount === 0) return;
    const first = this.#clock.indexOf(from);
    const last = this.#clock.indexOf(to);
    if (first === last || to === from) {
      this.#add(first, amount);
      return;
    }
    const perTick = amount / (to - from);
    this.#add(first, perTick * (this.#clock.startOf(first + 1) - from));
    this.#add(last, perTick * (to - this.#clock.startOf(last)));
    if (last - first < 2) return;
    const whole = perTick * this.#clock.stepTicks;
    this.#rates[first + 1] = (this.#rates[first + 1] ?? 0) + whole;
    this.#rates[last] = (this.#rates[last] ?? 0) - whole;
  }

  /** All values, the step under way left out. */
  values(): readonly number[] {
    this.#settle();
    const { steps } = this.#clock;
    return Array.from({ length: steps }, (_, index) => this.#values[index] ?? 0);
  }

  halve(): void {
    this.#settle();
    const halved: number[] = [];
    for (let index = 0; index < this.#values.length; index += 2) {
      const a = this.#values[index] ?? 0;
      const b = this.#values[index + 1] ?? 0;
      halved.push(this.#together(a, b));
    }
    this.#values = halved;
  }

  #together(a: number, b: number): number {
    switch (this.kind) {
      case "max":
        return Math.max(a, b);
      case "last":
        return b;
      case "sum":
        return a + b;
      case "mean":
        return (a + b) / 2;
    }
  }

  #add(index: number, amount: number): void {
    this.#values[index] = (this.#values[index] ?? 0) + amount;
  }

  #settle(): void {
    let rate = 0;
    for (let index = 0; index < this.#rates.length; index++) {
      rate += this.#rates[index] ?? 0;
      if (rate !== 0) this.#add(index, rate);
    }
    this.#rates = [];
  }
}
