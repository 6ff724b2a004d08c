import type { Clock } from "../../clock.ts";
import type { HeadroomConfig } from "../../config/config-types.ts";
import type { Cluster, Store, Target } from "../../db/store.ts";
import type { Logger } from "../../logger.ts";
import { CONFIGURED_SOURCES, resolveTargets } from "./resolve-targets.ts";

/** A target in use with the cluster it leads to, as far as is known. */
export interface ActiveTarget {
  readonly target: Target;
  readonly cluster: Cluster;
}

/** What serves clusters where none is configured. */
export interface DemoTargets {
  /** Starts it where it does not run and makes its clusters targets of the store. */
  start(): Promise<void>;
  /** Ends it and removes its targets. */
  stop(): Promise<void>;
}

export interface TargetRegistryOptions {
  readonly config: Pick<HeadroomConfig, "clusters">;
  readonly store: Pick<Store, "clusters">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly demo: DemoTargets;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Keeps the targets of the store in step with the configuration, and the demo fleet where there is none. */
export class TargetRegistry {
  readonly #options: TargetRegistryOptions;
  #saidProblems = "";
  #isDemo: boolean | null = null;

  constructor(options: TargetRegistryOptions) {
    this.#options = options;
  }

  /** Reads the configured kubeconfigs anew and brings the store in line with them. Idempotent. */
  async sync(): Promise<void> {
    const { config, store, clock, logger, env } = this.#options;
    const stored = await store.clusters.listTargets();
    const { targets, problems } = await resolveTargets(config, stored, env);
    const said = problems.join("\n");
    if (said !== this.#saidProblems && said !== "") logger.warn("kubeconfig problems", { problems });
    this.#saidProblems = said;
    await store.clusters.syncTargets(CONFIGURED_SOURCES, targets, clock.now());
  }

  /**
   * The targets to read now: in use, not overridden by another. Starts or ends the demo fleet as needed; where that is
   * asked for, it alone is read, and those of the settings page wait.
   */
  async listActive(): Promise<readonly ActiveTarget[]> {
    const { config, store, demo } = this.#options;
    const real = (await store.clusters.listTargets()).filter(
      ({ removedAt, source }) => removedAt === null && source !== "demo",
    );
    const isDemo = config.clusters.forceDemo || real.length === 0;
    if (isDemo !== this.#isDemo) {
      if (isDemo) await demo.start();
      else await demo.stop();
      this.#isDemo = isDemo;
    }
    const [targets, clusters] = await Promise.all([store.clusters.listTargets(), store.clusters.list()]);
    const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
    return targets.flatMap((target) => {
      const cluster = byId.get(target.clusterId);
      const isMeant = !config.clusters.forceDemo || target.source === "demo";
      const isInUse = isMeant && target.removedAt === null && target.overriddenByTargetId === null;
      return isInUse && cluster !== undefined ? [{ target, cluster }] : [];
    });
  }
}
