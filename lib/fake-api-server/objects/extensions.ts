import { type Collection, fixedCollection, type KubeObject } from "../collection.ts";
import { seconds, typeOf } from "../server-collections.ts";
import { metaOf } from "./object-meta.ts";

/** An APIService served by another server; the API server's own groups are added by themselves. */
export interface ApiServiceSpec {
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly isAvailable: boolean;
  readonly registeredAt?: number;
}

export interface WebhookSpec {
  readonly kind: "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration";
  readonly name: string;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
  readonly resources: readonly string[];
}

export interface CustomResourceSpec {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly count: number;
  readonly storedBytesEach: number | null;
}

interface Context {
  readonly clusterUid: string;
  readonly createdAt: number;
}

const LOCAL_GROUPS = ["apps", "batch", "autoscaling", "policy", "coordination.k8s.io", "discovery.k8s.io"];

export function apiServiceCollection(
  specs: readonly ApiServiceSpec[],
  { clusterUid, createdAt }: Context,
): Collection {
  const object = (name: string, group: string, version: string, spec: ApiServiceSpec | null): KubeObject => ({
    metadata: metaOf({ clusterUid, kind: "APIService", name, createdAt: spec?.registeredAt ?? createdAt }),
    spec: {
      group,
      version,
      groupPriorityMinimum: spec ? 1000 : 17_800,
      versionPriority: 15,
      ...(spec ? { service: { ...spec.service, port: 443 }, insecureSkipTLSVerify: false } : {}),
    },
    status: { conditions: [availability(spec, createdAt)] },
  });
  const all: KubeObject[] = [
    object("v1.", "", "v1", null),
    ...LOCAL_GROUPS.map((group) => object(`v1.${group}`, group, "v1", null)),
    ...specs.map((spec) => object(`${spec.version}.${spec.group}`, spec.group, spec.version, spec)),
  ];
  return fixedCollection(typeOf("apiregistration.k8s.io", "apiservices"), all, 700);
}

function availability(spec: ApiServiceSpec | null, createdAt: number) {
  const base = { type: "Available", lastTransitionTime: seconds(spec?.registeredAt ?? createdAt) };
  if (spec === null)
    return { ...base, status: "True", reason: "Local", message: "Local APIServices are always available" };
  if (spec.isAvailable) return { ...base, status: "True", reason: "Passed", message: "all checks passed" };
  const { namespace, name } = spec.service;
  return {
    ...base,
    status: "False",
    reason: "FailedDiscoveryCheck",
    message: `failing or missing response from https://${name}.${namespace}.svc:443/apis/${spec.group}/${spec.version}`,
  };
}

export function webhookCollections(
  specs: readonly WebhookSpec[],
  { clusterUid, createdAt }: Context,
): Collection[] {
  const group = "admissionregistration.k8s.io";
  const of = (kind: WebhookSpec["kind"]) =>
    specs
      .filter((spec) => spec.kind === kind)
      .map(
        (spec): KubeObject => ({
          metadata: metaOf({ clusterUid, kind, name: spec.name, createdAt, generation: 1 }),
          webhooks: [
            {
              name: `${spec.name}.example.com`,
              clientConfig: { service: { ...spec.service, path: "/admit", port: 443 } },
              rules: [
                {
                  apiGroups: ["*"],
                  apiVersions: ["*"],
                  operations: ["CREATE", "UPDATE"],
                  resources: spec.resources,
                  scope: "*",
                },
              ],
              failurePolicy: spec.failurePolicy,
              matchPolicy: "Equivalent",
              sideEffects: "None",
              timeoutSeconds: spec.timeoutSeconds,
              admissionReviewVersions: ["v1"],
              ...(kind === "MutatingWebhookConfiguration" ? { reinvocationPolicy: "Never" } : {}),
            },
          ],
        }),
      );
  return [
    fixedCollection(
      typeOf(group, "validatingwebhookconfigurations"),
      of("ValidatingWebhookConfiguration"),
      1100,
    ),
    fixedCollection(typeOf(group, "mutatingwebhookconfigurations"), of("MutatingWebhookConfiguration"), 1100),
  ];
}

/** The CustomResourceDefinitions, and one collection for the objects of each. */
export function customResourceCollections(
  specs: readonly CustomResourceSpec[],
  { clusterUid, createdAt }: Context,
): Collection[] {
  const definitions = specs.map((spec): KubeObject => {
    const singular = spec.kind.toLowerCase();
    const names = { plural: spec.resource, singular, kind: spec.kind, listKind: `${spec.kind}List` };
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    };
    return {
      metadata: metaOf({
        clusterUid,
        kind: "CustomResourceDefinition",
        name: `${spec.resource}.${spec.group}`,
        createdAt,
        generation: 1,
      }),
      spec: {
        group: spec.group,
        names,
        scope: spec.namespaced ? "Namespaced" : "Cluster",
        versions: [{ name: spec.version, served: true, storage: true, schema }],
        conversion: { strategy: "None" },
      },
      status: {
        conditions: [
          {
            type: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            lastTransitionTime: seconds(createdAt),
          },
        ],
        acceptedNames: names,
        storedVersions: [spec.version],
      },
    };
  });
  const objects = specs.map((spec) =>
    countedCollection(
      {
        group: spec.group,
        resource: spec.resource,
        kind: spec.kind,
        namespaced: spec.namespaced,
        versions: [[spec.version, 26, 99]],
        isCustom: true,
      },
      { clusterUid, createdAt, countAt: () => spec.count, storedBytesEach: spec.storedBytesEach },
    ),
  );
  return [
    fixedCollection(typeOf("apiextensions.k8s.io", "customresourcedefinitions"), definitions, 4200),
    ...objects,
  ];
}

/** Objects of which only number and size matter: a name, metadata, nothing else. */
export function countedCollection(
  type: Collection["type"],
  {
    clusterUid,
    createdAt,
    countAt,
    storedBytesEach,
    namespaces = 12,
  }: Context & {
    countAt(at: number): number;
    storedBytesEach: number | null;
    namespaces?: number;
  },
): Collection {
  const keyAt = (index: number) => ({
    namespace: type.namespaced ? `team-${String(index % namespaces).padStart(3, "0")}` : "",
    name: `${type.kind.toLowerCase()}-${String(index).padStart(6, "0")}`,
  });
  return {
    type,
    storedBytesEach,
    size: countAt,
    keyAt,
    objectAt: (index) => {
      const { namespace, name } = keyAt(index);
      return {
        metadata: metaOf({
          clusterUid,
          kind: type.kind,
          name,
          createdAt,
          ...(type.namespaced ? { namespace } : {}),
        }),
      };
    },
  };
}

export interface NamespacesInput extends Context {
  readonly named: readonly string[];
  readonly count: number;
}

/** kube-system carries the cluster's UID; the rest are named ones first, then `team-000` and so on up to the count. */
export function namespaceCollection({ clusterUid, createdAt, named, count }: NamespacesInput): Collection {
  const first = [...new Set(["default", "kube-node-lease", "kube-public", "kube-system", ...named])];
  const teams = Array.from(
    { length: Math.max(0, count - first.length) },
    (_, index) => `team-${String(index).padStart(3, "0")}`,
  );
  const objects = [...first, ...teams].sort().map((name): KubeObject => {
    const meta = metaOf({
      clusterUid,
      kind: "Namespace",
      name,
      createdAt,
      labels: { "kubernetes.io/metadata.name": name },
    });
    return {
      metadata: name === "kube-system" ? { ...meta, uid: clusterUid } : meta,
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    };
  });
  return fixedCollection(typeOf("", "namespaces"), objects, 1100);
}
