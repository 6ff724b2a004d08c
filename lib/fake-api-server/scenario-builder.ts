import { defaultFlowControl } from "../domain/fairness/defaults/defaults.ts";
import type { Identity } from "./authorization.ts";
import { READ_ALL_BUT_SECRETS } from "./authorization.ts";
import type { Collection } from "./collection.ts";
import type { ServerFigures } from "./figures.ts";
import { type FlowControl, flowControlCollections, levelConfigurations } from "./flow-control-objects.ts";
import { parseKubernetesVersion } from "./kubernetes-version.ts";
import { type ClusterLoad, figuresOf } from "./load-model.ts";
import { accountCollections } from "./objects/accounts.ts";
import {
  type ApiServiceSpec,
  apiServiceCollection,
  type CustomResourceSpec,
  countedCollection,
  customResourceCollections,
  namespaceCollection,
  type WebhookSpec,
  webhookCollections,
} from "./objects/extensions.ts";
import { nodeCollection } from "./objects/nodes.ts";
import { podCollection, type StaticPodSpec } from "./objects/pods.ts";
import type { WorkloadSpec } from "./objects/workload-spec.ts";
import { workloadCollections } from "./objects/workloads.ts";
import { uuidOf } from "./random.ts";
import type { Availability, ClusterScenario, OpenApiDocuments } from "./scenario.ts";
import type { LevelConfiguration } from "./seat-limits.ts";
import { typeOf } from "./server-collections.ts";

/** Number and stored size of a resource whose objects do not matter. `null`: a size the API server does not know. */
export interface CountSpec {
  readonly group: string;
  readonly resource: string;
  readonly count: number | ((at: number) => number);
  readonly storedBytesEach: number | null;
}

/** A cluster in words: what `composeScenario` makes objects, metrics and dumps of. */
export interface ClusterDescription {
  readonly name: string;
  readonly seed: string;
  readonly kubernetesVersion: string;
  readonly createdAt: number;
  readonly serverNames: readonly [string, ...string[]];
  nodesAt(at: number): number;
  podsAt(at: number): number;
  readonly podStoredBytes: number;
  readonly nodeStoredBytes: number;
  readonly namespaces: number;
  readonly counts: readonly CountSpec[];
  readonly workloads: readonly WorkloadSpec[];
  readonly staticPods: readonly StaticPodSpec[];
  readonly apiServices: readonly ApiServiceSpec[];
  readonly webhooks: readonly WebhookSpec[];
  readonly customResources: readonly CustomResourceSpec[];
  readonly identities?: readonly [Identity, ...Identity[]];
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** The defaults of the version unless this changes them. */
  readonly flowControl?: (defaults: FlowControl) => FlowControl;
  readonly load: (levels: readonly LevelConfiguration[]) => ClusterLoad;
  /** Default: shortly after the first process of the host started. */
  readonly leaseCreatedAt?: (serverIndex: number) => number;
  readonly availabilityAt?: (serverIndex: number, at: number) => Availability;
  readonly failingChecksAt?: (serverIndex: number, at: number) => readonly string[];
  readonly extraChecks?: readonly string[];
  readonly openApi?: OpenApiDocuments;
  readonly metricsFillerBytes?: number;
}

/** The account a kubeconfig of a scenario carries; the token depends on the seed and opens nothing else. */
export function readerIdentity(seed: string): Identity {
  return {
    token: `fake-${uuidOf(`${seed}/token`)}`,
    user: "system:serviceaccount:headroom:headroom",
    groups: ["system:serviceaccounts", "system:serviceaccounts:headroom", "system:authenticated"],
    rules: READ_ALL_BUT_SECRETS,
  };
}

