import type { Collection } from "../collection.ts";
import { uuidOf } from "../random.ts";
import { seconds, typeOf } from "../server-collections.ts";
import { JsonTemplate, managedFields } from "./object-meta.ts";

export interface NodesInput {
  readonly clusterUid: string;
  readonly clusterName: string;
  readonly createdAt: number;
  readonly kubeletVersion: string;
  countAt(at: number): number;
  readonly storedBytesEach: number;
}

/** `prod-us-east-00042`. */
export const nodeName = (clusterName: string, index: number) =>
  `${clusterName}-${String(index).padStart(5, "0")}`;

/** Nodes of a cluster, made on the fly. Every fortieth is a GPU node; zones turn. */
export function nodeCollection(input: NodesInput): Collection {
  const node = nodeTemplate(input);
  const template = new JsonTemplate(node);
  const metadata = new JsonTemplate(node.metadata);
  const values = (index: number) => ({
    name: nodeName(input.clusterName, index),
    uid: uuidOf(`${input.clusterUid}/Node/${index}`),
    rv: String(2000 + index * 7),
    zone: "abc".charAt(index % 3),
    instance: index % 40 === 0 ? "gpu.8xlarge" : "m.4xlarge",
    ip: `10.${(index >> 14) & 63}.${(index >> 6) & 255}.${(index & 63) + 10}`,
    cidr: `10.${64 + ((index >> 8) & 127)}.${index & 255}.0/24`,
  });
  return {
    type: typeOf("", "nodes"),
    storedBytesEach: input.storedBytesEach,
    size: input.countAt,
    keyAt: (index) => ({ namespace: "", name: nodeName(input.clusterName, index) }),
    objectAt: (index) => template.object(values(index)),
    jsonAt: (index) => template.fill(values(index)),
    metadataJsonAt: (index) => metadata.fill(values(index)),
    fieldAt: (_index, field) => (field === "spec.unschedulable" ? "false" : undefined),
  };
}

function nodeTemplate({ createdAt, kubeletVersion, clusterName }: NodesInput) {
  const condition = (type: string, reason: string, status: string) => ({
    type,
    status,
    lastHeartbeatTime: seconds(createdAt + 86_400_000),
    lastTransitionTime: seconds(createdAt + 60_000),
    reason,
    message: `kubelet: ${reason}`,
  });
  const quantities = { cpu: "16", memory: "65536Mi", "ephemeral-storage": "203234260Ki", pods: "110" };
  return {
    metadata: {
      name: "%%name%%",
      uid: "%%uid%%",
      resourceVersion: "%%rv%%",
      creationTimestamp: seconds(createdAt + 60_000),
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "%%name%%",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "%%instance%%",
        "topology.kubernetes.io/region": clusterName,
        "topology.kubernetes.io/zone": `${clusterName}-%%zone%%`,
      },
      annotations: {
        "node.alpha.kubernetes.io/ttl": "15",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
      managedFields: managedFields("kubelet", createdAt, [
        "arch",
        "os",
        "hostname",
        "zone",
        "region",
        "instance-type",
      ]),
    },
    spec: { podCIDR: "%%cidr%%", podCIDRs: ["%%cidr%%"], providerID: "demo:///%%zone%%/%%name%%" },
    status: {
      capacity: quantities,
      allocatable: { ...quantities, cpu: "15890m", memory: "61440Mi" },
      conditions: [
        condition("MemoryPressure", "KubeletHasSufficientMemory", "False"),
        condition("DiskPressure", "KubeletHasNoDiskPressure", "False"),
        condition("PIDPressure", "KubeletHasSufficientPID", "False"),
        condition("Ready", "KubeletReady", "True"),
      ],
      addresses: [
        { type: "InternalIP", address: "%%ip%%" },
        { type: "Hostname", address: "%%name%%" },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: "%%uid%%",
        systemUUID: "%%uid%%",
        bootID: "%%uid%%",
        kernelVersion: "6.12.30",
        osImage: "Linux",
        containerRuntimeVersion: "containerd://2.1.4",
        kubeletVersion: `v${kubeletVersion}`,
        kubeProxyVersion: `v${kubeletVersion}`,
        operatingSystem: "linux",
        architecture: "amd64",
      },
      images: Array.from({ length: 50 }, (_, index) => ({
        names: [
          `registry.example.com/team-${index % 9}/image-${index}@sha256:${"0123456789abcdef".repeat(4)}`,
        ],
        sizeBytes: 31_457_280 + index * 1_048_576,
      })),
    },
  };
}
