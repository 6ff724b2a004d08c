import type { Tick } from "./ticks.ts";

/** The most ticks of an ascending list that lie within any window of `windowTicks`, its end not included. */
export function startsInWindow(ticks: readonly Tick[], windowTicks: Tick): number {
  let most = 0;
  let first = 0;
  for (const [index, tick] of ticks.entries()) {
    while ((ticks[first] ?? tick) <= tick - windowTicks) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
