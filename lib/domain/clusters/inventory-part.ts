export type WorkloadKind = "DaemonSet" | "Deployment" | "StatefulSet";

export interface ContainerImage {
  readonly container: string;
  readonly image: string;
}

/** A workload whose copies talk to the API server, or could. Trimmed to what later areas read; no environment values. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number | null;
  readonly desiredReplicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number | null;
  readonly serviceAccountName: string;
  readonly images: readonly ContainerImage[];
  /** Labels that name owner, application and version; at most 16, values cut at 63 characters. */
  readonly labels: Readonly<Record<string, string>>;
  readonly maxUnavailable: string | null;
  readonly maxSurge: string | null;
  readonly updateStrategy: string | null;
  readonly minReadySeconds: number;
  /** The annotation `headroom.dev/informers`; `null`: none; absent in values stored before it was read. */
  readonly informersAnnotation?: string | null | undefined;
}

export interface NodeSummary {
  readonly total: number;
  /** Nodes by kubelet version are not read (that needs full objects): metadata only. Count by well-known label. */
  readonly byLabel: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface ControlPlanePod {
  readonly name: string;
  readonly component: string;
  readonly nodeName: string | null;
  readonly image: string | null;
  /** Command and arguments with values of flags that may hold a credential removed. */
  readonly flags: readonly string[];
}

export interface WebhookSummary {
  readonly kind: "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration";
  readonly name: string;
  readonly webhooks: number;
}

export interface ApiServiceSummary {
  readonly name: string;
  /** `namespace/name` of the Service behind it; `null` for the API server's own groups. */
  readonly service: string | null;
  readonly isAvailable: boolean | null;
  readonly unavailableReason: string | null;
}

export interface InventoryPart {
  /** Sorted by kind, namespace, name. `null` members below: that list was not read. */
  readonly workloads: readonly Workload[];
  readonly nodes: NodeSummary | null;
  readonly pods: number | null;
  readonly controlPlanePods: readonly ControlPlanePod[] | null;
  readonly webhooks: readonly WebhookSummary[] | null;
  readonly apiServices: readonly ApiServiceSummary[] | null;
  /** Names of CustomResourceDefinitions, sorted. */
  readonly customResourceDefinitions: readonly string[] | null;
  /** ServiceAccounts (`namespace/name`) that may list a resource in the whole cluster, by ClusterRoleBinding. */
  readonly clusterWideLists: readonly ClusterWideList[] | null;
}

export interface ClusterWideList {
  readonly serviceAccount: string;
  /** `resource.group`, or `*`. Sorted. */
  readonly resources: readonly string[];
  /** ClusterRoles that grant it. */
  readonly through: readonly string[];
}
