import type { Clock } from "../../clock.ts";
import type { Cluster, PermissionState, Store, Target } from "../../db/store.ts";
import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { PartName, ReadFailure } from "../../domain/clusters/part.ts";
import { KubeconfigError } from "../../kube/index.ts";
import type { Logger } from "../../logger.ts";
import { type ChangeBaseline, EMPTY_BASELINE, seedBaseline } from "../events/change-baseline.ts";
import { failedScrape } from "../pass/failed-scrape.ts";
import { recordScrape } from "../record-scrape.ts";
import { isClusterFailure } from "../schedule/plan-next.ts";
import type { ScheduledCluster } from "../schedule/schedule.ts";
import { type ScrapeResult, scrapeCluster } from "../scrape-cluster.ts";
import { EMPTY_MEMORY, type ScrapeMemory, seedMemory } from "../scrape-memory.ts";
import { modifiedAt, type OpenCluster, type OpenTarget } from "./open-cluster.ts";
import type { Reachability } from "./reachability.ts";

export interface ClusterSessionOptions {
  readonly store: Pick<Store, "clusters" | "parts" | "events">;
  readonly target: Target;
  readonly cluster: Cluster;
  readonly open: OpenTarget;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asked when a target turned out to lead elsewhere, so that targets are looked at anew. */
  readonly onMoved: () => void;
  /** Told after each pass that was stored. */
  readonly onRecorded?: (clusterId: string) => void;
}

/**
 * One target from its first pass to its last: holds the client, what is remembered between passes and what changes are
 * measured against, and stores what each pass came to. Nothing of it is shared with other clusters.
 */
export class ClusterSession implements ScheduledCluster {
  readonly key: string;
  readonly #options: ClusterSessionOptions;
  readonly #logger: Logger;
  #clusterId: string;
  #clusterName: string;
  #uid: string | null;
  #opened: { readonly cluster: OpenCluster; readonly modifiedAt: number | null } | null = null;
  /** Set from the moment a client is opened until a pass over it has asked which cluster it leads to. */
  #mustIdentify = false;
  #isSeeded = false;
  #memory: ScrapeMemory = EMPTY_MEMORY;
  #baseline: ChangeBaseline = EMPTY_BASELINE;
  #reachability: Reachability;
  #permissions: Readonly<Record<string, PermissionState>>;
  #pendingEvents: ClusterEvent[] = [];
  /** The reason last logged by part; `null` while it is read. */
  readonly #saidFailures = new Map<string, string | null>();

  constructor(options: ClusterSessionOptions) {
    const { target, cluster } = options;
    this.#options = options;
    this.key = target.id;
    this.#clusterId = cluster.id;
    this.#clusterName = cluster.name;
    // The UID has to be recorded once per session: the target may lead to another cluster than when it was last read.
    this.#uid = null;
    this.#logger = options.logger.child({ cluster: cluster.name });
    this.#reachability = reachabilityOf(cluster);
    this.#permissions = cluster.permissions;
  }

