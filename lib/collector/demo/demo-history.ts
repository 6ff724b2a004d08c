import type { Store } from "../../db/store.ts";
import type { KubeClock } from "../../kube/index.ts";
import type { Logger } from "../../logger.ts";
import type { ScrapeResult } from "../scrape-cluster.ts";
import type { DemoFleetTargets } from "./demo-targets.ts";
import { findLastServing, recallUnreachable } from "./recall-unreachable.ts";
import { hasDemoHistory, writeDemoHistory } from "./write-demo-history.ts";

export interface DemoHistoryOptions {
  readonly store: Store;
  readonly demo: DemoFleetTargets;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * Gives each cluster of the demo fleet its generated past, once: a month of history, and for one that does not answer
 * now the state in which it was read last. One cluster a turn, beside the collecting.
 */
export class DemoHistory {
  readonly #options: DemoHistoryOptions;
  readonly #scraped = new Set<string>();
  readonly #done = new Set<string>();

  constructor(options: DemoHistoryOptions) {
    this.#options = options;
  }

  noteScrape(clusterId: string, _result: ScrapeResult): void {
    if (this.#options.demo.clusters().has(clusterId)) this.#scraped.add(clusterId);
  }

  /** One cluster that is due, if any. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, demo, logger } = this.#options;
    const { anchorAt } = demo;
    const next = [...demo.clusters()].find(([id]) => this.#scraped.has(id) && !this.#done.has(id));
    if (next === undefined || anchorAt === null) return;
    const [clusterId, cluster] = next;
    if (await hasDemoHistory(store, clusterId, anchorAt)) {
      this.#done.add(clusterId);
      return;
    }
    const servers = (await store.parts.get(clusterId, "servers"))?.value ?? null;
    if (servers === null) {
      await this.#recall(clusterId, signal);
      // Its history is written in a later turn, once the state is there; a cluster that answers is read soon.
      return;
    }
    await writeDemoHistory({ store, clusterId, cluster, anchorAt, servers, signal });
    if (!signal.aborted) {
      this.#done.add(clusterId);
      logger.info("demo history written", { cluster: cluster.name });
    }
  }

  async #recall(clusterId: string, signal: AbortSignal): Promise<void> {
    const { store, demo, clock, random } = this.#options;
    const cluster = demo.clusters().get(clusterId);
    const target = (await store.clusters.listTargets()).find(
      (each) => each.clusterId === clusterId && each.removedAt === null,
    );
    if (cluster === undefined || target === undefined) return;
    if (findLastServing(cluster.server.scenario, clock.now()) === null) return;
    await recallUnreachable({ store, targetId: target.id, clusterId, cluster, clock, random, signal });
  }
}
