import { type Collection, fixedCollection, type KubeObject } from "../collection.ts";
import { typeOf } from "../server-collections.ts";
import { metaOf } from "./object-meta.ts";
import type { WorkloadSpec } from "./workload-spec.ts";

const RBAC = "rbac.authorization.k8s.io";

/** ServiceAccounts of the workloads, and the ClusterRoles and ClusterRoleBindings that their rules need. */
export function accountCollections(
  workloads: readonly WorkloadSpec[],
  { clusterUid, createdAt }: { clusterUid: string; createdAt: number },
): Collection[] {
  const accounts = new Map<string, KubeObject>();
  const roles: KubeObject[] = [builtInRole(clusterUid, createdAt)];
  const bindings: KubeObject[] = [builtInBinding(clusterUid, createdAt)];
  for (const { namespace, serviceAccountName, clusterRules } of workloads) {
    const key = `${namespace}/${serviceAccountName}`;
    if (accounts.has(key)) continue;
    const account = metaOf({
      clusterUid,
      kind: "ServiceAccount",
      name: serviceAccountName,
      namespace,
      createdAt,
    });
    accounts.set(key, { metadata: account });
    if (clusterRules === undefined) continue;
    const name = `${namespace}:${serviceAccountName}`;
    roles.push({
      metadata: metaOf({ clusterUid, kind: "ClusterRole", name, createdAt }),
      rules: clusterRules,
    });
    bindings.push({
      metadata: metaOf({ clusterUid, kind: "ClusterRoleBinding", name, createdAt }),
      subjects: [{ kind: "ServiceAccount", name: serviceAccountName, namespace }],
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
    });
  }
  return [
    fixedCollection(typeOf("", "serviceaccounts"), [...accounts.values()], 300),
    fixedCollection(typeOf(RBAC, "clusterroles"), roles, 900),
    fixedCollection(typeOf(RBAC, "clusterrolebindings"), bindings, 500),
  ];
}

const BOOTSTRAP = { "kubernetes.io/bootstrapping": "rbac-defaults" };

const builtInRole = (clusterUid: string, createdAt: number): KubeObject => ({
  metadata: metaOf({ clusterUid, kind: "ClusterRole", name: "cluster-admin", createdAt, labels: BOOTSTRAP }),
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
});

const builtInBinding = (clusterUid: string, createdAt: number): KubeObject => ({
  metadata: metaOf({
    clusterUid,
    kind: "ClusterRoleBinding",
    name: "cluster-admin",
    createdAt,
    labels: BOOTSTRAP,
  }),
  subjects: [{ kind: "Group", apiGroup: RBAC, name: "system:masters" }],
  roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "cluster-admin" },
});