  isInIncident(clusterIds: ReadonlySet<string>): boolean {
    return clusterIds.has(this.#clusterId);
  }

  async pass(input: Parameters<ScheduledCluster["pass"]>[0]): Promise<void> {
    const { due, mustProbe, isIncident, signal, plan } = input;
    await this.#seed();
    const result = await this.#scrape(due, mustProbe, isIncident, signal);
    signal.throwIfAborted();
    const planned = plan(result.parts.map(({ outcome }) => outcome));
    // What the next pass needs is kept even where the store is in trouble: figures must not jump afterwards.
    this.#memory = result.memory;
    const events = this.#pendingEvents;
    const recorded = await recordScrape({
      store: this.#options.store,
      clusterId: this.#clusterId,
      clusterName: this.#clusterName,
      result,
      plan: planned,
      isIncident,
      baseline: this.#baseline,
      reachability: this.#reachability,
      permissions: this.#permissions,
      events,
    });
    this.#pendingEvents = [];
    this.#baseline = recorded.baseline;
    this.#reachability = recorded.reachability;
    this.#permissions = recorded.permissions;
    this.#log(result, recorded.events.length);
    this.#options.onRecorded?.(this.#clusterId);
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.cluster.close();
  }

  async #scrape(
    due: readonly PartName[],
    mustProbe: boolean,
    isIncident: boolean,
    signal: AbortSignal,
  ): Promise<ScrapeResult> {
    const { clock } = this.#options;
    let cluster: OpenCluster;
    try {
      cluster = await this.#openCluster();
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error;
      return failedScrape({ due, failure: unusableKubeconfig(error), clock, memory: this.#memory });
    }
    cluster.budget.setIncidentMode(isIncident);
    const result = await scrapeCluster({
      client: cluster.client,
      connections: cluster.connections,
      clock,
      signal,
      due,
      memory: this.#memory,
      // A kubeconfig that was changed may lead elsewhere: figures of another cluster would join the history of this one.
      mustProbe: mustProbe || this.#mustIdentify,
      onIdentity: (uid) => this.#identify(uid),
      onDefect: (part, error) => this.#logger.error("defect", { part, err: error }),
    });
    if (!isClusterFailure(result.parts.map(({ outcome }) => outcome))) this.#mustIdentify = false;
    return result;
  }

  /** The client of the pass before, unless the kubeconfig was changed since. */
  async #openCluster(): Promise<OpenCluster> {
    const { target, open } = this.#options;
    const changedAt = await modifiedAt(target.kubeconfigPath);
    if (this.#opened !== null && this.#opened.modifiedAt === changedAt) return this.#opened.cluster;
    const cluster = await open(target, this.#clusterName);
    await this.close();
    this.#opened = { cluster, modifiedAt: changedAt };
    this.#mustIdentify = true;
    return cluster;
  }

  /** What the store knows of the cluster, once: ids and names of servers, and what changes are measured against. */
  async #seed(): Promise<void> {
    if (this.#isSeeded) return;
    const { store } = this.#options;
    const [states, cluster] = await Promise.all([
      store.parts.getAll(this.#clusterId),
      store.clusters.get(this.#clusterId),
    ]);
    const values = Object.fromEntries(
      Object.entries(states).flatMap(([part, state]) => (state.value === null ? [] : [[part, state.value]])),
    );
    this.#memory = seedMemory(cluster?.uid ?? null, values);
    this.#baseline = await this.#withOpenRejections(seedBaseline(values));
    if (cluster !== null) {
      this.#reachability = reachabilityOf(cluster, states);
      this.#permissions = cluster.permissions;
    }
    this.#isSeeded = true;
  }

  /** Rejections that were said to have begun and not to have ended, so that a new collector does not say it again. */
  async #withOpenRejections(baseline: ChangeBaseline): Promise<ChangeBaseline> {
    const { store, clock } = this.#options;
    const { events } = await store.events.list({
      clusterId: this.#clusterId,
      kinds: ["rejections-started", "rejections-ended"],
      from: clock.now() - 86_400_000,
      limit: 100,
    });
    const rejections = new Map(baseline.rejections);
    // Newest first: the first word on a subject is the one that holds.
    const said = new Set<string>();
    for (const event of events) {
      if (said.has(event.subject) || event.isGenerated) continue;
      said.add(event.subject);
      if (event.kind === "rejections-started") {
        rejections.set(event.subject, {
          startedAt: event.at,
          lastRejectedAt: clock.now(),
          peakPerSecond: Number(event.after) || 1,
        });
      }
    }
    return { ...baseline, rejections };
  }

  /**
   * Records which cluster answered. Where it is another one than the store thought, what is remembered is that of the
   * other one from here on.
   */
  async #identify(uid: string): Promise<ScrapeMemory | null> {
    if (this.#uid === uid) return null;
    const { store, target, clock, onMoved } = this.#options;
    const now = clock.now();
    const outcome = await store.clusters.recordIdentity(target.id, uid, now);
    this.#uid = uid;
    const { cluster } = outcome;
    const formerId = this.#clusterId;
    if (outcome.kind === "unchanged" || outcome.kind === "learnt") return null;
    this.#clusterId = cluster.id;
    this.#isSeeded = false;
    const event = outcome.kind === "repointed" ? describeRepointed : describeRenamed;
    const described = event(target, this.#clusterName, cluster, now);
    this.#pendingEvents.push(described);
    if (outcome.kind === "repointed") {
      await store.events.append(formerId, [described], { isGenerated: false });
    }
    this.#clusterName = cluster.name;
    await this.#seed();
    if (outcome.kind === "repointed")
      this.#logger.warn("leads to another cluster than before", { cluster: cluster.id });
    else this.#logger.info("is a cluster known before", { cluster: cluster.id });
    onMoved();
    return this.#memory;
  }

  /** A failure is logged when it begins or changes, not at every attempt. */
  #log(result: ScrapeResult, events: number): void {
    const outcomes = result.parts.map(({ outcome }) => outcome);
    const { durationSeconds, requests, wireBytes } = result;
    this.#logger.debug("pass", { durationSeconds, requests, wireBytes, events });
    const isWhole = isClusterFailure(outcomes);
    for (const { part, status, failure } of isWhole ? outcomes.slice(0, 1) : outcomes) {
      const subject = isWhole ? "every part" : part;
      const reason = status === "failed" || status === "skipped" ? (failure?.reason ?? status) : null;
      if (reason !== null && this.#saidFailures.get(subject) !== reason) {
        this.#logger.warn(`${subject} ${status}`, { part: subject, reason, failure: failure?.message });
      }
      this.#saidFailures.set(subject, reason);
    }
    if (!isWhole) this.#saidFailures.delete("every part");
    if (events > 0) this.#logger.info("changes", { events });
  }
}

function reachabilityOf(cluster: Cluster, parts: object = {}): Reachability {
  return {
    hasAnswered: cluster.uid !== null || Object.keys(parts).length > 0,
    failures: 0,
    firstFailedAt: cluster.unreachableSince,
    isSaid: cluster.unreachableSince !== null,
  };
}

/** No request was sent: the file or the context in it cannot be used. */
function unusableKubeconfig(error: KubeconfigError): ReadFailure {
  return {
    reason: "credentials",
    verb: null,
    path: null,
    status: null,
    message: error.message,
    retryAfterSeconds: null,
  };
}

function describeRepointed(target: Target, formerName: string, cluster: Cluster, at: number): ClusterEvent {
  const context = target.context ?? "the current context";
  return {
    kind: "context-repointed",
    severity: "warning",
    at,
    subject: context,
    lead: `${context} leads to another cluster.`,
    text: `It led to ${formerName}; the UID of its kube-system namespace is another one now, so it is kept as ${cluster.name}.`,
    before: formerName,
    after: cluster.name,
  };
}

function describeRenamed(target: Target, formerName: string, cluster: Cluster, at: number): ClusterEvent {
  const context = target.context ?? "the current context";
  return {
    kind: "cluster-renamed",
    severity: "info",
    at,
    subject: cluster.name,
    lead: `${context} is a cluster known before.`,
    text: `The UID of its kube-system namespace is that of ${cluster.name}: history goes on under that name.`,
    before: formerName,
    after: cluster.name,
  };
}
