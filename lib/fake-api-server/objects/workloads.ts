import { type Collection, fixedCollection, type KubeObject } from "../collection.ts";
import { typeOf } from "../server-collections.ts";
import { metaOf } from "./object-meta.ts";
import type { WorkloadSpec } from "./workload-spec.ts";

export interface WorkloadContext {
  readonly clusterUid: string;
  readonly createdAt: number;
  nodesAt(at: number): number;
}

/** DaemonSets, Deployments, StatefulSets and their ReplicaSets, from their descriptions. Sorted by namespace and name. */
export function workloadCollections(specs: readonly WorkloadSpec[], context: WorkloadContext): Collection[] {
  const sorted = specs.toSorted((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
  const of = (kind: WorkloadSpec["kind"]) => sorted.filter((spec) => spec.kind === kind);
  return [
    fixedCollection(
      typeOf("apps", "daemonsets"),
      (at) => of("DaemonSet").map((spec) => daemonSet(spec, context, at)),
      3200,
    ),
    fixedCollection(
      typeOf("apps", "deployments"),
      (at) => of("Deployment").map((spec) => deployment(spec, context, at)),
      3400,
    ),
    fixedCollection(
      typeOf("apps", "statefulsets"),
      (at) => of("StatefulSet").map((spec) => statefulSet(spec, context, at)),
      3400,
    ),
    fixedCollection(
      typeOf("apps", "replicasets"),
      (at) => of("Deployment").map((spec) => replicaSet(spec, context, at)),
      2900,
    ),
  ];
}

export const imageOf = (spec: WorkloadSpec, at: number) => spec.imageAt?.(at) ?? spec.image;

const replicasOf = (spec: WorkloadSpec, context: WorkloadContext, at: number) =>
  spec.replicas === "nodes" ? context.nodesAt(at) : spec.replicas;

/** The version in an image reference, without digest. */
const versionOf = (image: string) => /:([\w.-]+)$/.exec(image)?.[1] ?? "latest";

function labelsOf(spec: WorkloadSpec, at: number) {
  return {
    "app.kubernetes.io/name": spec.name,
    "app.kubernetes.io/version": versionOf(imageOf(spec, at)).replace(/^v/, ""),
  };
}

function metadata(spec: WorkloadSpec, context: WorkloadContext, at: number, generation: number) {
  return metaOf({
    clusterUid: context.clusterUid,
    kind: spec.kind,
    name: spec.name,
    namespace: spec.namespace,
    createdAt: context.createdAt + 3600_000,
    labels: labelsOf(spec, at),
    ...(spec.annotations === undefined ? {} : { annotations: spec.annotations }),
    generation,
  });
}

/** The pod template: what later areas read of a workload (images, arguments, probes, account). */
export function podTemplate(spec: WorkloadSpec, at: number) {
  return {
    metadata: { creationTimestamp: null, labels: { "app.kubernetes.io/name": spec.name } },
    spec: {
      serviceAccountName: spec.serviceAccountName,
      serviceAccount: spec.serviceAccountName,
      ...(spec.hostNetwork === true ? { hostNetwork: true } : {}),
      ...(spec.priorityClassName === undefined ? {} : { priorityClassName: spec.priorityClassName }),
      containers: [
        {
          name: spec.name,
          image: imageOf(spec, at),
          ...(spec.args === undefined ? {} : { args: spec.args }),
          env: [
            { name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
          ],
          resources: { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "256Mi" } },
          ...(spec.liveness === undefined
            ? {}
            : { livenessProbe: { successThreshold: 1, ...spec.liveness } }),
          ...(spec.readiness === undefined
            ? {}
            : { readinessProbe: { successThreshold: 1, ...spec.readiness } }),
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      ...(spec.kind === "DaemonSet" ? { tolerations: [{ operator: "Exists" }] } : {}),
    },
  };
}

function daemonSet(spec: WorkloadSpec, context: WorkloadContext, at: number): KubeObject {
  const desired = replicasOf(spec, context, at);
  const unready = Math.min(desired, spec.unreadyAt?.(at) ?? 0);
  const outdated = Math.min(desired, spec.outdatedAt?.(at) ?? 0);
  const generation = spec.imageAt === undefined || spec.imageAt(at) === spec.image ? 7 : 8;
  return {
    metadata: metadata(spec, context, at, generation),
    spec: {
      selector: { matchLabels: { "app.kubernetes.io/name": spec.name } },
      template: podTemplate(spec, at),
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: spec.maxUnavailable ?? 1, maxSurge: 0 },
      },
      revisionHistoryLimit: 10,
    },
    status: {
      currentNumberScheduled: desired,
      numberMisscheduled: 0,
      desiredNumberScheduled: desired,
      numberReady: desired - unready,
      observedGeneration: generation,
      updatedNumberScheduled: desired - outdated,
      numberAvailable: desired - unready,
      ...(unready > 0 ? { numberUnavailable: unready } : {}),
    },
  };
}

function replicaStatus(spec: WorkloadSpec, context: WorkloadContext, at: number) {
  const replicas = replicasOf(spec, context, at);
  const ready = replicas - Math.min(replicas, spec.unreadyAt?.(at) ?? 0);
  return {
    observedGeneration: 4,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
  };
}

function deployment(spec: WorkloadSpec, context: WorkloadContext, at: number): KubeObject {
  return {
    metadata: metadata(spec, context, at, 4),
    spec: {
      replicas: replicasOf(spec, context, at),
      selector: { matchLabels: { "app.kubernetes.io/name": spec.name } },
      template: podTemplate(spec, at),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: replicaStatus(spec, context, at),
  };
}

function statefulSet(spec: WorkloadSpec, context: WorkloadContext, at: number): KubeObject {
  return {
    metadata: metadata(spec, context, at, 4),
    spec: {
      replicas: replicasOf(spec, context, at),
      selector: { matchLabels: { "app.kubernetes.io/name": spec.name } },
      template: podTemplate(spec, at),
      serviceName: spec.name,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
    },
    status: {
      ...replicaStatus(spec, context, at),
      currentRevision: `${spec.name}-5d4f7c9b8`,
      updateRevision: `${spec.name}-5d4f7c9b8`,
      collisionCount: 0,
    },
  };
}

function replicaSet(spec: WorkloadSpec, context: WorkloadContext, at: number): KubeObject {
  const { observedGeneration, replicas, readyReplicas, availableReplicas } = replicaStatus(spec, context, at);
  const name = `${spec.name}-5d4f7c9b8`;
  return {
    metadata: {
      ...metaOf({
        clusterUid: context.clusterUid,
        kind: "ReplicaSet",
        name,
        namespace: spec.namespace,
        createdAt: context.createdAt,
        generation: 1,
      }),
      labels: { ...labelsOf(spec, at), "pod-template-hash": "5d4f7c9b8" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: spec.name,
          uid: String(metadata(spec, context, at, 4).uid),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas,
      selector: { matchLabels: { "app.kubernetes.io/name": spec.name } },
      template: podTemplate(spec, at),
    },
    status: {
      replicas,
      fullyLabeledReplicas: replicas,
      readyReplicas,
      availableReplicas,
      observedGeneration,
    },
  };
}
