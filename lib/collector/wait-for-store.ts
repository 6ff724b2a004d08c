import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../db/store.ts";
import { systemClock } from "../kube/index.ts";
import type { Logger } from "../logger.ts";
import { HEADROOM_VERSION } from "../version.ts";

/** A collector writes every 5 s; one that has not for so long is gone, whatever its process number says. */
const SILENT_SECONDS = 20;
const RETRY_MS = 1000;

export interface WaitForStoreOptions {
  readonly collector: Pick<Store["collector"], "claim">;
  readonly logger: Pick<Logger, "warn">;
  /** Resolves when this process is told to end. */
  readonly stopped: Promise<unknown>;
  readonly retryMs?: number;
}

/**
 * Waits until no other collector works on the store: two would ask every cluster twice as much as its budget allows, and
 * each would take away the clusters that the other's flags name. Resolves with whether this one has it, or was stopped.
 */
export async function waitForStore(options: WaitForStoreOptions): Promise<boolean> {
  const { collector, logger, retryMs = RETRY_MS } = options;
  let isStopped = false;
  const stopped = options.stopped.then(() => {
    isStopped = true;
  });
  let told: number | null = null;
  while (!isStopped) {
    const other = await collector.claim(process.pid, HEADROOM_VERSION, systemClock.now(), {
      silentSeconds: SILENT_SECONDS,
      isAlive,
    });
    if (other === null) return true;
    if (other.pid !== told) {
      logger.warn(
        "another collector works on this store: this one reads nothing until that one ends. For other clusters at the same time use another store (HEADROOM_STORE_URL)",
        { otherPid: other.pid, otherVersion: other.version },
      );
    }
    told = other.pid;
    await Promise.race([stopped, pause(retryMs)]);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process, but there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
