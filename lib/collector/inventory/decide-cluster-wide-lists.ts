import { z } from "zod";
import type { ClusterWideList } from "../../domain/clusters/inventory-part.ts";

const ClusterRoleSchema = z.object({
  metadata: z.object({ name: z.string() }),
  rules: z
    .array(
      z.object({
        verbs: z.array(z.string()).nullish(),
        apiGroups: z.array(z.string()).nullish(),
        resources: z.array(z.string()).nullish(),
        resourceNames: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
});

const ClusterRoleBindingSchema = z.object({
  metadata: z.object({ name: z.string() }),
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z
    .array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().nullish() }))
    .nullish(),
});

/** A ClusterRole as far as listing goes: what it lets its subjects list, `resource.group` or `*`, sorted. */
export interface ListingRole {
  readonly name: string;
  readonly resources: readonly string[];
}

export interface ServiceAccountBinding {
  readonly clusterRoleName: string;
  /** `namespace/name`; `namespace/*` and `*` + `/*` for the groups of all ServiceAccounts. */
  readonly serviceAccounts: readonly string[];
}

/** Resources named per ServiceAccount; more of them say no more. */
const RESOURCES_KEPT = 200;

/** @throws ZodError where the object is no ClusterRole. */
export function parseListingRole(item: unknown): ListingRole {
  const { metadata, rules } = ClusterRoleSchema.parse(item);
  const resources = new Set<string>();
  for (const rule of rules ?? []) {
    const lists = rule.verbs?.some((verb) => verb === "list" || verb === "*") ?? false;
    // With names given, a LIST is allowed only for one object at a time.
    if (!lists || (rule.resourceNames?.length ?? 0) > 0) continue;
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        // A subresource has no LIST of its own.
        if (!resource.includes("/")) resources.add(nameOf(group, resource));
      }
    }
  }
  return { name: metadata.name, resources: resources.has("*") ? ["*"] : [...resources].sort() };
}

/** @throws ZodError where the object is no ClusterRoleBinding. */
export function parseServiceAccountBinding(item: unknown): ServiceAccountBinding | null {
  const { roleRef, subjects } = ClusterRoleBindingSchema.parse(item);
  if (roleRef.kind !== "ClusterRole") return null;
  const serviceAccounts = (subjects ?? []).flatMap(({ kind, name, namespace }) => {
    if (kind === "ServiceAccount") return namespace ? [`${namespace}/${name}`] : [];
    if (kind === "User" && name.startsWith("system:serviceaccount:")) {
      return [name.slice("system:serviceaccount:".length).replace(":", "/")];
    }
    if (kind === "Group" && name === "system:serviceaccounts") return ["*/*"];
    if (kind === "Group" && name.startsWith("system:serviceaccounts:")) {
      return [`${name.slice("system:serviceaccounts:".length)}/*`];
    }
    return [];
  });
  return serviceAccounts.length === 0 ? null : { clusterRoleName: roleRef.name, serviceAccounts };
}

/** ServiceAccounts that may list something in the whole cluster, sorted. */
export function decideClusterWideLists(
  roles: readonly ListingRole[],
  bindings: readonly ServiceAccountBinding[],
): readonly ClusterWideList[] {
  const resourcesByRole = new Map(roles.map((role) => [role.name, role.resources]));
  const byAccount = new Map<string, { resources: Set<string>; through: Set<string> }>();
  for (const { clusterRoleName, serviceAccounts } of bindings) {
    const resources = resourcesByRole.get(clusterRoleName) ?? [];
    if (resources.length === 0) continue;
    for (const account of serviceAccounts) {
      const entry = byAccount.get(account) ?? { resources: new Set(), through: new Set() };
      byAccount.set(account, entry);
      for (const resource of resources) entry.resources.add(resource);
      entry.through.add(clusterRoleName);
    }
  }
  return [...byAccount]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([serviceAccount, { resources, through }]) => ({
      serviceAccount,
      resources: resources.has("*") ? ["*"] : [...resources].sort().slice(0, RESOURCES_KEPT),
      through: [...through].sort(),
    }));
}

/** `pods`, `deployments.apps`; `*` alone for everything, `*.apps` for a whole group, `pods.*` for any group. */
function nameOf(group: string, resource: string): string {
  if (group === "*" && resource === "*") return "*";
  if (group === "") return resource === "*" ? "*.core" : resource;
  return `${resource}.${group}`;
}
