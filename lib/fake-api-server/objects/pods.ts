import { type Collection, fixedCollection, joinCollections, type KubeObject } from "../collection.ts";
import { uuidOf } from "../random.ts";
import { seconds, typeOf } from "../server-collections.ts";
import { nodeName } from "./nodes.ts";
import { JsonTemplate, managedFields, metaOf, nameSuffix } from "./object-meta.ts";
import type { ProbeSpec, WorkloadSpec } from "./workload-spec.ts";
import { imageOf, podTemplate } from "./workloads.ts";

export interface PodsInput {
  readonly clusterUid: string;
  readonly clusterName: string;
  readonly createdAt: number;
  /** All pods but the static ones: DaemonSets have one per node, the rest share what is left. */
  countAt(at: number): number;
  nodesAt(at: number): number;
  readonly workloads: readonly WorkloadSpec[];
  readonly staticPods: readonly StaticPodSpec[];
  readonly storedBytesEach: number;
}

/** A pod the kubelet of one node runs by itself; the API server holds a mirror of it. */
export interface StaticPodSpec {
  readonly component: "kube-apiserver" | "etcd" | "kube-controller-manager" | "kube-scheduler";
  readonly nodeName: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly liveness: ProbeSpec;
  readonly readiness?: ProbeSpec;
  readonly startup?: ProbeSpec;
}

/**
 * Pods of a cluster: mirrors of static pods first, then the others, made on the fly. The index counts nodes fastest:
 * pods of one DaemonSet lie together.
 */
export function podCollection(input: PodsInput): Collection {
  const statics = input.staticPods.map((spec) => staticPod(spec, input));
  const mirrors: Collection = {
    ...fixedCollection(typeOf("", "pods"), statics, null),
    fieldAt: (index, field) =>
      field === "spec.nodeName" ? input.staticPods[index]?.nodeName : COMMON_FIELDS[field],
  };
  return joinCollections([mirrors, workloadPods(input)]);
}

/** Selectable fields that are the same for every pod here. */
const COMMON_FIELDS: Readonly<Record<string, string>> = {
  "status.phase": "Running",
  "spec.restartPolicy": "Always",
  "spec.schedulerName": "default-scheduler",
};

function workloadPods(input: PodsInput): Collection {
  const isEverywhere = (spec: WorkloadSpec) => spec.kind === "DaemonSet" && spec.replicas === "nodes";
  const daemonSets = input.workloads.filter(isEverywhere);
  const others = input.workloads.filter((spec) => !isEverywhere(spec));
  const owners = daemonSets.length + others.length === 0 ? [] : [...daemonSets, ...others];
  const templates = new Map<WorkloadSpec, { whole: JsonTemplate; metadata: JsonTemplate }>();
  const locate = (index: number, at: number) => {
    const nodes = Math.max(1, input.nodesAt(at));
    const slot = Math.floor(index / nodes);
    const node = index % nodes;
    // Slots beyond the DaemonSets belong to the other workloads in turn, changing from node to node.
    const owner =
      slot < daemonSets.length || others.length === 0
        ? owners[slot % Math.max(1, owners.length)]
        : others[(slot * 31 + node) % others.length];
    if (owner === undefined) throw new RangeError("A cluster with pods needs a workload that owns them.");
    return { owner, node, slot };
  };
  const template = (owner: WorkloadSpec) => {
    const known = templates.get(owner);
    if (known) return known;
    const pod = podOf(owner, input);
    const made = { whole: new JsonTemplate(pod), metadata: new JsonTemplate(pod.metadata) };
    templates.set(owner, made);
    return made;
  };
  const nameOf = (owner: WorkloadSpec, slot: number, node: number) => {
    const suffix = nameSuffix(`${owner.name}/${slot}/${node}`);
    return owner.kind === "Deployment" ? `${owner.name}-5d4f7c9b8-${suffix}` : `${owner.name}-${suffix}`;
  };
  const values = (index: number, at: number) => {
    const { owner, node, slot } = locate(index, at);
    return {
      owner,
      fields: {
        name: nameOf(owner, slot, node),
        uid: uuidOf(`${input.clusterUid}/Pod/${slot}/${node}`),
        rv: String(5000 + index * 3),
        node: nodeName(input.clusterName, node),
        ip: `10.${64 + ((node >> 8) & 127)}.${node & 255}.${(slot % 200) + 2}`,
        hostIp: `10.${(node >> 14) & 63}.${(node >> 6) & 255}.${(node & 63) + 10}`,
        container: uuidOf(`c/${slot}/${node}`).replaceAll("-", ""),
      },
    };
  };
  return {
    type: typeOf("", "pods"),
    storedBytesEach: input.storedBytesEach,
    size: input.countAt,
    keyAt: (index, at) => {
      const { owner, node, slot } = locate(index, at);
      return { namespace: owner.namespace, name: nameOf(owner, slot, node) };
    },
    labelsAt: (index, at) => podLabels(locate(index, at).owner),
    objectAt: (index, at) => {
      const { owner, fields } = values(index, at);
      return template(owner).whole.object(fields);
    },
    jsonAt: (index, at) => {
      const { owner, fields } = values(index, at);
      return template(owner).whole.fill(fields);
    },
    metadataJsonAt: (index, at) => {
      const { owner, fields } = values(index, at);
      return template(owner).metadata.fill(fields);
    },
    fieldAt: (index, field, at) => {
      if (field === "spec.nodeName") return nodeName(input.clusterName, locate(index, at).node);
      return COMMON_FIELDS[field];
    },
  };
}

