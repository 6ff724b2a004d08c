/** Seconds until the first restart; doubled each time. */
const FIRST_DELAY_SECONDS = 1;
const MAX_DELAY_SECONDS = 60;
/** A run this long counts as healthy: what ends it is the first crash again. */
export const HEALTHY_RUN_SECONDS = 300;

export interface Ended {
  /** Crashes in a row before this one. */
  readonly crashesBefore: number;
  readonly ranSeconds: number;
}

export interface RestartDecision {
  /** Crashes in a row, this one included. */
  readonly crashes: number;
  readonly delaySeconds: number;
}

/** When to start a process again that ended by itself: after 1, 2, 4 … 60 s; from the start after a healthy run. */
export function decideRestart({ crashesBefore, ranSeconds }: Ended): RestartDecision {
  const crashes = ranSeconds >= HEALTHY_RUN_SECONDS ? 1 : crashesBefore + 1;
  const delaySeconds = Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** Math.min(crashes - 1, 16));
  return { crashes, delaySeconds };
}
