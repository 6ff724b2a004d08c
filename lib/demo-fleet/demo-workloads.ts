import type { WorkloadSpec } from "../fake-api-server/objects/workload-spec.ts";
import { systemWorkloads, teamWorkloads } from "../fake-api-server/standard-workloads.ts";
import type { ClusterPlan } from "./fleet-plan.ts";
import { ROLLOUT_LEAD, type Stories, windowAt } from "./stories.ts";

const READ = ["get", "list", "watch"];
/** What the owners of these agents say that each copy reads. */
const INFORMERS = "headroom.dev/informers";
const http = (path: string, port: number) => ({
  httpGet: { path, port },
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
});

/** Everything that runs in a cluster of the demo fleet, as its pages name it. */
export function demoWorkloads(plan: ClusterPlan, stories: Stories): WorkloadSpec[] {
  const named = [
    ...systemWorkloads(plan.kubernetesVersion),
    ...nodeAgents(plan),
    ...controllers(plan),
    ...(plan.name === "ml-us-east" ? [gpuFeatureAgent(stories)] : []),
    ...(plan.name === "payments-eu" ? paymentsAgents() : []),
    ...queueVisibility(plan),
  ];
  return [...named, ...teamWorkloads(plan.workloads - named.length, plan.name)];
}

function nodeAgents(plan: ClusterPlan): WorkloadSpec[] {
  const daemonSet = (spec: Omit<WorkloadSpec, "kind" | "replicas">): WorkloadSpec => ({
    kind: "DaemonSet",
    replicas: "nodes",
    maxUnavailable: "10%",
    ...spec,
  });
  return [
    daemonSet({
      namespace: "observability",
      name: "node-telemetry",
      image: `registry.example.com/observability/node-telemetry:${plan.telemetry}`,
      serviceAccountName: "node-telemetry",
      args:
        plan.telemetry === "2.6.3"
          ? ["--cluster-metadata=pods,namespaces"]
          : [
              "--cluster-metadata=pods,namespaces",
              "--field-selector=spec.nodeName=$(NODE_NAME)",
              "--start-jitter=30s",
            ],
      annotations: {
        [INFORMERS]:
          plan.telemetry === "2.6.3"
            ? "pods protobuf; namespaces protobuf; client client-go/0.32.3"
            : "pods@node protobuf; namespaces protobuf; client client-go/0.34.1",
      },
      liveness: http("/healthz", 9402),
      clusterRules: [{ apiGroups: [""], resources: ["pods", "namespaces"], verbs: READ }],
    }),
    daemonSet({
      namespace: "logging",
      name: "log-shipper",
      image: "registry.example.com/logging/log-shipper:3.5.0",
      serviceAccountName: "log-shipper",
      args: ["--pods-from=kubelet"],
      annotations: { [INFORMERS]: "namespaces protobuf; client client-go/0.33.2" },
      liveness: http("/healthz", 2020),
      clusterRules: [
        { apiGroups: [""], resources: ["namespaces"], verbs: READ },
        { apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] },
      ],
    }),
    daemonSet({
      namespace: "security",
      name: "runtime-sensor",
      image: "registry.example.com/security/runtime-sensor:5.1.0",
      serviceAccountName: "runtime-sensor",
      annotations: { [INFORMERS]: "pods@node protobuf; client client-go/0.34.1" },
      clusterRules: [{ apiGroups: [""], resources: ["pods"], verbs: READ }],
    }),
    daemonSet({
      namespace: "storage",
      name: "csi-node",
      image: "registry.example.com/storage/csi-node:v2.3.1",
      serviceAccountName: "csi-node",
      annotations: { [INFORMERS]: "csinodes.storage.k8s.io@node get; client client-go/0.33.2" },
      liveness: http("/healthz", 9808),
      clusterRules: [{ apiGroups: ["storage.k8s.io"], resources: ["csinodes"], verbs: ["get"] }],
    }),
    ...(plan.networkAgent === "cilium" ? [daemonSet(CILIUM)] : []),
  ];
}

