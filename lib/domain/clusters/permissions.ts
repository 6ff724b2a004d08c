import type { PartName } from "./part.ts";

/** Where a permission is granted: in the whole cluster, or in one namespace by a Role of its own. */
export type PermissionScope = "cluster" | { readonly namespace: string };

interface PermissionBase {
  /** Stable: the key under which the store keeps whether it was granted. */
  readonly id: string;
  /** The part that needs it first; others may rest on it. */
  readonly part: PartName;
  /** What is missing without it, for people. */
  readonly withoutIt: string;
}

export interface ResourcePermission extends PermissionBase {
  readonly kind: "resource";
  readonly verb: "get" | "list";
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** The only object it may read; `null` for all. */
  readonly resourceName: string | null;
  readonly scope: PermissionScope;
}

export interface NonResourcePermission extends PermissionBase {
  readonly kind: "non-resource";
  readonly verb: "get";
  readonly nonResourceUrl: string;
}

export type Permission = ResourcePermission | NonResourcePermission;

const list = (
  id: string,
  part: PartName,
  apiGroup: string,
  resource: string,
  withoutIt: string,
  scope: PermissionScope = "cluster",
): ResourcePermission => ({
  kind: "resource",
  id,
  part,
  verb: "list",
  apiGroup,
  resource,
  resourceName: null,
  scope,
  withoutIt,
});

/**
 * Everything that a pass reads, in the order in which a pass meets it. Least privilege: get and list only, no Secret,
 * no write; what later parts read joins here with them. The minimal ClusterRole is generated from this list, and the
 * collector records granted or refused under the ids.
 */
export const PERMISSIONS = [
  {
    kind: "non-resource",
    id: "get-version",
    part: "version",
    verb: "get",
    nonResourceUrl: "/version",
    withoutIt:
      "The version comes from /metrics alone; where that cannot be read either, it is not known, nor what depends on it.",
  },
  {
    kind: "non-resource",
    id: "get-metrics",
    part: "fairness",
    verb: "get",
    nonResourceUrl: "/metrics",
    withoutIt:
      "No seats, limits, waiting or rejected requests; no feature gates; counts come from one-object LISTs and sizes stay unknown.",
  },
  {
    kind: "resource",
    id: "get-namespace-kube-system",
    part: "version",
    verb: "get",
    apiGroup: "",
    resource: "namespaces",
    resourceName: "kube-system",
    scope: "cluster",
    withoutIt: "The cluster has no identity: a renamed or re-pointed context cannot be noticed.",
  },
  list(
    "list-leases-kube-system",
    "servers",
    "coordination.k8s.io",
    "leases",
    "The number of API servers is not known, and which one answered is told by its start time only.",
    { namespace: "kube-system" },
  ),
  list(
    "list-endpointslices-default",
    "servers",
    "discovery.k8s.io",
    "endpointslices",
    "API servers cannot be read one by one; only the one that answers behind the shared address is read.",
    { namespace: "default" },
  ),
  list(
    "list-flowschemas",
    "fairness",
    "flowcontrol.apiserver.k8s.io",
    "flowschemas",
    "FlowSchemas are not shown, and their changes are not noticed.",
  ),
  list(
    "list-prioritylevelconfigurations",
    "fairness",
    "flowcontrol.apiserver.k8s.io",
    "prioritylevelconfigurations",
    "Shares, lending and queues of priority levels are not shown, and their changes are not noticed.",
  ),
  {
    kind: "non-resource",
    id: "get-debug-api-priority-and-fairness",
    part: "fairness",
    verb: "get",
    nonResourceUrl: "/debug/api_priority_and_fairness/*",
    withoutIt: "The flows inside a priority level are not shown: who holds its seats stays unknown.",
  },
  list(
    "list-nodes",
    "inventory",
    "",
    "nodes",
    "The number of nodes comes from metrics, or stays unknown; nodes are read as metadata only.",
  ),
  list(
    "list-pods",
    "inventory",
    "",
    "pods",
    "The number of pods comes from metrics, or stays unknown; no size of a pod is sampled; control-plane pods and their flags are not shown. Never more than one page of 50 is read, apart from the control-plane pods.",
  ),
  list("list-daemonsets", "inventory", "apps", "daemonsets", "Agents that run on every node are not shown."),
  list("list-deployments", "inventory", "apps", "deployments", "Agents run by Deployments are not shown."),
  list("list-statefulsets", "inventory", "apps", "statefulsets", "Agents run by StatefulSets are not shown."),
  list(
    "list-clusterroles",
    "inventory",
    "rbac.authorization.k8s.io",
    "clusterroles",
    "What an agent may list is not known.",
  ),
  list(
    "list-clusterrolebindings",
    "inventory",
    "rbac.authorization.k8s.io",
    "clusterrolebindings",
    "What an agent may list is not known.",
  ),
  list(
    "list-validatingwebhookconfigurations",
    "inventory",
    "admissionregistration.k8s.io",
    "validatingwebhookconfigurations",
    "Validating webhooks are not shown.",
  ),
  list(
    "list-mutatingwebhookconfigurations",
    "inventory",
    "admissionregistration.k8s.io",
    "mutatingwebhookconfigurations",
    "Mutating webhooks are not shown.",
  ),
  list(
    "list-apiservices",
    "inventory",
    "apiregistration.k8s.io",
    "apiservices",
    "Aggregated APIs are not shown, nor whether they are available.",
  ),
  list(
    "list-customresourcedefinitions",
    "inventory",
    "apiextensions.k8s.io",
    "customresourcedefinitions",
    "New and removed CustomResourceDefinitions are not noticed; they are read as metadata only.",
  ),
] as const satisfies readonly Permission[];

