import { type Tick, toTicks } from "./ticks.ts";

export interface BackOffRules {
  readonly initialSeconds: number;
  readonly capSeconds: number;
  /** After so long without an entry the next one starts anew. */
  readonly resetSeconds: number;
}

interface Entry {
  waitTicks: number;
  updatedAt: Tick;
}

/**
 * Back-off by key as client-go keeps it: the first entry waits `initialSeconds`, each further one twice as long, up to
 * `capSeconds`; no jitter. An entry older than `resetSeconds` counts as none.
 * Source: client-go util/flowcontrol/backoff.go, v0.26 to v0.37.
 */
export class BackOff<Key> {
  readonly #rules: BackOffRules;
  readonly #entries = new Map<Key, Entry>();

  constructor(rules: BackOffRules) {
    this.#rules = rules;
  }

  /** The next entry of a key. `eventAt` is the instant that the wait is counted from, `now` that of the entry. */
  advance(key: Key, eventAt: Tick, now: Tick): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#hasExpired(entry, eventAt)) {
      this.#entries.set(key, { waitTicks: toTicks(this.#rules.initialSeconds), updatedAt: now });
      return;
    }
    entry.waitTicks = Math.min(entry.waitTicks * 2, toTicks(this.#rules.capSeconds));
    entry.updatedAt = now;
  }

  /** The tick until which a wait that began at `eventAt` lasts; `eventAt` itself where there is none. */
  waitsUntil(key: Key, eventAt: Tick): Tick {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#hasExpired(entry, eventAt)) return eventAt;
    return eventAt + entry.waitTicks;
  }

  /** The tick until which a wait counted from the key's last entry lasts; `now` where there is none. */
  waitsSinceEntryUntil(key: Key, now: Tick): Tick {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#hasExpired(entry, now)) return now;
    return Math.max(now, entry.updatedAt + entry.waitTicks);
  }

  #hasExpired(entry: Entry, eventAt: Tick): boolean {
    return eventAt - entry.updatedAt > toTicks(this.#rules.resetSeconds);
  }
}

/**
 * Failed pods (phase Failed: refused or evicted by the kubelet, not crash loops) are deleted with this back-off per node
 * and generation of the DaemonSet. Source: kubernetes cmd/kube-controller-manager/app/apps.go, v1.26 to v1.37.
 */
export const FAILED_POD_BACK_OFF: BackOffRules = { initialSeconds: 1, capSeconds: 900, resetSeconds: 1800 };

/** Pulls of an image that failed, per pod and image. Source: kubernetes pkg/kubelet/kubelet.go, v1.26 to v1.37. */
export const IMAGE_PULL_BACK_OFF: BackOffRules = { initialSeconds: 10, capSeconds: 300, resetSeconds: 600 };
