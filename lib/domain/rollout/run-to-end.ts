import type { EventClock } from "./event-clock.ts";
import { toTicks } from "./ticks.ts";

/**
 * Handles event after event until `findEnd` names an end. `stalled`: nothing is left to happen. `time-limit`: what would
 * come next comes after the limit.
 */
export function runToEnd<End extends string>(run: {
  readonly clock: Pick<EventClock<unknown>, "nextTick">;
  readonly limitSeconds: number;
  readonly findEnd: () => End | null;
  readonly step: () => void;
}): End | "stalled" | "time-limit" {
  const limit = toTicks(run.limitSeconds);
  for (;;) {
    const end = run.findEnd();
    if (end !== null) return end;
    const next = run.clock.nextTick;
    if (next === null) return "stalled";
    if (next > limit) return "time-limit";
    run.step();
  }
}
