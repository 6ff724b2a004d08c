import { PERMISSIONS, type Permission, type ResourcePermission } from "./permissions.ts";

/** The ServiceAccount that the role is bound to, and the name that all objects get. */
export interface ClusterRoleSubject {
  readonly name: string;
  readonly namespace: string;
}

/**
 * The minimal ClusterRole with its binding, and one Role with its binding per namespace in which more is read, as YAML
 * documents for `kubectl apply -f -`. Rules that share verb and API group stand together. It names get and list only.
 */
export function clusterRoleYaml(
  subject: ClusterRoleSubject = { name: "headroom", namespace: "headroom" },
  permissions: readonly Permission[] = PERMISSIONS,
): string {
  const inCluster = permissions.filter((each) => each.kind === "non-resource" || each.scope === "cluster");
  const namespaces = [
    ...new Set(permissions.flatMap((each) => (isNamespaced(each) ? [each.scope.namespace] : []))),
  ].sort();
  return [
    roleYaml("ClusterRole", subject, null, inCluster),
    bindingYaml("ClusterRole", subject, null),
    ...namespaces.flatMap((namespace) => [
      roleYaml(
        "Role",
        subject,
        namespace,
        permissions.filter((each) => isNamespaced(each) && each.scope.namespace === namespace),
      ),
      bindingYaml("Role", subject, namespace),
    ]),
  ].join("---\n");
}

type NamespacedPermission = ResourcePermission & { readonly scope: { readonly namespace: string } };

function isNamespaced(permission: Permission): permission is NamespacedPermission {
  return permission.kind === "resource" && permission.scope !== "cluster";
}

function metadataYaml(name: string, namespace: string | null): string {
  return `metadata:\n  name: ${name}\n${namespace === null ? "" : `  namespace: ${namespace}\n`}`;
}

function roleYaml(
  kind: "ClusterRole" | "Role",
  subject: ClusterRoleSubject,
  namespace: string | null,
  permissions: readonly Permission[],
): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\n${metadataYaml(subject.name, namespace)}rules:\n${rulesYaml(permissions)}`;
}

/** One rule per (verb, API group, resource name), in order of first appearance; non-resource URLs share one rule. */
function rulesYaml(permissions: readonly Permission[]): string {
  const rules = new Map<
    string,
    { readonly head: string; readonly tail: string; readonly members: string[] }
  >();
  for (const each of permissions) {
    const key =
      each.kind === "non-resource" ? "url" : `${each.verb} ${each.apiGroup} ${each.resourceName ?? ""}`;
    const rule = rules.get(key) ?? { ...ruleFrame(each), members: [] };
    rule.members.push(each.kind === "non-resource" ? each.nonResourceUrl : each.resource);
    rules.set(key, rule);
  }
  return [...rules.values()]
    .map(({ head, tail, members }) => `${head}${members.map((each) => `"${each}"`).join(", ")}]\n${tail}`)
    .join("");
}

function ruleFrame(permission: Permission): { readonly head: string; readonly tail: string } {
  const verbs = `    verbs: ["${permission.verb}"]\n`;
  if (permission.kind === "non-resource") return { head: "  - nonResourceURLs: [", tail: verbs };
  const names = permission.resourceName === null ? "" : `    resourceNames: ["${permission.resourceName}"]\n`;
  return { head: `  - apiGroups: ["${permission.apiGroup}"]\n    resources: [`, tail: `${names}${verbs}` };
}

function bindingYaml(
  roleKind: "ClusterRole" | "Role",
  subject: ClusterRoleSubject,
  namespace: string | null,
): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ${roleKind}Binding
${metadataYaml(subject.name, namespace)}roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ${roleKind}
  name: ${subject.name}
subjects:
  - kind: ServiceAccount
    name: ${subject.name}
    namespace: ${subject.namespace}
`;
}
