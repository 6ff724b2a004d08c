/** Time of the simulations in this folder: whole microseconds from their start, so that ties are exact. */
export type Tick = number;

export const TICKS_PER_SECOND = 1_000_000;

/** The nearest tick. Exact for whole microseconds below 285 years. */
export const toTicks = (seconds: number): Tick => Math.round(seconds * TICKS_PER_SECOND);

export const toSeconds = (ticks: Tick): number => ticks / TICKS_PER_SECOND;
