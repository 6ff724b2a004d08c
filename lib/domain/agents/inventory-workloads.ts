import type { ControlPlanePod, InventoryPart, Workload } from "../clusters/inventory-part.ts";
import type { AgentWorkload } from "./agent-workload.ts";

/** Static pods that are no clients of the API server: itself, and what it stores in. */
const SERVERS = new Set(["kube-apiserver", "etcd"]);

/**
 * The workloads of an inventory as agents, then its control plane's static pods. Of workloads neither arguments nor
 * environment nor configuration are known there.
 */
export function workloadsOfInventory(
  inventory: Pick<InventoryPart, "workloads" | "controlPlanePods">,
): AgentWorkload[] {
  return [...inventory.workloads.map(workloadOfInventory), ...staticPods(inventory.controlPlanePods ?? [])];
}

function workloadOfInventory(workload: Workload): AgentWorkload {
  const { kind, namespace, name, serviceAccountName, labels, desiredReplicas } = workload;
  return {
    kind,
    namespace,
    name,
    serviceAccountName,
    labels,
    containers: workload.images.map(({ container, image }) => ({
      name: container,
      image,
      words: null,
      variables: null,
      configTexts: [],
      isConfigKnown: false,
    })),
    replicas: { kind: kind === "DaemonSet" ? "per-node" : "fixed", count: desiredReplicas },
    isKeptFromNodes: null,
    informersAnnotation: workload.informersAnnotation ?? null,
  };
}

/** One agent per component; its mirror pods are its copies. */
function staticPods(pods: readonly ControlPlanePod[]): AgentWorkload[] {
  const byComponent = Map.groupBy(
    pods.filter(({ component }) => component !== "" && !SERVERS.has(component)),
    ({ component }) => component,
  );
  return [...byComponent]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([component, copies]) => ({
      kind: "StaticPod",
      namespace: "kube-system",
      name: component,
      serviceAccountName: null,
      labels: { component },
      containers: [
        {
          name: component,
          image: copies[0]?.image ?? "",
          words: copies[0]?.flags ?? [],
          variables: null,
          configTexts: [],
          isConfigKnown: false,
        },
      ],
      replicas: { kind: "fixed", count: copies.length },
      isKeptFromNodes: null,
      informersAnnotation: null,
    }));
}