const CILIUM = {
  namespace: "kube-system",
  name: "cilium",
  image: "quay.io/cilium/cilium:v1.17.4",
  serviceAccountName: "cilium",
  hostNetwork: true,
  priorityClassName: "system-node-critical",
  liveness: {
    httpGet: { path: "/healthz", port: 9879, host: "127.0.0.1" },
    periodSeconds: 30,
    timeoutSeconds: 5,
    failureThreshold: 10,
  },
  clusterRules: [
    { apiGroups: [""], resources: ["services", "pods", "namespaces", "nodes"], verbs: READ },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
    { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: READ },
    { apiGroups: ["cilium.io"], resources: ["*"], verbs: READ },
  ],
} as const;

function controllers(plan: ClusterPlan): WorkloadSpec[] {
  const deployment = (spec: Omit<WorkloadSpec, "kind">): WorkloadSpec => ({ kind: "Deployment", ...spec });
  return [
    deployment({
      namespace: "monitoring",
      name: "kube-state-metrics",
      image: "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0",
      replicas: 2,
      serviceAccountName: "kube-state-metrics",
      // From 2.13 on this endpoint asks the API server.
      liveness: {
        httpGet: { path: "/livez", port: 8080 },
        periodSeconds: 10,
        timeoutSeconds: 5,
        failureThreshold: 3,
      },
      clusterRules: [{ apiGroups: ["", "apps", "batch"], resources: ["*"], verbs: ["list", "watch"] }],
    }),
    deployment({
      namespace: "kube-system",
      name: "metrics-server",
      image: "registry.k8s.io/metrics-server/metrics-server:v0.8.0",
      replicas: 2,
      serviceAccountName: "metrics-server",
      liveness: {
        httpGet: { path: "/livez", port: 4443, scheme: "HTTPS" },
        periodSeconds: 10,
        timeoutSeconds: 1,
        failureThreshold: 3,
      },
      clusterRules: [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: READ }],
    }),
    deployment({
      namespace: "ingress",
      name: "ingress-controller",
      image: "registry.example.com/ingress/ingress-controller:1.13.2",
      replicas: 3,
      serviceAccountName: "ingress-controller",
      annotations: {
        [INFORMERS]:
          "ingresses.networking.k8s.io; services; endpointslices.discovery.k8s.io; client client-go/0.33.1",
      },
      liveness: http("/healthz", 10254),
      clusterRules: [
        {
          apiGroups: ["networking.k8s.io", "", "discovery.k8s.io"],
          resources: ["ingresses", "services", "endpointslices"],
          verbs: READ,
        },
      ],
    }),
    deployment({
      namespace: "autoscaling",
      name: "cluster-autoscaler",
      image: `registry.k8s.io/autoscaling/cluster-autoscaler:v${plan.kubernetesVersion}`,
      replicas: 1,
      serviceAccountName: "cluster-autoscaler",
      clusterRules: [
        { apiGroups: ["", "apps"], resources: ["pods", "nodes", "daemonsets", "replicasets"], verbs: READ },
      ],
    }),
    deployment({
      namespace: "storage",
      name: "csi-provisioner",
      image: "registry.k8s.io/sig-storage/csi-provisioner:v5.3.0",
      replicas: 2,
      serviceAccountName: "csi-provisioner",
      args: ["--leader-election", "--timeout=60s"],
      clusterRules: [
        {
          apiGroups: ["", "storage.k8s.io"],
          resources: ["persistentvolumes", "persistentvolumeclaims", "storageclasses"],
          verbs: READ,
        },
      ],
    }),
    deployment({
      namespace: "batch",
      name: "workflow-controller",
      image: "registry.example.com/batch/workflow-controller:3.7.1",
      replicas: 2,
      serviceAccountName: "workflow-controller",
      annotations: { [INFORMERS]: "pods leader; jobs.batch leader; client client-go/0.32.3" },
      clusterRules: [{ apiGroups: ["", "batch"], resources: ["pods", "jobs"], verbs: [...READ, "update"] }],
    }),
    deployment({
      namespace: "mesh",
      name: "sidecar-injector",
      image: "registry.example.com/mesh/sidecar-injector:0.9.2",
      replicas: 3,
      serviceAccountName: "sidecar-injector",
      clusterRules: [{ apiGroups: [""], resources: ["configmaps", "secrets", "namespaces"], verbs: READ }],
    }),
    ...(plan.networkAgent === "calico" ? [deployment(CALICO)] : []),
  ];
}

