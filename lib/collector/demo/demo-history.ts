import type { Store } from "../../db/store.ts";
import type { KubeClock } from "../../kube/index.ts";
import type { Logger } from "../../logger.ts";
import type { DemoFleetTargets } from "./demo-targets.ts";
import { findLastServing, recallUnreachable } from "./recall-unreachable.ts";
import { hasDemoHistory, STRETCHES, writeDemoEvents, writeDemoStretch } from "./write-demo-history.ts";

export interface DemoHistoryOptions {
  readonly store: Store;
  readonly demo: DemoFleetTargets;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * Gives each cluster of the demo fleet its generated past, once: events, a month of history, and for one that does not
 * answer now the state in which it was read last. One piece a turn, beside the collecting: first the last day of every
 * cluster, then what fewer people look at.
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
      await this.#recall(clusterId, signal);
      // Its history is written in a later turn, once the state is there.
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

  async #recall(clusterId: string, signal: AbortSignal): Promise<void> {
    const { store, demo, clock, random } = this.#options;
    const cluster = demo.clusters().get(clusterId);
    const target = (await store.clusters.listTargets()).find(
      (each) => each.clusterId === clusterId && each.removedAt === null,
    );
    if (cluster === undefined || target === undefined) return;
    if (findLastServing(cluster.scenario(), clock.now()) === null) return;
    await recallUnreachable({ store, targetId: target.id, clusterId, cluster, clock, random, signal });
  }
}
