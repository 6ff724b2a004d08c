import type { Agent } from "../agents/agent.ts";
import { agentIdOf } from "../agents/agent-identity.ts";
import type { AgentWorkload } from "../agents/agent-workload.ts";
import type { CatalogueEntry } from "../agents/catalogue/catalogue-entry.ts";
import { workloadsOfInventory } from "../agents/inventory-workloads.ts";
import { kubeletAgent } from "../agents/node-clients.ts";
import { type RbacBound, rbacBoundOfInventory } from "../agents/rbac/rbac-bound.ts";
import { type MeasuredReads, resolveAgent } from "../agents/resolve-agent.ts";
import type { InventoryPart } from "../clusters/inventory-part.ts";

export interface AgentsInput {
  readonly clusterName: string;
  readonly inventory: InventoryPart;
  /** As published: `v1.34.2`; `null`: not known. */
  readonly gitVersion: string | null;
  readonly catalogue: readonly CatalogueEntry[];
  /** What an audit log says, by agent id; absent: none was read. */
  readonly measured?: ReadonlyMap<string, MeasuredReads> | undefined;
}

export interface ClusterAgents {
  /** Sorted by id. */
  readonly agents: readonly Agent[];
  /** Workloads that are no agents: one may read no collection of the whole cluster, and nothing says that it does. */
  readonly otherWorkloads: number;
}

/**
 * The agents of a cluster with all that its inventory tells of what they read: DaemonSets, static pods, the kubelets, and
 * those Deployments and StatefulSets that the catalogue knows, that say by annotation what they read, or whose
 * ServiceAccount may list something in the whole cluster.
 */
export function agentsOfParts(input: AgentsInput): ClusterAgents {
  const { clusterName, inventory, gitVersion, catalogue, measured } = input;
  const agents: Agent[] = [];
  let otherWorkloads = 0;
  for (const workload of workloadsOfInventory(inventory)) {
    const agent = resolveAgent(workload, {
      catalogue,
      rbac: boundOf(workload, inventory),
      rbacSource: `inventory of ${clusterName}`,
      measured: measured?.get(agentIdOf(workload)) ?? null,
    });
    if (isAgent(workload, agent)) agents.push(agent);
    else otherWorkloads += 1;
  }
  agents.push(
    kubeletAgent({ nodes: inventory.nodes?.total ?? null, kubernetesVersion: gitVersion }, catalogue),
  );
  return { agents: agents.sort((a, b) => (a.id < b.id ? -1 : 1)), otherWorkloads };
}

const boundOf = (
  { namespace, serviceAccountName }: AgentWorkload,
  { clusterWideLists }: InventoryPart,
): RbacBound | null =>
  serviceAccountName === null
    ? null
    : rbacBoundOfInventory(clusterWideLists, { namespace, name: serviceAccountName });

function isAgent({ kind, informersAnnotation }: AgentWorkload, { informers, catalogueIds }: Agent): boolean {
  if (kind === "DaemonSet" || kind === "StaticPod") return true;
  return informersAnnotation !== null || informers.length > 0 || (catalogueIds ?? []).length > 0;
}
