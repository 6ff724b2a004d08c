/** Where lib/kube takes the time and its pauses from, so that tests own both. */
export interface KubeClock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /**
   * Resolves after `durationMs` (at once when it is not positive).
   * @throws the signal's reason, as soon as the signal is aborted.
   */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
}

/** The clock of the machine. Its pauses keep the process alive; abort the signal to end one early. */
export const systemClock: KubeClock = {
  nowMs: () => Date.now(),
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