/** Puts a cluster together. Cheap: no object exists before it is asked for, apart from a few hundred workloads. */
export function composeScenario(description: ClusterDescription): ClusterScenario {
  const { name, seed, createdAt, kubernetesVersion } = description;
  const { minor } = parseKubernetesVersion(kubernetesVersion);
  const uid = uuidOf(`${seed}/${name}/kube-system`);
  const defaults = defaultFlowControl(minor);
  const flowControl: FlowControl = description.flowControl?.(defaults) ?? defaults;
  const load = description.load(levelConfigurations(flowControl));
  return {
    name,
    uid,
    createdAt,
    kubernetesVersion,
    featureGates: description.featureGates ?? {},
    servers: description.serverNames,
    identities: description.identities ?? [readerIdentity(`${seed}/${name}`)],
    collections: collectionsOf(description, uid, flowControl),
    leaseCreatedAt:
      description.leaseCreatedAt ?? ((server) => load.startedAt(server, createdAt) + LEASE_DELAY_MS),
    figuresAt: rememberRecent((server, at) => figuresOf(load, server, at)),
    ...(description.availabilityAt === undefined ? {} : { availabilityAt: description.availabilityAt }),
    ...(description.failingChecksAt === undefined ? {} : { failingChecksAt: description.failingChecksAt }),
    ...(description.extraChecks === undefined ? {} : { extraChecks: description.extraChecks }),
    openApi: description.openApi ?? MINIMAL_OPEN_API,
    metricsFillerBytes: description.metricsFillerBytes ?? 0,
  };
}

/** Between the start of a process and its first write of a Lease. */
export const LEASE_DELAY_MS = 3000;

/** One request asks for the figures of one instant several times, and a rate for those of the instant before. */
function rememberRecent(compute: (server: number, at: number) => ServerFigures) {
  const recent = new Map<number, readonly ServerFigures[]>();
  return (server: number, at: number) => {
    const kept = recent.get(server) ?? [];
    const known = kept.find((figures) => figures.at === at);
    if (known) return known;
    const figures = compute(server, at);
    recent.set(server, [figures, ...kept.slice(0, 1)]);
    return figures;
  };
}

function collectionsOf(
  description: ClusterDescription,
  clusterUid: string,
  flowControl: FlowControl,
): Collection[] {
  const { name, createdAt, workloads, kubernetesVersion } = description;
  const context = { clusterUid, createdAt };
  const named = workloads.map((spec) => spec.namespace).filter((namespace) => !namespace.startsWith("team-"));
  const counted = description.counts.map((spec) => {
    const { count } = spec;
    return countedCollection(typeOf(spec.group, spec.resource), {
      ...context,
      countAt: typeof count === "function" ? count : () => count,
      storedBytesEach: spec.storedBytesEach,
    });
  });
  return [
    namespaceCollection({ ...context, named, count: description.namespaces }),
    nodeCollection({
      ...context,
      clusterName: name,
      kubeletVersion: kubernetesVersion,
      countAt: description.nodesAt,
      storedBytesEach: description.nodeStoredBytes,
    }),
    podCollection({
      ...context,
      clusterName: name,
      countAt: description.podsAt,
      nodesAt: description.nodesAt,
      workloads,
      staticPods: description.staticPods,
      storedBytesEach: description.podStoredBytes,
    }),
    ...workloadCollections(workloads, { ...context, nodesAt: description.nodesAt }),
    ...accountCollections(workloads, context),
    ...flowControlCollections(flowControl, context),
    apiServiceCollection(description.apiServices, context),
    ...webhookCollections(description.webhooks, context),
    ...customResourceCollections(description.customResources, context),
    ...counted,
  ];
}

/** The smallest documents that parse: for clusters whose schemas are no part of their story. */
export const MINIMAL_OPEN_API: OpenApiDocuments = {
  v2: { swagger: "2.0", info: { title: "Kubernetes", version: "unversioned" }, paths: {}, definitions: {} },
  v2Protobuf: null,
  v3: {
    "api/v1": {
      openapi: "3.0.0",
      info: { title: "Kubernetes", version: "unversioned" },
      paths: {},
      components: {},
    },
    "apis/apps/v1": {
      openapi: "3.0.0",
      info: { title: "Kubernetes apps", version: "unversioned" },
      paths: {},
      components: {},
    },
  },
};
