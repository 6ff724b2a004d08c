import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NewTarget, Store, Target } from "../../db/store.ts";
import {
  type DemoFleetProcess,
  type DemoFleetProcessOptions,
  type ServedDemoCluster,
  startDemoFleetProcess,
} from "../../demo-fleet/index.ts";
import type { KubeClock } from "../../kube/index.ts";
import type { Logger } from "../../logger.ts";
import type { DemoTargets } from "../targets/target-registry.ts";
import { makeDemoFolder, removeDemoFolder } from "./demo-folder.ts";

export interface DemoFleetTargetsOptions {
  readonly store: Pick<Store, "clusters" | "origin">;
  readonly clock: KubeClock;
  readonly logger: Logger;
  readonly startFleet?: (options: DemoFleetProcessOptions) => Promise<DemoFleetProcess>;
}

/** Pause before a fleet that ended by itself is started again. */
const RESTART_MS = 2000;

/**
 * The demo fleet as targets of the store. It runs in a process of its own, so that its memory is not the collector's,
 * and is scraped over HTTP like any other; its kubeconfigs lie in a folder of their own for as long as it runs.
 */
export class DemoFleetTargets implements DemoTargets {
  readonly #options: DemoFleetTargetsOptions;
  #fleet: DemoFleetProcess | null = null;
  #folder: string | null = null;
  #clusterIds = new Map<string, ServedDemoCluster>();
  /** Aborted when the fleet is closed on purpose. */
  #keeping: AbortController | null = null;
  #starting: Promise<void> | null = null;

  constructor(options: DemoFleetTargetsOptions) {
    this.#options = options;
  }

  get anchorAt(): number | null {
    return this.#fleet?.anchorAt ?? null;
  }

  /** Starts the fleet unless it runs, and brings the targets of the store in line with it. */
  start(): Promise<void> {
    const isFirst = this.#keeping === null;
    this.#keeping ??= new AbortController();
    const { signal } = this.#keeping;
    this.#starting ??= this.#startOnce(signal).finally(() => {
      this.#starting = null;
    });
    if (isFirst) void this.#keepRunning(signal);
    return this.#starting;
  }

  async #startOnce(closing: AbortSignal): Promise<void> {
    const { store, clock, startFleet = startDemoFleetProcess } = this.#options;
    // The stories are told from the day this store was made: stored history and live figures belong to one story.
    const { createdAt } = store.origin;
    const now = clock.now();
    if (this.#fleet === null) {
      const started = await startFleet({ anchorAt: createdAt > 0 ? createdAt : now });
      if (closing.aborted) return started.close();
      this.#fleet = started;
    }
    const { clusters } = this.#fleet;
    this.#folder ??= await makeDemoFolder();
    for (const cluster of clusters) {
      await writeFile(this.#pathOf(cluster.name), JSON.stringify(cluster.kubeconfig()), { mode: 0o600 });
    }
    const targets = await store.clusters.syncTargets(["demo"], clusters.map(toTarget), now);
    const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
    this.#clusterIds = new Map(
      targets.flatMap(({ clusterId, context }) => {
        const cluster = byName.get(context ?? "");
        return cluster === undefined ? [] : [[clusterId, cluster]];
      }),
    );
  }

  async stop(): Promise<void> {
    const { store, clock } = this.#options;
    await store.clusters.syncTargets(["demo"], [], clock.now());
    await this.close();
  }

  /** Ends the servers; the targets stay in the store, so that a later start finds them again. */
  async close(): Promise<void> {
    const folder = this.#folder;
    this.#keeping?.abort();
    this.#keeping = null;
    this.#folder = null;
    this.#clusterIds = new Map();
    await this.#endFleet();
    if (folder !== null) await removeDemoFolder(folder);
  }

  /** The kubeconfig of a demo target. */
  kubeconfigPathOf(target: Pick<Target, "context">): string {
    return this.#pathOf(target.context ?? "");
  }

  /** The clusters of the fleet by the id the store has given them. */
  clusters(): ReadonlyMap<string, ServedDemoCluster> {
    return this.#clusterIds;
  }

  /**
   * Starts a fleet that ended by itself again. New addresses come with it; the sessions of its clusters see that their
   * kubeconfigs have changed.
   */
  async #keepRunning(closing: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!closing.aborted) {
      await this.#starting?.catch(() => undefined);
      const fleet = this.#fleet;
      await fleet?.ended;
      await clock.sleep(RESTART_MS, closing).catch(() => undefined);
      if (closing.aborted) return;
      logger.warn("the demo fleet is started again");
      if (this.#fleet === fleet) this.#fleet = null;
      try {
        await this.start();
      } catch (error) {
        if (!closing.aborted) logger.error("the demo fleet cannot be started", { err: error });
        await this.#endFleet();
      }
    }
  }

  async #endFleet(): Promise<void> {
    const fleet = this.#fleet;
    this.#fleet = null;
    await fleet?.close();
  }

  #pathOf(name: string): string {
    return join(this.#folder ?? "", `${name}.json`);
  }
}

function toTarget(cluster: ServedDemoCluster): NewTarget {
  return {
    source: "demo",
    kubeconfigPath: null,
    context: cluster.name,
    name: cluster.name,
    role: cluster.labels.role ?? null,
    labels: cluster.labels,
    isInsecure: false,
    isDemo: true,
  };
}
