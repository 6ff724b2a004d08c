import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import type { InventoryPart } from "../clusters/inventory-part.ts";
import type { Agent } from "./agent.ts";
import type { AgentWorkload } from "./agent-workload.ts";
import type { CatalogueEntry } from "./catalogue/catalogue-entry.ts";
import { workloadsOfInventory } from "./inventory-workloads.ts";
import type { ManifestAgents } from "./manifests/read-manifests.ts";
import { kubeletAgent } from "./node-clients.ts";
import { rbacBound, rbacBoundOfInventory } from "./rbac/rbac-bound.ts";
import { type MeasuredReads, resolveAgent } from "./resolve-agent.ts";
import type { SampledRequest } from "./sampled-reads.ts";

/** What was observed of a workload beside what it says of itself; `null`: nothing. */
export type FindMeasured = (workload: AgentWorkload) => MeasuredReads | null;

export interface ClusterAgentsQuestion {
  readonly facts: Pick<ClusterFacts, "name" | "nodes" | "kubernetesVersion">;
  /** `null`: not read; then the kubelets are all that is known to be there. */
  readonly inventory: InventoryPart | null;
  readonly catalogue: readonly CatalogueEntry[];
  readonly sampled?: readonly SampledRequest[] | undefined;
  readonly measured?: FindMeasured | undefined;
}

/** All agents that run on a cluster: its kubelets, its workloads, its control plane. Ids are unique; sorted by id. */
export function agentsOfCluster(question: ClusterAgentsQuestion): readonly Agent[] {
  const { facts, inventory, catalogue, sampled, measured } = question;
  const lists = inventory?.clusterWideLists ?? null;
  const workloads = inventory === null ? [] : workloadsOfInventory(inventory);
  const agents = workloads.map((workload) => {
    const { namespace, serviceAccountName: account } = workload;
    return resolveAgent(workload, {
      catalogue,
      sampled,
      measured: measured?.(workload) ?? null,
      rbac: account === null ? null : rbacBoundOfInventory(lists, { namespace, name: account }),
      rbacSource: `RBAC of ${facts.name ?? "the cluster"}`,
    });
  });
  return uniqueById([kubeletAgent(facts, catalogue), ...agents]);
}

/** The agents of manifests, installed or not; sorted by id. */
export function agentsOfManifests(
  { workloads, rbac }: Pick<ManifestAgents, "workloads" | "rbac">,
  { catalogue, sampled, measured }: Pick<ClusterAgentsQuestion, "catalogue" | "sampled" | "measured">,
): readonly Agent[] {
  const agents = workloads.map((workload) => {
    const { namespace, serviceAccountName: account } = workload;
    return resolveAgent(workload, {
      catalogue,
      sampled,
      measured: measured?.(workload) ?? null,
      rbac: account === null ? null : rbacBound(rbac, { namespace, name: account }),
      rbacSource: "RBAC of the manifests",
    });
  });
  return uniqueById(agents);
}

/** A static pod may be read as a workload and as a part of the control plane: the first counts. */
function uniqueById(agents: readonly Agent[]): readonly Agent[] {
  const byId = new Map<string, Agent>();
  for (const agent of agents) if (!byId.has(agent.id)) byId.set(agent.id, agent);
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
