import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const POLL_MS = 200;
/** A lock file without a process in it is one whose writer was stopped in between; this old, nobody is writing it. */
const EMPTY_LOCK_STALE_MS = 5_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM"; // somebody else's, but there
  }
}

/**
 * @param {string} file
 * @returns {{ pid: number, isStale: boolean } | null} the process that holds it; null when the lock is gone
 */
function readHolder(file) {
  try {
    const pids = readFileSync(file, "utf8")
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
    const alive = pids.find(isAlive);
    if (alive !== undefined) return { pid: alive, isStale: false };
    if (pids.length > 0) return { pid: pids[0], isStale: true };
    return { pid: 0, isStale: Date.now() - statSync(file).mtimeMs > EMPTY_LOCK_STALE_MS };
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Takes a stale lock away. Of several that found it stale only one is in here at a time, and it looks again: else the
 * second would take away what the first has made since.
 * @param {string} file
 * @returns {boolean} whether it was taken away
 */
export function takeOver(file) {
  const turn = `${file}.turn`;
  try {
    writeFileSync(turn, "", { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    // Its holder needs microseconds; this old, it was killed within them.
    if (Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > EMPTY_LOCK_STALE_MS)
      rmSync(turn, { force: true });
    return false;
  }
  try {
    if (readHolder(file)?.isStale !== true) return false;
    rmSync(file, { force: true });
    return true;
  } finally {
    rmSync(turn, { force: true });
  }
}

/**
 * The same command, run so that the lock names its process too: when the one that holds the lock is killed, the step it
 * waited for runs on, and nobody may start it again beside.
 * @param {string} file
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {{ command: string, args: string[] }}
 */
export function noteInLock(file, command, args) {
  if (process.platform === "win32") return { command, args: [...args] };
  // exec keeps the process: $$ is the command's own.
  return { command: "/bin/sh", args: ["-c", 'echo $$ >> "$0"; exec "$@"', file, command, ...args] };
}

const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Runs `work` while no other process does. A lock is taken over when its process is gone and so are the steps it noted.
 * @template T
 * @param {string} file
 * @param {() => T} work
 * @returns {T}
 */
export function holdLock(file, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  let told = false;
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder === null) continue;
    if (holder.isStale) {
      if (!takeOver(file)) pause(POLL_MS);
      continue;
    }
    if (!told) process.stderr.write(`Waiting for another set-up to finish (process ${holder.pid}) …\n`);
    told = true;
    pause(POLL_MS);
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}
