import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identify, isRunning, type ProcessIdentity, parseIdentity } from "./process-identity.ts";

export interface BuildLock {
  release(): void;
}

interface LockOptions {
  readonly path: string;
  readonly waitSeconds: number;
  /** Called once when another builder holds the lock, with its process id. */
  readonly onWait?: (holderPid: number) => void;
}

/**
 * Takes the one builder's lock: a file that names its holder. It appears with its content in one step (a hard
 * link), so nobody reads half of it; a holder that no longer runs is pushed aside.
 *
 * @throws Error when a running builder keeps the lock beyond `waitSeconds`.
 */
export async function takeBuildLock({ path, waitSeconds, onWait }: LockOptions): Promise<BuildLock> {
  mkdirSync(dirname(path), { recursive: true });
  const token = randomBytes(8).toString("hex");
  const own = `${path}.${token}`;
  writeFileSync(own, JSON.stringify({ ...identify(process.pid), token }));
  try {
    const deadline = performance.now() + waitSeconds * 1000;
    let told = false;
    while (!tryLink(own, path)) {
      const holder = readHolder(path);
      if (holder === "gone") continue;
      if (holder === null || !isRunning(holder)) {
        pushAside(path, token);
        continue;
      }
      if (performance.now() > deadline) {
        throw new Error(`process ${holder.pid} has been building for more than ${waitSeconds} s (${path})`);
      }
      if (!told) onWait?.(holder.pid);
      told = true;
      await sleep(200);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return { release: () => releaseIfOwn(path, token) };
}

function tryLink(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** The holder; `gone` when the file vanished meanwhile; null when it names nobody. */
function readHolder(path: string): ProcessIdentity | "gone" | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return "gone";
  }
  try {
    return parseIdentity(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Removes a dead holder's file. Two waiters may see the same dead holder, and the slower one would then move
 * the faster one's new lock: so look again at what was moved, and put back what is alive. The gap that leaves
 * takes three builders within microseconds, and costs a second build of the same bytes.
 */
function pushAside(path: string, token: string): void {
  const aside = `${path}.stale.${token}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another waiter was faster
  }
  const moved = readHolder(aside);
  if (moved !== null && moved !== "gone" && isRunning(moved)) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function releaseIfOwn(path: string, token: string): void {
  try {
    if (readFileSync(path, "utf8").includes(token)) rmSync(path, { force: true });
  } catch {
    // Already gone: somebody cleared the cache.
  }
}