const CALICO = {
  namespace: "kube-system",
  name: "calico-kube-controllers",
  image: "quay.io/calico/kube-controllers:v3.30.3",
  replicas: 1,
  serviceAccountName: "calico-kube-controllers",
  // The liveness check evaluates readiness, which asks the API server's /healthz.
  liveness: {
    exec: { command: ["/usr/bin/check-status", "-l"] },
    periodSeconds: 10,
    timeoutSeconds: 10,
    failureThreshold: 6,
    initialDelaySeconds: 10,
  },
  readiness: {
    exec: { command: ["/usr/bin/check-status", "-r"] },
    periodSeconds: 10,
    timeoutSeconds: 10,
    failureThreshold: 3,
  },
  clusterRules: [
    {
      apiGroups: ["", "networking.k8s.io"],
      resources: ["nodes", "pods", "namespaces", "networkpolicies"],
      verbs: READ,
    },
  ],
} as const;

/** Polls all pods since 1.9.0; rolled out when the incident begins, rolled back when it ends. */
function gpuFeatureAgent(stories: Stories): WorkloadSpec {
  const image = (version: string) => `registry.example.com/scheduling/gpu-feature-agent:${version}`;
  return {
    kind: "DaemonSet",
    namespace: "scheduling",
    name: "gpu-feature-agent",
    image: image("1.8.4"),
    imageAt: (at) => image(windowAt(stories.rollout, at) === null ? "1.8.4" : "1.9.0"),
    replicas: "nodes",
    unreadyAt: (at) => {
      const rollout = windowAt(stories.rollout, at);
      return rollout === null ? 0 : Math.min(131, Math.floor(((at - rollout[0]) / ROLLOUT_LEAD) * 131));
    },
    outdatedAt: (at) => {
      const rollout = windowAt(stories.rollout, at);
      // Replaced at up to 10 pods a second.
      return rollout === null ? 0 : Math.max(0, 640 - Math.floor((at - rollout[0]) / 100));
    },
    serviceAccountName: "gpu-feature-agent",
    annotations: { [INFORMERS]: "pods poll=60s json rv=0 limit=500; client client-go/0.33.2" },
    maxUnavailable: "10%",
    clusterRules: [{ apiGroups: [""], resources: ["pods"], verbs: READ }],
  };
}

function paymentsAgents(): WorkloadSpec[] {
  return [
    {
      kind: "DaemonSet",
      namespace: "security",
      name: "node-identity",
      image: "registry.example.com/security/node-identity:1.4.2",
      replicas: "nodes",
      serviceAccountName: "node-identity",
      liveness: {
        exec: { command: ["curl", "-fsk", "https://kubernetes.default/healthz"] },
        periodSeconds: 30,
        timeoutSeconds: 5,
        failureThreshold: 3,
      },
      readiness: {
        exec: { command: ["curl", "-fsk", "https://kubernetes.default/healthz"] },
        periodSeconds: 30,
        timeoutSeconds: 5,
        failureThreshold: 3,
      },
      maxUnavailable: "10%",
    },
    {
      kind: "DaemonSet",
      namespace: "kube-system",
      name: "kms-plugin",
      image: "registry.example.com/security/kms-plugin:2.0.5",
      replicas: 3,
      serviceAccountName: "kms-plugin",
      hostNetwork: true,
      liveness: {
        httpGet: { path: "/healthz", port: 8080 },
        periodSeconds: 10,
        timeoutSeconds: 1,
        failureThreshold: 3,
      },
    },
  ];
}

/** The same extension API server in three clusters: broken, about to be, and sound. */
function queueVisibility(plan: ClusterPlan): WorkloadSpec[] {
  const version = { "data-eu-west": "0.16.0", "ci-us-east": "0.16.0", "stage-eu-west": "0.15.4" }[plan.name];
  if (version === undefined) return [];
  return [
    {
      kind: "Deployment",
      namespace: "queueing-system",
      name: "queue-visibility",
      image: `registry.example.com/queueing/queue-visibility:${version}`,
      replicas: 2,
      ...(plan.name === "ci-us-east" ? { unreadyAt: () => 2 } : {}),
      serviceAccountName: "queue-visibility",
      clusterRules: [{ apiGroups: ["queueing.example.io"], resources: ["*"], verbs: READ }],
    },
  ];
}
