/** What a span of time says of a quantity that was constant between its changes. */
export interface IntegratorResults {
  readonly durationSeconds: number;
  /** Weighted by time. NaN over a span of no length. */
  readonly average: number;
  /**
   * Standard deviation. NaN over a span of no length, and where rounding makes the variance of a constant quantity
   * slightly negative, as upstream's does.
   */
  readonly deviation: number;
  /** Extremes, the value at the start of the span included. */
  readonly min: number;
  readonly max: number;
}

const NS_PER_SECOND = 1e9;

/**
 * Integrates a quantity (the seat demand of a priority level) over time in whole nanoseconds, in the order of
 * operations of upstream, so that results agree to the last digits. Starts with the value 0.
 * Source: apiserver pkg/util/flowcontrol/fairqueuing/integrator.go, v1.26 to v1.37.
 */
export class DemandIntegrator {
  #value = 0;
  #min = 0;
  #max = 0;
  #elapsedSeconds = 0;
  #integral = 0;
  #integralOfSquare = 0;
  #lastNs: number;

  constructor(startNs: number) {
    this.#lastNs = startNs;
  }

  get value(): number {
    return this.#value;
  }

  /** From `nowNs` on, not before the last change, the quantity is `value`. */
  set(nowNs: number, value: number): void {
    this.#advance(nowNs);
    this.#value = value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /** Results since the start or the last reset. */
  results(nowNs: number): IntegratorResults {
    this.#advance(nowNs);
    const durationSeconds = this.#elapsedSeconds;
    const average = durationSeconds > 0 ? this.#integral / durationSeconds : Number.NaN;
    const variance = this.#integralOfSquare / durationSeconds - average * average;
    // The square root of a negative variance is NaN, here as upstream.
    return { durationSeconds, average, deviation: Math.sqrt(variance), min: this.#min, max: this.#max };
  }

  /** As `results`; the next span starts now, with the value that stands. */
  reset(nowNs: number): IntegratorResults {
    const results = this.results(nowNs);
    this.#elapsedSeconds = 0;
    this.#integral = 0;
    this.#integralOfSquare = 0;
    this.#min = this.#value;
    this.#max = this.#value;
    return results;
  }

  #advance(nowNs: number): void {
    const elapsedNs = nowNs - this.#lastNs;
    if (elapsedNs === 0) return;
    this.#lastNs = nowNs;
    // Whole seconds and the rest apart, as Go converts durations to floating point.
    const wholeSeconds = Math.floor(elapsedNs / NS_PER_SECOND);
    const seconds = wholeSeconds + (elapsedNs - wholeSeconds * NS_PER_SECOND) / NS_PER_SECOND;
    this.#elapsedSeconds += seconds;
    this.#integral += this.#value * seconds;
    this.#integralOfSquare += this.#value * this.#value * seconds;
  }
}
