import type { Identity } from "./authorization.ts";
import { parseKubernetesVersion } from "./kubernetes-version.ts";
import { nodeName } from "./objects/nodes.ts";
import type { StaticPodSpec } from "./objects/pods.ts";
import type { ClusterScenario } from "./scenario.ts";
import { type CountSpec, composeScenario } from "./scenario-builder.ts";
import { standardLoad } from "./standard-load.ts";
import { systemWorkloads, teamWorkloads } from "./standard-workloads.ts";

export interface ScenarioOptions {
  readonly name?: string;
  readonly seed?: string;
  /** `1.34.2`. */
  readonly kubernetesVersion?: string;
  readonly servers?: number;
  readonly nodes?: number;
  readonly pods?: number;
  /** Stored size of a pod; its JSON is 1.3 times that. */
  readonly podStoredBytes?: number;
  readonly workloads?: number;
  /** Bytes of constant series that make /metrics as long as real ones are. */
  readonly metricsFillerBytes?: number;
  /** Milliseconds since the epoch; servers started then, everything is older than it. */
  readonly startedAt?: number;
  readonly identities?: readonly [Identity, ...Identity[]];
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

const DAY_MS = 86_400_000;
/** Start of servers when a test does not say: fixed, so that figures do not depend on when a test runs. */
const DEFAULT_STARTED_AT = Date.UTC(2026, 0, 5, 8);

/**
 * A healthy cluster of any size and version from 1.26 to 1.37, with defaults a test need not think about: three
 * servers, 100 nodes, 2,400 pods. Equal options give equal clusters.
 */
export function buildScenario(options: ScenarioOptions = {}): ClusterScenario {
  const {
    name = "test-cluster",
    seed = "seed",
    kubernetesVersion = "1.34.2",
    servers = 3,
    nodes = 100,
    pods = nodes * 24,
    podStoredBytes = 2800,
    workloads = 40,
    metricsFillerBytes = 0,
    startedAt = DEFAULT_STARTED_AT,
    identities,
    featureGates = {},
  } = options;
  const { minor } = parseKubernetesVersion(kubernetesVersion);
  const [first, ...others] = Array.from({ length: servers }, (_, index) => `${name}-cp-${index}`);
  if (first === undefined) throw new RangeError("A cluster has at least one API server.");
  const system = systemWorkloads(kubernetesVersion);
  return composeScenario({
    name,
    seed,
    kubernetesVersion,
    createdAt: startedAt - 200 * DAY_MS,
    serverNames: [first, ...others],
    nodesAt: () => nodes,
    podsAt: () => pods,
    podStoredBytes,
    nodeStoredBytes: 9100,
    namespaces: 20,
    counts: standardCounts(nodes, minor),
    workloads: [...system, ...teamWorkloads(workloads - system.length, seed)],
    staticPods: Array.from({ length: servers }, (_, index) =>
      controlPlanePods(nodeName(name, index), kubernetesVersion),
    ).flat(),
    apiServices: [
      {
        group: "metrics.k8s.io",
        version: "v1beta1",
        service: { namespace: "kube-system", name: "metrics-server" },
        isAvailable: true,
      },
    ],
    webhooks: [
      {
        kind: "ValidatingWebhookConfiguration",
        name: "policy",
        service: { namespace: "policy", name: "policy" },
        failurePolicy: "Ignore",
        timeoutSeconds: 5,
        resources: ["pods"],
      },
    ],
    customResources: [
      {
        group: "cert-manager.io",
        version: "v1",
        kind: "Certificate",
        resource: "certificates",
        namespaced: true,
        count: 30,
        storedBytesEach: 1800,
      },
    ],
    featureGates,
    metricsFillerBytes,
    ...(identities === undefined ? {} : { identities }),
    load: (levels) =>
      standardLoad({
        minor,
        levels,
        seed: `${seed}/${name}`,
        startedAt: (server) => startedAt + server * 61_000,
        nodesAt: () => nodes,
        typicalNodes: nodes,
        servers,
        storageBytes: () => 200e6 + nodes * 600_000,
      }),
  });
}

/** Counts and stored sizes of what a cluster of this many nodes holds besides nodes, pods and workloads. */
export function standardCounts(nodes: number, minor: number): CountSpec[] {
  const row = (
    group: string,
    resource: string,
    count: number,
    storedBytesEach: number | null,
  ): CountSpec => ({
    group,
    resource,
    count: Math.max(1, Math.round(count)),
    storedBytesEach,
  });
  // From 1.36 on the size of objects that nobody changes stays unknown after a restart.
  const unlessUnchanged = (bytes: number) => (minor >= 36 ? null : bytes);
  return [
    row("", "configmaps", 60 + nodes * 0.6, 2400),
    row("", "events", 200 + nodes * 9, null),
    row("", "secrets", 80 + nodes * 0.9, 3100),
    row("", "services", 40 + nodes * 1.93, unlessUnchanged(1300)),
    row("", "persistentvolumes", nodes * 0.3, 1500),
    row("", "persistentvolumeclaims", nodes * 0.3, 1400),
    row("apps", "controllerrevisions", 60, 2600),
    row("batch", "jobs", 20 + nodes * 0.1, 2500),
    row("coordination.k8s.io", "leases", nodes + 20, 420),
    row("discovery.k8s.io", "endpointslices", 60 + nodes * 2.57, 2900),
    row("networking.k8s.io", "networkpolicies", 30 + nodes * 0.2, unlessUnchanged(900)),
    row("policy", "poddisruptionbudgets", 20 + nodes * 0.05, 700),
    row("rbac.authorization.k8s.io", "rolebindings", 90, unlessUnchanged(500)),
    row("rbac.authorization.k8s.io", "roles", 70, unlessUnchanged(700)),
    row("scheduling.k8s.io", "priorityclasses", 6, unlessUnchanged(300)),
    row("storage.k8s.io", "csidrivers", 3, unlessUnchanged(300)),
    row("storage.k8s.io", "csinodes", nodes, 500),
    row("storage.k8s.io", "storageclasses", 4, unlessUnchanged(400)),
    row("storage.k8s.io", "volumeattachments", nodes * 0.25, 900),
  ];
}

/** The four static pods of one control plane node, with the probes that kubeadm writes for the version. */
export function controlPlanePods(
  node: string,
  kubernetesVersion: string,
  apiServerLiveness = "/livez",
): StaticPodSpec[] {
  const { minor } = parseKubernetesVersion(kubernetesVersion);
  const image = (component: string) => `registry.k8s.io/${component}:v${kubernetesVersion}`;
  const probe = (path: string, port: number, periodSeconds = 10, failureThreshold = 8) => ({
    httpGet: { path, port, scheme: "HTTPS", host: "127.0.0.1" },
    initialDelaySeconds: periodSeconds === 1 ? 0 : 10,
    periodSeconds,
    timeoutSeconds: 15,
    failureThreshold,
  });
  const schedulerPath = minor >= 32 ? "/livez" : "/healthz";
  return [
    {
      component: "etcd",
      nodeName: node,
      image: "registry.k8s.io/etcd:3.6.5-0",
      command: ["etcd", "--data-dir=/var/lib/etcd", "--listen-metrics-urls=http://127.0.0.1:2381"],
      liveness: {
        ...probe("/livez", 2381),
        httpGet: { path: "/livez", port: 2381, scheme: "HTTP", host: "127.0.0.1" },
      },
    },
    {
      component: "kube-apiserver",
      nodeName: node,
      image: image("kube-apiserver"),
      command: [
        "kube-apiserver",
        "--authorization-mode=Node,RBAC",
        "--etcd-servers=https://127.0.0.1:2379",
        "--secure-port=6443",
      ],
      liveness: probe(apiServerLiveness, 6443),
      readiness: probe("/readyz", 6443, 1, 3),
      startup: probe("/livez", 6443, 10, 24),
    },
    {
      component: "kube-controller-manager",
      nodeName: node,
      image: image("kube-controller-manager"),
      command: ["kube-controller-manager", "--leader-elect=true", "--use-service-account-credentials=true"],
      liveness: probe("/healthz", 10257),
      startup: probe("/healthz", 10257, 10, 24),
    },
    {
      component: "kube-scheduler",
      nodeName: node,
      image: image("kube-scheduler"),
      command: ["kube-scheduler", "--leader-elect=true"],
      liveness: probe(schedulerPath, 10259),
      startup: probe(schedulerPath, 10259, 10, 24),
    },
  ];
}
