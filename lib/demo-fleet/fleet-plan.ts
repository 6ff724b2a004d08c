/** One cluster of the demo fleet in figures; its stories are told in `stories.ts`. */
export interface ClusterPlan {
  readonly name: string;
  readonly kubernetesVersion: string;
  readonly role: "production" | "payments" | "data" | "edge" | "ci" | "staging" | "development";
  readonly region: string;
  readonly servers: number;
  readonly nodes: number;
  /** Nodes gained over the 30 days before the fleet was first started, and how. */
  readonly growth: NodeGrowth;
  readonly podsPerNode: number;
  readonly podStoredBytes: number;
  readonly namespaces: number;
  readonly workloads: number;
  /** The level with the highest share of its limit in use, and its seats on the busiest server when the fleet starts. */
  readonly busiest: { readonly level: string; readonly seats: number };
  readonly networkAgent: "cilium" | "calico";
  /** node-telemetry 2.6.3 LISTs all pods; 2.7.1 only those of its node. */
  readonly telemetry: "2.6.3" | "2.7.1";
}

export type NodeGrowth =
  | { readonly kind: "none" }
  | { readonly kind: "steady"; readonly perDay: number }
  /** All at once, so many days before the start. */
  | { readonly kind: "step"; readonly nodes: number; readonly daysBefore: number };

const NONE: NodeGrowth = { kind: "none" };

type Row = Omit<ClusterPlan, "servers" | "growth"> & Partial<Pick<ClusterPlan, "servers" | "growth">>;
const cluster = (row: Row): ClusterPlan => ({ servers: 3, growth: NONE, ...row });

/** The fleet, worst first: 14 clusters, 6,650 nodes. */
export const FLEET: readonly ClusterPlan[] = [
  cluster({
    name: "ml-us-east",
    kubernetesVersion: "1.34.3",
    role: "production",
    region: "us-east",
    nodes: 640,
    podsPerNode: 30,
    podStoredBytes: 6080,
    namespaces: 120,
    workloads: 160,
    busiest: { level: "workload-low", seats: 22 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "prod-us-east",
    kubernetesVersion: "1.34.2",
    role: "production",
    region: "us-east",
    nodes: 2000,
    growth: { kind: "step", nodes: 60, daysBefore: 2.2 },
    podsPerNode: 24,
    podStoredBytes: 5000,
    namespaces: 340,
    workloads: 412,
    busiest: { level: "workload-low", seats: 31 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "prod-eu-west",
    kubernetesVersion: "1.32.9",
    role: "production",
    region: "eu-west",
    nodes: 1180,
    growth: { kind: "steady", perDay: 0.6 },
    podsPerNode: 24,
    podStoredBytes: 5430,
    namespaces: 260,
    workloads: 290,
    busiest: { level: "workload-high", seats: 42 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "payments-eu",
    kubernetesVersion: "1.33.6",
    role: "payments",
    region: "eu-west",
    nodes: 210,
    podsPerNode: 21.905,
    podStoredBytes: 5400,
    namespaces: 60,
    workloads: 120,
    busiest: { level: "system", seats: 18 },
    networkAgent: "calico",
    telemetry: "2.7.1",
  }),
  cluster({
    name: "data-eu-west",
    kubernetesVersion: "1.35.1",
    role: "data",
    region: "eu-west",
    nodes: 420,
    podsPerNode: 25.953,
    podStoredBytes: 5600,
    namespaces: 90,
    workloads: 140,
    busiest: { level: "workload-low", seats: 22 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "prod-us-west",
    kubernetesVersion: "1.34.2",
    role: "production",
    region: "us-west",
    nodes: 860,
    growth: { kind: "steady", perDay: 0.4 },
    podsPerNode: 24,
    podStoredBytes: 4990,
    namespaces: 200,
    workloads: 240,
    busiest: { level: "workload-low", seats: 24 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "edge-ap-south",
    kubernetesVersion: "1.33.4",
    role: "edge",
    region: "ap-south",
    nodes: 140,
    podsPerNode: 15,
    podStoredBytes: 5000,
    namespaces: 40,
    workloads: 60,
    busiest: { level: "workload-low", seats: 9 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "prod-ap-east",
    kubernetesVersion: "1.34.2",
    role: "production",
    region: "ap-east",
    nodes: 520,
    growth: { kind: "steady", perDay: 3.4 },
    podsPerNode: 24,
    podStoredBytes: 5020,
    namespaces: 150,
    workloads: 180,
    busiest: { level: "workload-low", seats: 19 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "ci-us-east",
    kubernetesVersion: "1.35.1",
    role: "ci",
    region: "us-east",
    nodes: 310,
    podsPerNode: 21.3,
    podStoredBytes: 5000,
    namespaces: 400,
    workloads: 110,
    busiest: { level: "workload-low", seats: 41 },
    networkAgent: "cilium",
    telemetry: "2.6.3",
  }),
  cluster({
    name: "payments-us",
    kubernetesVersion: "1.34.3",
    role: "payments",
    region: "us-east",
    nodes: 190,
    podsPerNode: 22,
    podStoredBytes: 5400,
    namespaces: 60,
    workloads: 118,
    busiest: { level: "system", seats: 15 },
    networkAgent: "calico",
    telemetry: "2.7.1",
  }),
  cluster({
    name: "edge-us-central",
    kubernetesVersion: "1.34.2",
    role: "edge",
    region: "us-central",
    nodes: 96,
    podsPerNode: 15,
    podStoredBytes: 5200,
    namespaces: 36,
    workloads: 52,
    busiest: { level: "workload-low", seats: 7 },
    networkAgent: "cilium",
    telemetry: "2.7.1",
  }),
  cluster({
    name: "stage-eu-west",
    kubernetesVersion: "1.36.1",
    role: "staging",
    region: "eu-west",
    nodes: 44,
    podsPerNode: 25,
    podStoredBytes: 5300,
    namespaces: 48,
    workloads: 90,
    busiest: { level: "workload-low", seats: 6 },
    networkAgent: "cilium",
    telemetry: "2.7.1",
  }),
  cluster({
    name: "dev-eu-west",
    kubernetesVersion: "1.36.1",
    role: "development",
    region: "eu-west",
    servers: 1,
    nodes: 28,
    podsPerNode: 23,
    podStoredBytes: 5300,
    namespaces: 44,
    workloads: 70,
    busiest: { level: "workload-low", seats: 4 },
    networkAgent: "cilium",
    telemetry: "2.7.1",
  }),
  cluster({
    name: "edge-eu-north",
    kubernetesVersion: "1.36.1",
    role: "edge",
    region: "eu-north",
    servers: 1,
    nodes: 12,
    podsPerNode: 13,
    podStoredBytes: 5000,
    namespaces: 20,
    workloads: 36,
    busiest: { level: "workload-low", seats: 2 },
    networkAgent: "cilium",
    telemetry: "2.7.1",
  }),
];

export function planOf(clusterName: string): ClusterPlan {
  const plan = FLEET.find(({ name }) => name === clusterName);
  if (!plan) throw new RangeError(`Not a cluster of the demo fleet: ${clusterName}.`);
  return plan;
}

/** Host names of the API servers: what the identity Leases publish. */
export const serverNames = (plan: ClusterPlan): readonly string[] =>
  Array.from({ length: plan.servers }, (_, index) => `${plan.name}-cp-${index}`);
