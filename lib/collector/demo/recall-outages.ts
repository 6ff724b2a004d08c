import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../db/store.ts";
import type { ServedDemoCluster } from "../../demo-fleet/index.ts";
import { PART_NAMES } from "../../domain/clusters/part.ts";
import { type ClusterScenario, startFakeApiServer } from "../../fake-api-server/index.ts";
import { type KubeClock, loadKubeconfig } from "../../kube/index.ts";
import type { Logger } from "../../logger.ts";
import { EMPTY_BASELINE } from "../events/change-baseline.ts";
import { recordScrape } from "../record-scrape.ts";
import { firstPlan } from "../schedule/plan-next.ts";
import { scrapeCluster } from "../scrape-cluster.ts";
import { EMPTY_MEMORY } from "../scrape-memory.ts";
import { openClusterTarget } from "../session/open-cluster.ts";

interface RecallInput {
  readonly store: Pick<Store, "clusters" | "parts">;
  readonly targetId: string;
  readonly clusterId: string;
  readonly cluster: Pick<ServedDemoCluster, "name" | "scenario">;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const STEP_MS = 60_000;
const FARTHEST_MS = 24 * 3_600_000;

/**
 * What was read of the demo clusters that do not answer now, for those of which the store holds nothing. Made before
 * they are read for the first time: they are clusters that went away, not clusters that were never there. One that
 * cannot be recalled is logged; the others are.
 */
export async function recallOutages(
  input: Omit<RecallInput, "targetId" | "clusterId" | "cluster"> & {
    readonly clusters: ReadonlyMap<string, RecallInput["cluster"]>;
    readonly logger: Logger;
  },
): Promise<void> {
  const { store, clusters, clock, logger, signal } = input;
  const targets = await store.clusters.listTargets();
  for (const [clusterId, cluster] of clusters) {
    if (signal.aborted) return;
    const target = targets.find((each) => each.clusterId === clusterId && each.removedAt === null);
    if (target === undefined || findLastServing(cluster.scenario(), clock.now()) === null) continue;
    if ((await store.parts.get(clusterId, "servers")) !== null) continue;
    try {
      await recallUnreachable({ ...input, cluster, clusterId, targetId: target.id });
    } catch (error) {
      logger.warn("the past of a demo cluster could not be made", { cluster: cluster.name, err: error });
    }
  }
}

/**
 * A demo cluster that does not answer now was read while it did: this pass is made over the same cluster as it was a
 * minute before the outage, so that the last known good state and its age can be shown from the first start on.
 */
async function recallUnreachable(input: RecallInput): Promise<void> {
  const { store, cluster, clusterId, clock, signal } = input;
  const scenario = cluster.scenario();
  const at = findLastServing(scenario, clock.now());
  if (at === null) return;
  const offset = at - STEP_MS - clock.now();
  const past: KubeClock = {
    now: () => clock.now() + offset,
    sleep: (durationMs, ending) => clock.sleep(durationMs, ending),
  };
  const server = await startFakeApiServer({ scenario, clock: past });
  const folder = await mkdtemp(join(tmpdir(), "headroom-recall-"));
  try {
    const path = join(folder, "kubeconfig");
    await writeFile(path, JSON.stringify(server.kubeconfig()), { mode: 0o600 });
    const { targets } = await loadKubeconfig({ paths: [path], source: "page" });
    const [target] = targets;
    if (target === undefined) return;
    const limits = { requestsPerMinute: 200, bytesPerMinute: 256 * 1024 * 1024 };
    const opened = openClusterTarget(target, cluster.name, { clock: past, random: input.random, limits });
    try {
      const result = await scrapeCluster({
        client: opened.client,
        connections: opened.connections,
        clock: past,
        signal,
        due: PART_NAMES,
        memory: EMPTY_MEMORY,
        mustProbe: false,
        onDefect: (_part, error) => {
          throw error;
        },
      });
      if (result.clusterUid !== null) {
        await store.clusters.recordIdentity(input.targetId, result.clusterUid, past.now());
      }
      await recordScrape({
        store,
        clusterId,
        clusterName: cluster.name,
        result,
        plan: firstPlan(clock.now(), 0, input.random),
        isIncident: false,
        baseline: EMPTY_BASELINE,
        reachability: { hasAnswered: false, failures: 0, firstFailedAt: null, isSaid: false },
        permissions: {},
        events: [],
      });
      // The change is told by the generated past; what the collector finds is that it lasts.
      await store.clusters.setUnreachableSince(clusterId, at + STEP_MS);
    } finally {
      await opened.close();
    }
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The latest minute in which every server answered, when none does now; `null` where there is nothing to recall. */
function findLastServing(scenario: ClusterScenario, now: number): number | null {
  const isServing = (at: number) =>
    scenario.servers.every((_, index) => (scenario.availabilityAt?.(index, at) ?? "serving") === "serving");
  if (isServing(now)) return null;
  for (let at = now - STEP_MS; at >= now - FARTHEST_MS; at -= STEP_MS) if (isServing(at)) return at;
  return null;
}
