import { type Clock, systemClock as wallClock } from "../clock.ts";

/** Where lib/kube takes the time and its pauses from, so that tests own both. */
export interface KubeClock extends Clock {
  /**
   * Resolves after `durationMs` (at once when it is not positive).
   * @throws the signal's reason, as soon as the signal is aborted.
   */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the machine. A pause keeps the process alive; abort the signal to end it early. */
export const systemClock: KubeClock = {
  now: () => wallClock.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        Math.max(0, durationMs),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};
