/** The start time has a resolution of 10 ms. */
const SAME_START_MS = 5;
/** Setting the machine's clock moves the start time by whole seconds (boot time has that resolution). */
const CLOCK_STEP_MS = 5_000;

/** Whether two readings of `process_start_time_seconds`, in milliseconds, can be of one process. */
export function isSameStart(before: number, after: number): boolean {
  return Math.abs(before - after) <= SAME_START_MS;
}

/** Whether they can be of one process whose machine had its clock set in between. */
export function isMovedStart(before: number, after: number): boolean {
  const moved = Math.abs(after - before);
  return (
    moved <= CLOCK_STEP_MS + SAME_START_MS &&
    Math.abs(moved - Math.round(moved / 1000) * 1000) <= SAME_START_MS
  );
}
