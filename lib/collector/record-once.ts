import type { Store } from "../db/store.ts";
import type { ClusterTarget } from "../kube/index.ts";
import { seedBaseline } from "./events/change-baseline.ts";
import { recordScrape } from "./record-scrape.ts";
import { firstPlan } from "./schedule/plan-next.ts";
import type { OncePass } from "./scrape-once.ts";

/**
 * Stores a pass that was made once, under the cluster of its UID: as a target named by flag, which a later start of
 * the server keeps only if it names the same kubeconfig.
 */
export async function recordOnce(
  store: Pick<Store, "clusters" | "parts">,
  target: ClusterTarget,
  pass: OncePass,
): Promise<void> {
  const added = await findOrAddTarget(store, target, pass.startedAt);
  const identity =
    pass.clusterUid === null
      ? null
      : await store.clusters.recordIdentity(added.id, pass.clusterUid, pass.startedAt);
  const clusterId = identity?.cluster.id ?? added.clusterId;
  const cluster = await store.clusters.get(clusterId);
  const states = await store.parts.getAll(clusterId);
  const known = Object.fromEntries(
    Object.entries(states).flatMap(([part, state]) => (state.value === null ? [] : [[part, state.value]])),
  );
  await recordScrape({
    store,
    clusterId,
    clusterName: cluster?.name ?? target.name,
    result: pass.result,
    plan: firstPlan(pass.startedAt, 0, () => 0),
    isIncident: false,
    baseline: seedBaseline(known),
    reachability: {
      hasAnswered: cluster?.uid !== null && cluster?.uid !== undefined,
      failures: 0,
      firstFailedAt: cluster?.unreachableSince ?? null,
      isSaid: (cluster?.unreachableSince ?? null) !== null,
    },
    permissions: cluster?.permissions ?? {},
    events: [],
  });
}

async function findOrAddTarget(store: Pick<Store, "clusters">, target: ClusterTarget, at: number) {
  const existing = (await store.clusters.listTargets()).find(
    ({ kubeconfigPath, context, removedAt }) =>
      kubeconfigPath === target.file && context === target.name && removedAt === null,
  );
  return (
    existing ??
    store.clusters.addTarget(
      {
        source: "flag",
        kubeconfigPath: target.file,
        context: target.name,
        name: target.name,
        role: null,
        labels: {},
        isInsecure: target.insecureSkipTlsVerify,
        isDemo: false,
      },
      at,
    )
  );
}
