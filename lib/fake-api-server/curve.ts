/**
 * A rate over time with an exact integral, so that a counter is a pure function of its start and the present: it
 * never goes back, and any two readings differ by what the rate says.
 */
export interface Curve {
  /** Per second, at an instant in milliseconds since the epoch; never negative. */
  at(ms: number): number;
  /** The amount between two instants; additive. */
  total(fromMs: number, toMs: number): number;
}

/** `[start, end)` in milliseconds since the epoch. */
export type Interval = readonly [start: number, end: number];

/** The intervals that meet `[from, to)`, sorted and disjoint. */
export type Windows = (from: number, to: number) => readonly Interval[];

export const constant = (perSecond: number): Curve => ({
  at: () => perSecond,
  total: (from, to) => (perSecond * (to - from)) / 1000,
});

export interface Ripple {
  readonly periodSeconds: number;
  /** Share of the mean; those of one wave add up to at most 1. */
  readonly amplitude: number;
  /** Radians. */
  readonly phase: number;
}

/** A mean with ripples on it. */
export function wave(mean: number, ripples: readonly Ripple[]): Curve {
  const parts = ripples.map(({ periodSeconds, amplitude, phase }) => ({
    omega: (2 * Math.PI) / periodSeconds,
    amplitude,
    phase,
  }));
  return {
    at: (ms) => {
      let factor = 1;
      for (const { omega, amplitude, phase } of parts) {
        factor += amplitude * Math.sin((omega * ms) / 1000 + phase);
      }
      return Math.max(0, mean * factor);
    },
    total: (from, to) => {
      let seconds = (to - from) / 1000;
      for (const { omega, amplitude, phase } of parts) {
        const swing = Math.cos((omega * from) / 1000 + phase) - Math.cos((omega * to) / 1000 + phase);
        seconds += (amplitude * swing) / omega;
      }
      return mean * seconds;
    },
  };
}

export const scale = (curve: Curve, factor: number): Curve => ({
  at: (ms) => curve.at(ms) * factor,
  total: (from, to) => curve.total(from, to) * factor,
});

export const add = (...curves: readonly Curve[]): Curve => ({
  at: (ms) => curves.reduce((sum, curve) => sum + curve.at(ms), 0),
  total: (from, to) => curves.reduce((sum, curve) => sum + curve.total(from, to), 0),
});

/** The curve inside the windows, nothing outside. */
export const during = (curve: Curve, windows: Windows): Curve => ({
  at: (ms) => (windows(ms, ms + 1).length > 0 ? curve.at(ms) : 0),
  total: (from, to) => {
    if (to <= from) return 0;
    let sum = 0;
    for (const [start, end] of windows(from, to)) {
      sum += curve.total(Math.max(from, start), Math.min(to, end));
    }
    return sum;
  },
});

/** The curve outside the windows, nothing inside. */
export const outside = (curve: Curve, windows: Windows): Curve => {
  const inside = during(curve, windows);
  return {
    at: (ms) => (windows(ms, ms + 1).length > 0 ? 0 : curve.at(ms)),
    total: (from, to) => Math.max(0, curve.total(from, to) - inside.total(from, to)),
  };
};

/** Windows that return: the first starts at `firstAt`, and from then on one each period. */
export function recurring(firstAt: number, lengthSeconds: number, periodSeconds: number): Windows {
  const length = lengthSeconds * 1000;
  const period = periodSeconds * 1000;
  return (from, to) => {
    const found: Interval[] = [];
    const first = Math.max(0, Math.floor((from - firstAt - length) / period) + 1);
    for (let k = first; firstAt + k * period < to; k++) {
      const start = firstAt + k * period;
      if (start + length > from) found.push([start, start + length]);
    }
    return found;
  };
}

export const fixedWindows =
  (intervals: readonly Interval[]): Windows =>
  (from, to) =>
    intervals.filter(([start, end]) => start < to && end > from);
