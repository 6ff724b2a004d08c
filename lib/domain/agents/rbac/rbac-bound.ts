import type { ClusterWideList } from "../../clusters/inventory-part.ts";
import type {
  BindingObject,
  ClusterRoleObject,
  LabelRequirement,
  RbacObjects,
  RbacRule,
  RbacSubject,
} from "./rbac-objects.ts";

/** One thing that a ServiceAccount may read as a collection. */
export interface RbacGrant {
  /** Empty for the core group; `*`: any. */
  readonly apiGroup: string;
  /** Plural; `*`: any. */
  readonly resource: string;
  /** `null`: in the whole cluster. */
  readonly namespace: string | null;
  readonly mayList: boolean;
  readonly mayWatch: boolean;
}

/** The most that a ServiceAccount may read. */
export interface RbacBound {
  /** Sorted by group, resource, namespace; what is covered by a wider one is left out. */
  readonly grants: readonly RbacGrant[];
  /** `ClusterRole x` and `Role ns/x` that grant them, sorted. */
  readonly through: readonly string[];
  /** Roles that are bound and were not given, sorted: what they grant is not known. */
  readonly unknownRoles: readonly string[];
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const ALL = "*";

/** The one default role that grants everything; others that are not given stay unknown. */
const CLUSTER_ADMIN: ClusterRoleObject = {
  name: "cluster-admin",
  labels: {},
  rules: [{ verbs: [ALL], apiGroups: [ALL], resources: [ALL], resourceNames: [] }],
  aggregates: null,
};

/**
 * What a ServiceAccount may list or watch by the roles and bindings given, its groups included; `null` where no binding
 * names it, which says nothing of what is bound elsewhere. A rule with resourceNames grants no LIST of a collection.
 * Source: kubernetes plugin/pkg/auth/authorizer/rbac and pkg/controller/clusterroleaggregation, v1.34.
 */
export function rbacBound(objects: RbacObjects, account: ServiceAccountName): RbacBound | null {
  const bindings = objects.bindings.filter(({ subjects, namespace }) =>
    subjects.some((subject) => isSubject(subject, account, namespace)),
  );
  if (bindings.length === 0) return null;
  const grants: RbacGrant[] = [];
  const through = new Set<string>();
  const unknownRoles = new Set<string>();
  for (const binding of bindings) {
    const rules = rulesOf(objects, binding);
    const title = roleTitle(binding);
    if (rules === null) {
      unknownRoles.add(title);
      continue;
    }
    const granted = rules.flatMap((rule) => grantsOf(rule, binding.namespace));
    if (granted.length > 0) through.add(title);
    grants.push(...granted);
  }
  return {
    grants: simplifyGrants(grants),
    through: [...through].sort(),
    unknownRoles: [...unknownRoles].sort(),
  };
}

/** The same out of stored inventory, which knows cluster-wide lists only; `null` where they were not read. */
export function rbacBoundOfInventory(
  lists: readonly ClusterWideList[] | null,
  account: ServiceAccountName,
): RbacBound | null {
  if (lists === null) return null;
  const names = new Set([`${account.namespace}/${account.name}`, `${account.namespace}/*`, "*/*"]);
  const own = lists.filter(({ serviceAccount }) => names.has(serviceAccount));
  return {
    grants: simplifyGrants(
      own.flatMap(({ resources }) =>
        resources.map((resource) => ({
          ...splitResource(resource),
          namespace: null,
          mayList: true,
          // Which verbs besides list is not stored; who may list may nearly always watch.
          mayWatch: true,
        })),
      ),
    ),
    through: [...new Set(own.flatMap((each) => each.through.map((role) => `ClusterRole ${role}`)))].sort(),
    unknownRoles: [],
  };
}

/** `pods`, `deployments.apps`, `*`, `*.core`, `pods.*` as the inventory writes them. */
function splitResource(text: string): { readonly apiGroup: string; readonly resource: string } {
  if (text === ALL) return { apiGroup: ALL, resource: ALL };
  const dot = text.indexOf(".");
  if (dot < 0) return { apiGroup: "", resource: text };
  const apiGroup = text.slice(dot + 1);
  return { apiGroup: apiGroup === "core" ? "" : apiGroup, resource: text.slice(0, dot) };
}

function isSubject(
  { kind, name, namespace }: RbacSubject,
  account: ServiceAccountName,
  bindingNamespace: string | null,
): boolean {
  switch (kind) {
    case "ServiceAccount":
      return name === account.name && (namespace ?? bindingNamespace) === account.namespace;
    case "User":
      return name === `system:serviceaccount:${account.namespace}:${account.name}`;
    case "Group":
      return (
        name === "system:serviceaccounts" ||
        name === "system:authenticated" ||
        name === `system:serviceaccounts:${account.namespace}`
      );
    default:
      return false;
  }
}

const roleTitle = ({ roleKind, roleName, namespace }: BindingObject) =>
  roleKind === "Role" ? `Role ${namespace ?? ""}/${roleName}` : `ClusterRole ${roleName}`;

/** `null`: the role was not given. */
function rulesOf(objects: RbacObjects, binding: BindingObject): readonly RbacRule[] | null {
  const { roleKind, roleName, namespace } = binding;
  if (roleKind === "Role") {
    const role = objects.roles.findLast((each) => each.name === roleName && each.namespace === namespace);
    return role?.rules ?? null;
  }
  const role =
    objects.clusterRoles.findLast(({ name }) => name === roleName) ??
    (roleName === CLUSTER_ADMIN.name ? CLUSTER_ADMIN : null);
  return role === null ? null : [...role.rules, ...aggregatedRules(objects, role, new Set([role.name]))];
}

/** Rules of the roles that an aggregationRule selects, theirs in turn included. */
function aggregatedRules(
  { clusterRoles, ...rest }: RbacObjects,
  role: ClusterRoleObject,
  seen: Set<string>,
): RbacRule[] {
  const rules: RbacRule[] = [];
  for (const requirements of role.aggregates ?? []) {
    for (const other of clusterRoles) {
      if (seen.has(other.name) || !requirements.every((each) => meets(other.labels, each))) continue;
      seen.add(other.name);
      rules.push(...other.rules, ...aggregatedRules({ clusterRoles, ...rest }, other, seen));
    }
  }
  return rules;
}

function meets(
  labels: Readonly<Record<string, string>>,
  { key, operator, values }: LabelRequirement,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function grantsOf(rule: RbacRule, namespace: string | null): RbacGrant[] {
  const mayList = rule.verbs.some((verb) => verb === "list" || verb === ALL);
  const mayWatch = rule.verbs.some((verb) => verb === "watch" || verb === ALL);
  if (!(mayList || mayWatch) || rule.resourceNames.length > 0) return [];
  return rule.apiGroups.flatMap((apiGroup) =>
    rule.resources
      // A subresource has no LIST of its own.
      .filter((resource) => !resource.includes("/"))
      .map((resource) => ({ apiGroup, resource, namespace, mayList, mayWatch })),
  );
}

/** One grant per group, resource and namespace, without those that a wider one covers. Sorted. */
function simplifyGrants(grants: readonly RbacGrant[]): RbacGrant[] {
  const byKey = new Map<string, RbacGrant>();
  for (const grant of grants) {
    const key = `${grant.apiGroup}\0${grant.resource}\0${grant.namespace ?? ""}`;
    const known = byKey.get(key);
    byKey.set(key, {
      ...grant,
      mayList: grant.mayList || (known?.mayList ?? false),
      mayWatch: grant.mayWatch || (known?.mayWatch ?? false),
    });
  }
  const all = [...byKey.values()];
  const wide = all.filter(
    ({ apiGroup, resource, namespace }) => namespace === null || apiGroup === ALL || resource === ALL,
  );
  return all
    .filter((grant) => !wide.some((other) => other !== grant && covers(other, grant)))
    .sort(
      (a, b) =>
        compareText(a.apiGroup, b.apiGroup) ||
        compareText(a.resource, b.resource) ||
        compareText(a.namespace ?? "", b.namespace ?? ""),
    );
}

/** Whether `wider` grants all that `grant` does. */
export function covers(wider: RbacGrant, grant: RbacGrant): boolean {
  return (
    (wider.apiGroup === ALL || wider.apiGroup === grant.apiGroup) &&
    (wider.resource === ALL || wider.resource === grant.resource) &&
    (wider.namespace === null || wider.namespace === grant.namespace) &&
    (wider.mayList || !grant.mayList) &&
    (wider.mayWatch || !grant.mayWatch)
  );
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
