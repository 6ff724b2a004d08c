import { readFileSync } from "node:fs";

/**
 * A process named so that a later process with the same number is not taken for it: process ids are reused,
 * the pair of id and start time is not.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process; 0 where /proc does not tell. */
  readonly startTicks: number;
}

/** The identity of a running process, or null when there is none with this id. */
export function identify(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses and may hold spaces; start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    return { pid, startTicks: Number(fields[19] ?? 0) };
  } catch {
    return signalZero(pid) && process.platform !== "linux" ? { pid, startTicks: 0 } : null;
  }
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTicks === identity.startTicks;
}

/** Kills the process group that the process leads, if it is still that process. */
export function killGroup(identity: ProcessIdentity, signal: NodeJS.Signals = "SIGKILL"): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(-identity.pid, signal);
  } catch (error) {
    // It ended between the look and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Narrows stored JSON; null for anything else, such as a half-written file. */
export function parseIdentity(value: unknown): ProcessIdentity | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("pid" in value) || !("startTicks" in value)) return null;
  const { pid, startTicks } = value;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid < 2 || typeof startTicks !== "number")
    return null;
  return { pid, startTicks };
}

function signalZero(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