/** As people name it: `get /metrics`, `list daemonsets.apps`, `list leases.coordination.k8s.io in kube-system`. */
export function describePermission(permission: Permission): string {
  if (permission.kind === "non-resource") return `${permission.verb} ${permission.nonResourceUrl}`;
  const group = permission.apiGroup === "" ? "" : `.${permission.apiGroup}`;
  const name = permission.resourceName === null ? "" : ` ${permission.resourceName}`;
  const where = permission.scope === "cluster" ? "" : ` in ${permission.scope.namespace}`;
  return `${permission.verb} ${permission.resource}${group}${name}${where}`;
}

/**
 * The permission that a request with this path rests on; `null` for a path that no pass sends. Query ignored. Lists in
 * a namespace fall back to the permission in the whole cluster (control-plane pods rest on `list-pods`).
 */
export function findPermission(path: string): Permission | null {
  const plain = path.split("?", 1)[0] ?? "";
  const segments = plain.split("/").slice(1);
  if (segments[0] !== "api" && segments[0] !== "apis") {
    return (
      PERMISSIONS.find((each) => each.kind === "non-resource" && coversUrl(each.nonResourceUrl, plain)) ??
      null
    );
  }
  const apiGroup = segments[0] === "api" ? "" : (segments[1] ?? "");
  const rest = segments.slice(segments[0] === "api" ? 2 : 3);
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const namespace = isNamespaced ? rest[1] : undefined;
  const [resource, name] = isNamespaced ? rest.slice(2) : rest;
  const candidates = PERMISSIONS.filter(
    (each): each is Extract<(typeof PERMISSIONS)[number], { kind: "resource" }> =>
      each.kind === "resource" &&
      each.apiGroup === apiGroup &&
      each.resource === resource &&
      each.verb === (name === undefined ? "list" : "get") &&
      (each.resourceName === null || each.resourceName === name),
  );
  const inNamespace = candidates.find(
    (each) => each.scope !== "cluster" && each.scope.namespace === namespace,
  );
  return inNamespace ?? candidates.find((each) => each.scope === "cluster") ?? null;
}

function coversUrl(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
