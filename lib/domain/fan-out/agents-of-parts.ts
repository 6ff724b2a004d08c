import type { Agent } from "../agents/agent.ts";
import type { AgentWorkload } from "../agents/agent-workload.ts";
import type { CatalogueEntry } from "../agents/catalogue/catalogue-entry.ts";
import { workloadsOfInventory } from "../agents/inventory-workloads.ts";
import type { LearnedAgent } from "../agents/learn/learned-agents.ts";
import { measuredOf } from "../agents/learn/measured-of.ts";
import { kubeletAgent } from "../agents/node-clients.ts";
import { type RbacBound, rbacBoundOfInventory } from "../agents/rbac/rbac-bound.ts";
import { resolveAgent } from "../agents/resolve-agent.ts";
import type { InventoryPart } from "../clusters/inventory-part.ts";

export interface AgentsInput {
  readonly clusterName: string;
  readonly inventory: InventoryPart;
  /** As published: `v1.34.2`; `null`: not known. */
  readonly gitVersion: string | null;
  readonly catalogue: readonly CatalogueEntry[];
  /** What an audit log told of this cluster's users; absent or empty: none was read. */
  readonly learned?: readonly LearnedAgent[] | undefined;
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
  const { clusterName, inventory, gitVersion, catalogue, learned = [] } = input;
  const agents: Agent[] = [];
  let otherWorkloads = 0;
  const workloads = workloadsOfInventory(inventory);
  const measured = measuredOf(learned, workloads);
  for (const workload of workloads) {
    const agent = resolveAgent(workload, {
      catalogue,
      rbac: boundOf(workload, inventory),
      rbacSource: `inventory of ${clusterName}`,
      measured: measured(workload),
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
