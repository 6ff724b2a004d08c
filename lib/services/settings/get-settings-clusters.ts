import type { SettingsClustersResponse, TargetRow } from "../../contracts/settings.ts";
import type { Target, TargetSource } from "../../db/store.ts";
import { clusterRoleYaml } from "../../domain/clusters/cluster-role.ts";
import { type FleetCluster, loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";
import { toPermissionChecks } from "./permission-checks.ts";

const SOURCE_WORDS: Readonly<Record<TargetSource, string>> = {
  flag: "a flag of the command line",
  environment: "the environment variable HEADROOM_KUBECONFIG",
  "configuration-file": "the configuration file",
  page: "this page",
  "in-cluster": "the account of the cluster that Headroom runs in",
  demo: "the demo fleet",
};

/** Every connection with where it was named, what it may read, and the role that grants all of it. */
export async function getSettingsClusters(context: ServiceContext): Promise<SettingsClustersResponse> {
  const { config } = context;
  const { frame, clusters, targets } = await loadFleet(context);
  const byId = new Map(clusters.map((each) => [each.cluster.id, each]));
  const targetsById = new Map(targets.map((each) => [each.id, each]));
  return {
    frame,
    targets: targets
      .filter((each) => each.removedAt === null)
      .flatMap((each) => toRow(each, byId.get(each.clusterId), targetsById)),
    configurationFile: config.file,
    clusterRoleYaml: clusterRoleYaml(),
    budget: { ...config.clusters.budget },
    retention: {
      fine: config.retention.fineSeconds,
      fiveMinutes: config.retention.fiveMinutesSeconds,
      hourly: config.retention.hourlySeconds,
      scrapes: config.retention.scrapesSeconds,
    },
  };
}

function toRow(
  target: Target,
  owner: FleetCluster | undefined,
  targetsById: ReadonlyMap<string, Target>,
): TargetRow[] {
  if (owner === undefined) return [];
  const winner =
    target.overriddenByTargetId === null ? undefined : targetsById.get(target.overriddenByTargetId);
  return [
    {
      targetId: target.id,
      clusterId: owner.cluster.id,
      clusterName: owner.cluster.name,
      clusterUid: owner.cluster.uid,
      source: target.source,
      kubeconfigPath: target.kubeconfigPath,
      context: target.context,
      addedAt: target.addedAt,
      state: owner.assessment.state,
      isInsecure: target.isInsecure,
      overriddenBy: winner === undefined ? null : SOURCE_WORDS[winner.source],
      canRemove: target.source === "page",
      permissions: toPermissionChecks(owner.cluster.permissions),
    },
  ];
}
