import type { CollectorState, Store } from "../../db/store.ts";
import { AppError } from "../../errors.ts";

/** The collector writes every 5 s. Where it has not for so long, it may be the store that takes nothing. */
const SILENT_MS = 15_000;
/** How long an answer of the store is taken to hold. */
const HELD_MS = 10_000;

interface Answer {
  readonly askedAt: number;
  readonly trouble: Promise<string | null>;
}
const answers = new WeakMap<Store, Answer>();

/**
 * Why the store takes no writes now (a full disk, a file system that was mounted read-only meanwhile), in one sentence;
 * `null` where it takes them. While the collector writes that is known already; else the store is asked by a write that
 * changes nothing, at most every 10 s.
 */
export function findStoreTrouble(
  store: Store,
  collector: CollectorState | null,
  now: number,
): Promise<string | null> {
  const isWriting = collector !== null && Math.abs(now - collector.heartbeatAt) < SILENT_MS;
  // What was opened for reading only is said already, with when it is tried again.
  if (isWriting || store.mode === "read-only") return Promise.resolve(null);
  const known = answers.get(store);
  if (known !== undefined && Math.abs(now - known.askedAt) < HELD_MS) return known.trouble;
  const trouble = store.maintenance.probeWriting().then(
    () => null,
    // Any other failure is one of a request, and told there.
    (error: unknown) =>
      error instanceof AppError && (error.code === "store-full" || error.code === "store-read-only")
        ? error.message
        : null,
  );
  answers.set(store, { askedAt: now, trouble });
  return trouble;
}
