import { type Tick, toTicks } from "./ticks.ts";

/** How long the steps of replacing a pod take, in seconds, each at least 0. None of it is the controller's own time. */
export interface PodDurations {
  /** From the deletion until the containers have ended: up to the grace period. */
  readonly terminationSeconds: number;
  /** From there until the pod object is gone. */
  readonly removalSeconds: number;
  /** From the creation until the scheduler has bound the pod. */
  readonly scheduleSeconds: number;
  /** Pulling images; 0 where they are on the node. */
  readonly pullSeconds: number;
  /** Sandbox and containers until the process runs. */
  readonly startSeconds: number;
  /** From the process running until the first Ready. */
  readonly readySeconds: number;
}

/** Used for what nobody has measured: plausible for a small agent, not established by anything. */
export const ASSUMED_DURATIONS: PodDurations = {
  terminationSeconds: 5,
  removalSeconds: 1,
  scheduleSeconds: 1,
  pullSeconds: 15,
  startSeconds: 2,
  readySeconds: 10,
};

/** Seconds for which a node is without its pod, or a replica on its way: all steps in a row. */
export function sumDurations(durations: PodDurations): number {
  return stoppingSeconds(durations) + startingSeconds(durations);
}

export const stoppingSeconds = ({ terminationSeconds, removalSeconds }: PodDurations): number =>
  terminationSeconds + removalSeconds;

export const startingSeconds = (durations: PodDurations): number =>
  processSeconds(durations) + durations.readySeconds;

/** From the creation until the process runs. */
export const processSeconds = ({ scheduleSeconds, pullSeconds, startSeconds }: PodDurations): number =>
  scheduleSeconds + pullSeconds + startSeconds;

/** Spread of durations: each is multiplied by 1 to 1 + `jitterRatio`, evenly, by a random source that is given. */
export interface Spread {
  readonly jitterRatio: number;
  /** Numbers from 0 up to, not including, 1. */
  readonly random: () => number;
}

/** Ticks of a duration, spread where a spread is given. */
export function spreadTicks(seconds: number, spread: Spread | undefined): Tick {
  if (spread === undefined || spread.jitterRatio === 0) return toTicks(seconds);
  return toTicks(seconds * (1 + spread.jitterRatio * spread.random()));
}