const podLabels = (owner: WorkloadSpec) => ({
  "app.kubernetes.io/name": owner.name,
  ...(owner.kind === "Deployment"
    ? { "pod-template-hash": "5d4f7c9b8" }
    : { "controller-revision-hash": "6b8d9f4c5" }),
});

/** JSON is longer than the stored form; how much depends on the object. This server plays all pods alike. */
const JSON_PER_STORED_BYTE = 1.3;

/** A pod in the right size: containers of real pods carry dozens of environment variables, so these fill it up. */
function podOf(owner: WorkloadSpec, input: PodsInput): KubeObject {
  const { length } = JSON.stringify(podWithEnvironment(owner, input, []));
  const missing = Math.max(0, input.storedBytesEach * JSON_PER_STORED_BYTE - length - 300);
  const variable = (index: number) => ({
    name: `SETTING_${index}`,
    value: `value-of-the-setting-number-${index}`,
  });
  const each = JSON.stringify(variable(10)).length + 1;
  const environment = Array.from({ length: Math.round(missing / each) }, (_, index) => variable(index));
  return podWithEnvironment(owner, input, environment);
}

function podWithEnvironment(
  owner: WorkloadSpec,
  { createdAt, clusterUid }: PodsInput,
  environment: readonly object[],
): KubeObject {
  const at = createdAt + 3_600_000;
  const { spec } = podTemplate(owner, at);
  const time = seconds(at);
  const isReplicaSet = owner.kind === "Deployment";
  const ownerName = isReplicaSet ? `${owner.name}-5d4f7c9b8` : owner.name;
  const ownerKind = isReplicaSet ? "ReplicaSet" : owner.kind;
  const condition = (type: string) => ({
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: time,
  });
  return {
    metadata: {
      name: "%%name%%",
      generateName: `${ownerName}-`,
      namespace: owner.namespace,
      uid: "%%uid%%",
      resourceVersion: "%%rv%%",
      creationTimestamp: time,
      labels: podLabels(owner),
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: ownerKind,
          name: ownerName,
          uid: uuidOf(`${clusterUid}/${ownerKind}/${owner.namespace}/${ownerName}`),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields("kubelet", at, [
        "containers",
        "dnsPolicy",
        "restartPolicy",
        "phase",
        "podIP",
        "podIPs",
        "startTime",
        "hostIP",
      ]),
    },
    spec: {
      ...spec,
      containers: spec.containers.map((container) => ({
        ...container,
        env: [...container.env, ...environment],
      })),
      nodeName: "%%node%%",
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
      priority: 0,
      volumes: [
        {
          name: "kube-api-access-x2vqm",
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }],
          },
        },
      ],
    },
    status: {
      phase: "Running",
      conditions: [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
      ].map(condition),
      hostIP: "%%hostIp%%",
      hostIPs: [{ ip: "%%hostIp%%" }],
      podIP: "%%ip%%",
      podIPs: [{ ip: "%%ip%%" }],
      startTime: time,
      containerStatuses: [
        {
          name: owner.name,
          state: { running: { startedAt: time } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: imageOf(owner, at),
          imageID: `${imageOf(owner, at)}@sha256:${"8f4e2a61".repeat(8)}`,
          containerID: "containerd://%%container%%",
          started: true,
        },
      ],
      qosClass: "Burstable",
    },
  };
}

function staticPod(spec: StaticPodSpec, { clusterUid, createdAt }: PodsInput): KubeObject {
  const name = `${spec.component}-${spec.nodeName}`;
  const probe = (value: ProbeSpec | undefined) =>
    value === undefined ? undefined : { successThreshold: 1, ...value };
  const container = {
    name: spec.component,
    image: spec.image,
    command: spec.command,
    resources: { requests: { cpu: "250m" } },
    livenessProbe: probe(spec.liveness),
    ...(spec.readiness === undefined ? {} : { readinessProbe: probe(spec.readiness) }),
    ...(spec.startup === undefined ? {} : { startupProbe: probe(spec.startup) }),
    imagePullPolicy: "IfNotPresent",
  };
  const hash = uuidOf(`${clusterUid}/${name}/mirror`).replaceAll("-", "");
  return {
    metadata: {
      ...metaOf({
        clusterUid,
        kind: "Pod",
        name,
        namespace: "kube-system",
        createdAt,
        labels: { component: spec.component, tier: "control-plane" },
      }),
      annotations: {
        "kubernetes.io/config.hash": hash,
        "kubernetes.io/config.mirror": hash,
        "kubernetes.io/config.source": "file",
      },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Node",
          name: spec.nodeName,
          uid: uuidOf(`${clusterUid}/Node/${spec.nodeName}`),
          controller: true,
        },
      ],
    },
    spec: {
      containers: [container],
      nodeName: spec.nodeName,
      hostNetwork: true,
      priority: 2000001000,
      priorityClassName: "system-node-critical",
      restartPolicy: "Always",
      tolerations: [{ effect: "NoExecute", operator: "Exists" }],
    },
    status: {
      phase: "Running",
      conditions: [
        { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: seconds(createdAt) },
      ],
    },
  };
}
