/** HTTP or exec probe with Kubernetes' own field names. */
export interface ProbeSpec {
  readonly httpGet?: {
    readonly path: string;
    readonly port: number | string;
    readonly scheme?: string;
    readonly host?: string;
  };
  readonly exec?: { readonly command: readonly string[] };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly initialDelaySeconds?: number;
}

/** A workload as a scenario describes it; objects, pods, ServiceAccounts and RBAC are made of it. */
export interface WorkloadSpec {
  readonly kind: "DaemonSet" | "Deployment" | "StatefulSet";
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  /** `nodes`: one per node, as a DaemonSet has. A function may change it with time. */
  readonly replicas: number | "nodes";
  /** Copies that are not ready now. */
  readonly unreadyAt?: (at: number) => number;
  /** Copies of an older revision while a rollout is under way. */
  readonly outdatedAt?: (at: number) => number;
  /** The image before a change, and when it changed. */
  readonly imageAt?: (at: number) => string;
  readonly serviceAccountName: string;
  readonly args?: readonly string[];
  readonly liveness?: ProbeSpec;
  readonly readiness?: ProbeSpec;
  readonly maxUnavailable?: number | string;
  /** RBAC of its account: cluster-wide rules. */
  readonly clusterRules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly priorityClassName?: string;
  readonly hostNetwork?: boolean;
}
