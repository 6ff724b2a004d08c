import type { Store } from "../../db/store.ts";
import type { Logger } from "../../logger.ts";
import type { DemoFleetTargets } from "./demo-targets.ts";
import { hasDemoHistory, STRETCHES, writeDemoEvents, writeDemoStretch } from "./write-demo-history.ts";

export interface DemoHistoryOptions {
  readonly store: Store;
  readonly demo: DemoFleetTargets;
  readonly logger: Logger;
}

/**
 * Gives each cluster of the demo fleet its generated past, once: events and a month of history. One piece a turn, beside
 * the collecting: first the last day of every cluster, then what fewer people look at.
 */
export class DemoHistory {
  readonly #options: DemoHistoryOptions;
  readonly #scraped = new Set<string>();
  /** Stretches written by cluster id. */
  readonly #written = new Map<string, number>();

  constructor(options: DemoHistoryOptions) {
    this.#options = options;
  }

  noteScrape(clusterId: string): void {
    if (this.#options.demo.clusters().has(clusterId)) this.#scraped.add(clusterId);
  }

  /** One piece of one cluster that is due, if any. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, demo, logger } = this.#options;
    const { anchorAt } = demo;
    const [next] = [...demo.clusters()]
      .filter(([id]) => this.#scraped.has(id) && this.#writtenOf(id) < STRETCHES.length)
      .sort(([a], [b]) => this.#writtenOf(a) - this.#writtenOf(b));
    if (next === undefined || anchorAt === null) return;
    const [clusterId, cluster] = next;
    const written = this.#writtenOf(clusterId);
    if (written === 0 && (await hasDemoHistory(store, clusterId, anchorAt))) {
      this.#written.set(clusterId, STRETCHES.length);
      return;
    }
    const servers = (await store.parts.get(clusterId, "servers"))?.value ?? null;
    if (servers === null) {
      // Nothing of it was read, so nothing can be told of its servers; a later pass puts it on the list again.
      this.#scraped.delete(clusterId);
      return;
    }
    const stretch = STRETCHES[written];
    if (stretch === undefined) return;
    const input = { store, clusterId, cluster, anchorAt, servers, signal };
    if (written === 0) await writeDemoEvents(input);
    await writeDemoStretch(input, stretch);
    if (signal.aborted) return;
    this.#written.set(clusterId, written + 1);
    logger.debug("demo history written", { cluster: cluster.name, resolution: stretch.resolution });
  }

  #writtenOf(clusterId: string): number {
    return this.#written.get(clusterId) ?? 0;
  }
}
