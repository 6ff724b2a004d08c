import { readFileSync } from "node:fs";

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;

/** CPU seconds that a process used so far, all its threads together. @throws Error where it does not run. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the command in parentheses come fields 3 and on; utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process, now. */
export function residentBytesOf(pid: number): number {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return Number(resident) * 4096;
}
