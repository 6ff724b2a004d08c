import type { WorkloadSpec } from "./objects/workload-spec.ts";
import { hashOf } from "./random.ts";

const READ = ["get", "list", "watch"];

/** What every cluster of ours runs: proxy, DNS, network agent, monitoring and deployment controllers. */
export function systemWorkloads(kubernetesVersion: string): WorkloadSpec[] {
  return [
    {
      kind: "DaemonSet",
      namespace: "kube-system",
      name: "kube-proxy",
      image: `registry.k8s.io/kube-proxy:v${kubernetesVersion}`,
      replicas: "nodes",
      serviceAccountName: "kube-proxy",
      args: ["--config=/var/lib/kube-proxy/config.conf", "--hostname-override=$(NODE_NAME)"],
      maxUnavailable: "10%",
      clusterRules: [
        { apiGroups: [""], resources: ["services", "nodes"], verbs: READ },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
      ],
      priorityClassName: "system-node-critical",
      hostNetwork: true,
    },
    {
      kind: "Deployment",
      namespace: "kube-system",
      name: "coredns",
      image: "registry.k8s.io/coredns/coredns:v1.12.4",
      replicas: 2,
      serviceAccountName: "coredns",
      args: ["-conf", "/etc/coredns/Corefile"],
      liveness: {
        httpGet: { path: "/health", port: 8080 },
        periodSeconds: 10,
        timeoutSeconds: 5,
        failureThreshold: 5,
        initialDelaySeconds: 60,
      },
      readiness: {
        httpGet: { path: "/ready", port: 8181 },
        periodSeconds: 10,
        timeoutSeconds: 1,
        failureThreshold: 3,
      },
      clusterRules: [
        { apiGroups: [""], resources: ["services", "namespaces"], verbs: ["list", "watch"] },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ],
      priorityClassName: "system-cluster-critical",
    },
    {
      kind: "StatefulSet",
      namespace: "monitoring",
      name: "prometheus",
      image: "quay.io/prometheus/prometheus:v3.7.3",
      replicas: 2,
      serviceAccountName: "prometheus",
      liveness: {
        httpGet: { path: "/-/healthy", port: 9090 },
        periodSeconds: 15,
        timeoutSeconds: 3,
        failureThreshold: 6,
      },
      clusterRules: [
        { apiGroups: [""], resources: ["pods", "services", "nodes"], verbs: READ },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
      ],
    },
    {
      kind: "StatefulSet",
      namespace: "gitops",
      name: "application-controller",
      image: "quay.io/argoproj/argocd:v3.1.0",
      replicas: 1,
      serviceAccountName: "application-controller",
      args: ["argocd-application-controller"],
      clusterRules: [{ apiGroups: ["*"], resources: ["*"], verbs: READ }],
    },
    {
      kind: "Deployment",
      namespace: "cert-manager",
      name: "cert-manager",
      image: "quay.io/jetstack/cert-manager-controller:v1.19.1",
      replicas: 1,
      serviceAccountName: "cert-manager",
      clusterRules: [
        { apiGroups: [""], resources: ["secrets", "services", "pods"], verbs: READ },
        { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs: READ },
      ],
    },
  ];
}

/** Applications of teams, to bring a cluster to a number of workloads. No cluster-wide access. */
export function teamWorkloads(count: number, seed: string): WorkloadSpec[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const hash = hashOf(`${seed}/${index}`);
    const name = `app-${String(index).padStart(4, "0")}`;
    return {
      kind: hash % 11 === 0 ? "StatefulSet" : "Deployment",
      namespace: `team-${String(index % 40).padStart(3, "0")}`,
      name,
      image: `registry.example.com/apps/${name}:${(hash >> 8) % 9}.${(hash >> 12) % 30}.${(hash >> 18) % 12}`,
      replicas: 1 + (hash % 6),
      serviceAccountName: "default",
      readiness: {
        httpGet: { path: "/ready", port: 8080 },
        periodSeconds: 10,
        timeoutSeconds: 1,
        failureThreshold: 3,
      },
    };
  });
}
