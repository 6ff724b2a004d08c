import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/** @returns {{ pid: number, isStale: boolean } | null} the holder; null when the lock is gone */
function readHolder(file) {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    if (pid > 0) return { pid, isStale: !isAlive(pid) };
    return { pid: 0, isStale: Date.now() - statSync(file).mtimeMs > EMPTY_LOCK_STALE_MS };
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Of several that find a stale lock, one moves it away: a rename succeeds once. */
function takeAway(file) {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Runs `work` while no other process does. A lock whose process is gone is taken over.
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
      writeFileSync(file, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder === null) continue;
    if (holder.isStale) {
      takeAway(file);
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
