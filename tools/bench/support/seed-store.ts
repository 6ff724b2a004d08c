import { randomUUID } from "node:crypto";
import { EMPTY_BASELINE } from "../../../lib/collector/events/change-baseline.ts";
import { recordScrape } from "../../../lib/collector/record-scrape.ts";
import { firstPlan } from "../../../lib/collector/schedule/plan-next.ts";
import type { ScrapeResult } from "../../../lib/collector/scrape-cluster.ts";
import { scrapeOnce } from "../../../lib/collector/scrape-once.ts";
import { openStore } from "../../../lib/db/open-store.ts";
import type { PartRecord, Store } from "../../../lib/db/store.ts";
import type { ClusterEvent } from "../../../lib/domain/clusters/event.ts";
import type { FairnessPart } from "../../../lib/domain/fairness/fairness-part.ts";
import { loadKubeconfig, systemClock } from "../../../lib/kube/index.ts";
import { startFakeClusters } from "./fake-clusters.ts";

const DAY_MS = 86_400_000;
const EVENTS_PER_CLUSTER = 30;
const HISTORY_DAYS = 1;

/** One real pass over a fake cluster of this size, to be stored for as many clusters as are wanted. */
export async function scrapeTemplate(nodes: number, folder: string): Promise<ScrapeResult> {
  const fake = await startFakeClusters({ clusters: 1, servers: 3, nodes, "metrics-filler-bytes": 200_000 });
  const { targets } = await loadKubeconfig({ paths: [fake.writeKubeconfig(folder)], source: "flag" });
  const [target] = targets;
  if (target === undefined) throw new Error("the fake cluster has no context");
  const { result } = await scrapeOnce(target, {
    clock: systemClock,
    random: Math.random,
    limits: { requestsPerMinute: 10_000, bytesPerMinute: 10_000_000_000 },
    signal: AbortSignal.timeout(120_000),
    onDefect: (part, error) => {
      throw new Error(`the pass has a defect in ${part}`, { cause: error });
    },
  });
  const failed = result.parts.filter(({ value }) => value === null).map(({ part }) => part);
  if (failed.length > 0) throw new Error(`the pass did not read ${failed.join(", ")}`);
  return result;
}

/** Makes a store with clusters named `cluster-0000`… that were all read just now, each busy in its own degree. */
export async function seedStore(options: {
  readonly url: string;
  readonly template: ScrapeResult;
  readonly clusters: number;
  readonly onProgress?: (done: number) => void;
}): Promise<readonly string[]> {
  const store = await openStore({ url: options.url, mode: "read-write" });
  try {
    const now = Date.now();
    await store.collector.start(process.pid, "bench", now);
    const targets = await store.clusters.syncTargets(
      ["flag"],
      Array.from({ length: options.clusters }, (_, index) => ({
        source: "flag",
        kubeconfigPath: "/etc/headroom/kubeconfig",
        context: nameOf(index),
        name: nameOf(index),
        role: ["production", "staging", "edge", "ci"][index % 4] ?? null,
        labels: { region: `region-${index % 12}` },
        isInsecure: index % 100 === 0,
        isDemo: false,
      })),
      now,
    );
    for (const [index, target] of targets.entries()) {
      const { cluster } = await store.clusters.recordIdentity(target.id, randomUUID(), now);
      await seedCluster(store, cluster.id, { index, now, template: options.template });
      if (index % 100 === 99) options.onProgress?.(index + 1);
    }
    return targets.map(({ clusterId }) => clusterId);
  } finally {
    await store.close();
  }
}

interface Seed {
  readonly index: number;
  readonly now: number;
  readonly template: ScrapeResult;
}

const nameOf = (index: number) => `cluster-${String(index).padStart(4, "0")}`;

async function seedCluster(store: Store, clusterId: string, seed: Seed): Promise<void> {
  const { index, now, template } = seed;
  const isUnreachable = index % 50 === 7;
  const startedAt = now - 1000 * (index % 30) - (isUnreachable ? 3_600_000 : 0);
  // From idle to 20 % above the limit.
  const load = 0.1 + (1.1 * ((index * 37) % 100)) / 100;
  await recordScrape({
    store,
    clusterId,
    clusterName: nameOf(index),
    result: {
      ...template,
      startedAt,
      samplesAtSeconds: Math.floor(startedAt / 1000),
      parts: template.parts.map((part) => withLoad(part, load, startedAt)),
    },
    plan: firstPlan(now, 0, () => 0),
    isIncident: false,
    baseline: EMPTY_BASELINE,
    reachability: { hasAnswered: true, failures: 0, firstFailedAt: null, isSaid: false },
    permissions: {},
    events: eventsOf(seed),
  });
  if (isUnreachable) await store.clusters.setUnreachableSince(clusterId, startedAt + 60_000);
  await store.samples.append(clusterId, "five-minutes", historyOf(seed, load), { isGenerated: false });
}

function withLoad(record: PartRecord, load: number, startedAt: number): PartRecord {
  const outcome = { ...record.outcome, startedAt };
  if (record.part !== "fairness" || record.value === null) return { ...record, outcome } as PartRecord;
  const value: FairnessPart = {
    ...record.value,
    servers: record.value.servers.map((server, place) => ({
      ...server,
      observedAt: startedAt,
      levels: server.levels.map((level) => ({
        ...level,
        executingSeats:
          level.priorityLevelName === "workload-low" && place === 0
            ? Math.round((level.currentLimitSeats ?? 0) * load)
            : level.executingSeats,
        rejectedPerSecond: load > 1.1 && level.priorityLevelName === "workload-low" ? 3.5 : 0,
      })),
    })),
  };
  return { part: "fairness", outcome, value };
}

function eventsOf({ index, now }: Seed): ClusterEvent[] {
  return Array.from({ length: EVENTS_PER_CLUSTER }, (_, place) => ({
    kind: place % 5 === 0 ? "node-count-changed" : "agent-image-changed",
    severity: place % 10 === 0 ? "warning" : "info",
    at: now - Math.floor(((place + (index % 7) / 7) * 14 * DAY_MS) / EVENTS_PER_CLUSTER) - index,
    subject: place % 5 === 0 ? "nodes" : `observability/agent-${place}`,
    lead: place % 5 === 0 ? "1 988 → 2 000 nodes." : "1.8.4 → 1.9.0.",
    text: "DaemonSet on 2 000 nodes, maxUnavailable 10 %.",
    before: "1.8.4",
    after: "1.9.0",
  }));
}

/** A day of five-minute buckets of every seat series: more than what the sparklines read. */
function historyOf({ now, template }: Seed, load: number) {
  const firstSeconds = Math.floor((now - HISTORY_DAYS * DAY_MS) / 300_000) * 300;
  const buckets = HISTORY_DAYS * 288;
  return template.samples
    .filter(({ key }) => key.metric === "executing-seats" || key.metric === "current-limit-seats")
    .map(({ key, value }) => ({
      key,
      points: Array.from({ length: buckets }, (_, bucket) => {
        const avg =
          key.metric === "executing-seats" ? value * load * (1 + 0.3 * Math.sin(bucket / 20)) : value;
        return { atSeconds: firstSeconds + bucket * 300, min: avg * 0.9, avg, max: avg * 1.1 };
      }),
    }));
}
