import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import type { NewTarget, Store, Target } from "../../db/store.ts";
import { type DemoCluster, type DemoFleet, startDemoFleet } from "../../demo-fleet/index.ts";
import type { DemoTargets } from "../targets/target-registry.ts";

/**
 * The demo fleet as targets of the store. It runs in this process and is scraped over HTTP like any other; its
 * kubeconfigs lie in a folder of their own for as long as it runs.
 */
export class DemoFleetTargets implements DemoTargets {
  readonly #store: Pick<Store, "clusters" | "origin">;
  readonly #clock: Clock;
  #fleet: DemoFleet | null = null;
  #folder: string | null = null;
  #clusterIds = new Map<string, DemoCluster>();

  constructor(options: { readonly store: Pick<Store, "clusters" | "origin">; readonly clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  get anchorAt(): number | null {
    return this.#fleet?.anchorAt ?? null;
  }

  async start(): Promise<void> {
    // The stories are told from the day this store was made: stored history and live figures belong to one story.
    const { createdAt } = this.#store.origin;
    const now = this.#clock.now();
    this.#fleet ??= await startDemoFleet({ clock: this.#clock, anchorAt: createdAt > 0 ? createdAt : now });
    this.#folder ??= await mkdtemp(join(tmpdir(), "headroom-demo-"));
    for (const cluster of this.#fleet.clusters) {
      await writeFile(this.#pathOf(cluster.name), JSON.stringify(cluster.kubeconfig()), { mode: 0o600 });
    }
    const targets = await this.#store.clusters.syncTargets(["demo"], this.#fleet.clusters.map(toTarget), now);
    const byName = new Map(this.#fleet.clusters.map((cluster) => [cluster.name, cluster]));
    this.#clusterIds = new Map(
      targets.flatMap(({ clusterId, context }) => {
        const cluster = byName.get(context ?? "");
        return cluster === undefined ? [] : [[clusterId, cluster]];
      }),
    );
  }

  async stop(): Promise<void> {
    await this.#store.clusters.syncTargets(["demo"], [], this.#clock.now());
    await this.close();
  }

  /** Ends the servers; the targets stay in the store, so that a later start finds them again. */
  async close(): Promise<void> {
    const fleet = this.#fleet;
    const folder = this.#folder;
    this.#fleet = null;
    this.#folder = null;
    this.#clusterIds = new Map();
    await fleet?.close();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }

  /** The kubeconfig of a demo target. */
  kubeconfigPathOf(target: Pick<Target, "context">): string {
    return this.#pathOf(target.context ?? "");
  }

  /** The clusters of the fleet by the id the store has given them. */
  clusters(): ReadonlyMap<string, DemoCluster> {
    return this.#clusterIds;
  }

  #pathOf(name: string): string {
    return join(this.#folder ?? "", `${name}.json`);
  }
}

function toTarget(cluster: DemoCluster): NewTarget {
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
