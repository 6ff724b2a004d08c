import type { Clock } from "../../clock.ts";
import type { Store } from "../../db/store.ts";
import { PROJECTION_MODEL, PROJECTION_SEEDS } from "../../domain/fan-out/agent-projection.ts";
import type { Logger } from "../../logger.ts";
import { diffFanOut } from "./diff-fan-out.ts";
import type { ProjectionAnswer } from "./projection-message.ts";
import { ProjectionThread } from "./projection-thread.ts";

export interface FanOutJobOptions {
  readonly store: Pick<Store, "clusters" | "parts" | "fanOut">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: 10 s of CPU for one cluster, after the first storm of each agent. */
  readonly budgetSeconds?: number;
}

const BUDGET_SECONDS = 10;
/** After a simulation that failed a cluster is left alone for so long. */
const RETRY_MS = 3_600_000;
/** How long the thread is kept while nothing changed. */
const IDLE_MS = 15_000;

interface Waiting {
  readonly clusterId: string;
  /** When each part that counts was read. */
  readonly readAt: string;
}

interface Looked {
  readonly readAt: string;
  readonly retryAt: number;
}

/**
 * Keeps a projection of each cluster in the store: what starting all copies of each agent at once would do. A cluster is
 * looked at again when its inventory, sizes or version were read anew, and simulated when something of them changed
 * that matters. One cluster at a time, in a thread of low priority.
 */
export class FanOutJob {
  readonly #options: FanOutJobOptions;
  readonly #thread = new ProjectionThread();
  readonly #looked = new Map<string, Looked>();
  #idleSince: number | null = null;

  constructor(options: FanOutJobOptions) {
    this.#options = options;
  }

  /** Looks at every cluster that waits, one after the other. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let next = await this.#next(); next !== null; next = await this.#next()) {
      this.#idleSince = null;
      await this.#look(next, signal);
    }
    this.#idleSince ??= clock.now();
    if (clock.now() - this.#idleSince >= IDLE_MS) await this.#thread.close();
  }

  async #look({ clusterId, readAt }: Waiting, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    // Before it is looked at: one that fails must not be looked at again and again.
    this.#looked.set(clusterId, { readAt, retryAt: clock.now() + RETRY_MS });
    const answer = await this.#project(clusterId, signal);
    if (answer === null || answer.kind === "nothing-known") return;
    if (answer.kind === "failed") {
      logger.error("projection failed", { cluster: clusterId, message: answer.message });
      return;
    }
    this.#looked.set(clusterId, { readAt, retryAt: 0 });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  /** A cluster whose figures were read since it was looked at: those never projected first, of them the largest. */
  async #next(): Promise<Waiting | null> {
    const { store, clock } = this.#options;
    const [outcomes, figures, summaries] = await Promise.all([
      store.parts.listOutcomes(),
      store.parts.listSummaries(),
      store.fanOut.listSummaries(),
    ]);
    const waiting = [...outcomes].flatMap(([clusterId, parts]) => {
      const valueAt = (part: string) => parts.find((each) => each.part === part)?.valueAt ?? null;
      if (valueAt("inventory") === null || valueAt("version") === null) return [];
      // The first pass reads them together; without sizes nothing can be priced yet.
      if (valueAt("sizes") === null && !parts.some(({ part }) => part === "sizes")) return [];
      const readAt = ["inventory", "sizes", "version"].map(valueAt).join("/");
      const looked = this.#looked.get(clusterId);
      if (looked?.readAt === readAt || (looked?.retryAt ?? 0) > clock.now()) return [];
      const at = summaries.get(clusterId)?.summary.at ?? 0;
      return [{ clusterId, readAt, at, nodes: figures.get(clusterId)?.nodes ?? 0 }];
    });
    return waiting.sort((a, b) => a.at - b.at || b.nodes - a.nodes)[0] ?? null;
  }

  async #project(clusterId: string, signal: AbortSignal): Promise<ProjectionAnswer | null> {
    const { store, clock, logger, budgetSeconds = BUDGET_SECONDS } = this.#options;
    const [cluster, parts, summaries] = await Promise.all([
      store.clusters.get(clusterId),
      store.parts.getAll(clusterId),
      store.fanOut.listSummaries(),
    ]);
    if (cluster === null || cluster.removedAt !== null) return null;
    const before = summaries.get(clusterId) ?? null;
    const answer = await this.#thread.ask(
      {
        clusterName: cluster.name,
        labels: cluster.labels,
        parts,
        now: clock.now(),
        previousHash: before?.inputsHash ?? null,
        seeds: PROJECTION_SEEDS,
        budgetSeconds,
      },
      signal,
    );
    if (answer.kind !== "projected") return answer;
    const { summary, projections, inputsHash, durationSeconds } = answer;
    await store.fanOut.record(
      clusterId,
      {
        at: summary.at,
        inputsHash,
        model: PROJECTION_MODEL,
        seedsWanted: PROJECTION_SEEDS.length,
        durationSeconds,
        projections,
      },
      summary,
      diffFanOut(before?.summary ?? null, summary),
    );
    logger.debug("projected", { cluster: cluster.name, agents: projections.length, durationSeconds });
    return answer;
  }
}
