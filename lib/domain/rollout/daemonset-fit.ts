export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

export interface Toleration {
  /** Absent or empty: every key. */
  readonly key?: string | undefined;
  /** Absent: `Equal`. */
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  /** Absent or empty: every effect. */
  readonly effect?: string | undefined;
}

/** What every DaemonSet's pod tolerates without being told to. Source: as `fitDaemonPod`. */
const AUTOMATIC: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
/** Only on the network of the host. */
const NETWORK: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

export interface DaemonPodFit {
  /** It counts as desired, and a pod is created there. */
  readonly shouldRun: boolean;
  /** A pod that is there stays. */
  readonly shouldContinueRunning: boolean;
}

/**
 * Whether a DaemonSet's pod belongs on a node. `isSelected`: node name, node selector and required node affinity let it.
 * Taints are tolerated by the template and by what every DaemonSet tolerates: so its pods land on cordoned nodes, and are
 * not evicted from nodes that are not ready. Tolerations that compare numbers (`Lt`, `Gt`, a gate that is off by default)
 * are taken as not there.
 *
 * Source: kubernetes pkg/controller/daemon/daemon_controller.go (NodeShouldRunDaemonPod) and
 * pkg/controller/daemon/util/daemonset_util.go, v1.33.13, v1.37.2.
 */
export function fitDaemonPod({
  isSelected,
  taints,
  tolerations,
  isHostNetwork,
}: {
  readonly isSelected: boolean;
  readonly taints: readonly Taint[];
  readonly tolerations: readonly Toleration[];
  readonly isHostNetwork: boolean;
}): DaemonPodFit {
  if (!isSelected) return { shouldRun: false, shouldContinueRunning: false };
  const all = [...tolerations, ...AUTOMATIC, ...(isHostNetwork ? [NETWORK] : [])];
  const effects = taints
    .filter((taint) => !all.some((each) => tolerates(each, taint)))
    .map(({ effect }) => effect);
  return {
    shouldRun: !effects.includes("NoSchedule") && !effects.includes("NoExecute"),
    shouldContinueRunning: !effects.includes("NoExecute"),
  };
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}
