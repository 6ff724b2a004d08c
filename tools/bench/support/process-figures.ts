import { readFileSync, writeFileSync } from "node:fs";

/** Linux counts CPU in these. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process in bytes, now and at its highest; 0 where the process has gone. */
export function residentBytes(pid: number | "self"): { readonly now: number; readonly peak: number } {
  const status = readProc(`/proc/${pid}/status`);
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
  return { now: kilobytes("VmRSS") * 1024, peak: kilobytes("VmHWM") * 1024 };
}

/** Seconds of CPU that a process has used, its ended children not counted. */
export function cpuSeconds(pid: number): number {
  const fields = readProc(`/proc/${pid}/stat`)
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  return readProc(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

export const commandOf = (pid: number) => readProc(`/proc/${pid}/cmdline`).replaceAll("\0", " ");

/** From here on the peak counts anew. */
export function resetOwnPeak(): void {
  writeFileSync("/proc/self/clear_refs", "5");
}

function readProc(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // The process has ended.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}
