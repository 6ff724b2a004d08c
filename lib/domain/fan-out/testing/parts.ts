import type { ClusterWideList, InventoryPart, Workload } from "../../clusters/inventory-part.ts";
import { PART_PERIOD_SECONDS, type PartName, type PartState } from "../../clusters/part.ts";
import { known } from "../../clusters/reading.ts";
import type { StoredParts } from "../open-fan-out.ts";

export const NOW = Date.UTC(2026, 10, 30, 9, 42, 10);

export const workloadOf = (over: Partial<Workload> = {}): Workload => {
  const { namespace = "observability", name = "node-telemetry" } = over;
  return {
    kind: "DaemonSet",
    namespace,
    name,
    uid: `${namespace}/${name}`,
    generation: 1,
    desiredReplicas: 2000,
    readyReplicas: 2000,
    updatedReplicas: 2000,
    serviceAccountName: name,
    images: [{ container: name, image: `registry.example.com/${name}:2.6.3` }],
    labels: {},
    maxUnavailable: "10%",
    maxSurge: null,
    updateStrategy: "RollingUpdate",
    minReadySeconds: 0,
    informersAnnotation: null,
    ...over,
  };
};

/** LISTs all pods and namespaces on each of 2,000 nodes. */
export const TELEMETRY = workloadOf({
  informersAnnotation: "pods protobuf; namespaces protobuf; client client-go/0.32.3",
});

export const inventoryOf = (
  workloads: readonly Workload[],
  clusterWideLists: readonly ClusterWideList[] | null = [],
): InventoryPart => ({
  workloads,
  nodes: { total: 2000, byLabel: {} },
  pods: 48_000,
  controlPlanePods: [
    {
      name: "etcd-cp-0",
      component: "etcd",
      nodeName: "cp-0",
      image: "registry.k8s.io/etcd:3.6.5-0",
      flags: [],
    },
  ],
  webhooks: [],
  apiServices: [],
  customResourceDefinitions: [],
  clusterWideLists,
});

export interface PartsOptions {
  readonly inventory?: InventoryPart | null;
  readonly pods?: number;
  readonly sizesAt?: number;
  readonly inventoryAt?: number;
  readonly rejectedPerSecond?: number;
}

const SERVERS = ["id-0", "id-1", "id-2"];

/** A cluster of 2,000 nodes and three API servers of 16 cores, 1.34.2, read now. */
export function partsOf(options: PartsOptions = {}): StoredParts {
  const { inventory = inventoryOf([TELEMETRY]), pods = 48_000, rejectedPerSecond = 0 } = options;
  const size = (resource: string, objects: number, each: number) =>
    SERVERS.map((serverId) => ({
      group: "",
      resource,
      serverId,
      objects: known(objects),
      storedBytes: known(objects * each),
      objectsSource: "apiserver_resource_objects" as const,
    }));
  return {
    version: stateOf("version", {
      gitVersion: "v1.34.2",
      major: 1,
      minor: 34,
      servers: SERVERS.map((serverId) => ({ serverId, gitVersion: "v1.34.2", platform: null, gates: [] })),
    }),
    servers: stateOf("servers", {
      servers: SERVERS.map((id, index) => ({
        id,
        name: `api-${index}`,
        hostname: null,
        address: null,
        access: "direct",
        processStartAt: null,
        leaseRenewAt: null,
        lastReadAt: NOW,
        cores: 16 + index,
      })),
      expectedServers: 3,
      expectedFrom: "leases",
    }),
    sizes: stateOf(
      "sizes",
      {
        resources: [
          ...size("pods", pods, 5000),
          ...size("namespaces", 340, 1100),
          ...size("services", 100, 1000),
        ],
        samples: [],
      },
      options.sizesAt,
    ),
    fairness: stateOf("fairness", {
      servers: [
        {
          serverId: "id-0",
          observedAt: NOW,
          isEnabled: true,
          levels: [
            {
              priorityLevelName: "workload-low",
              nominalSeats: 246,
              minSeats: 25,
              maxSeats: 600,
              currentLimitSeats: 58,
              executingSeats: 12,
              executingRequests: 6,
              waitingRequests: 0,
              waitingSeats: 0,
              demandSeatsSmoothed: 12,
              rejectedTotal: {},
              dispatchedTotal: 1000,
              rejectedPerSecond,
              dispatchedPerSecond: 30,
              waitP99: null,
            },
          ],
          flows: null,
          flowsObservedAt: null,
        },
      ],
      priorityLevels: null,
      flowSchemas: null,
      configurationReadAt: null,
      configurationApiVersion: null,
    }),
    ...(inventory === null ? {} : { inventory: stateOf("inventory", inventory, options.inventoryAt) }),
  };
}

const stateOf = <Value>(part: PartName, value: Value, valueAt = NOW): PartState<Value> => ({
  part,
  latest: {
    part,
    status: "ok",
    startedAt: valueAt,
    durationSeconds: 1,
    requests: 1,
    wireBytes: 1,
    answer: "",
    failure: null,
    notRead: [],
  },
  value,
  valueAt,
  nextAttemptAt: null,
  periodSeconds: PART_PERIOD_SECONDS[part],
});
