/** One rule of a role, as far as reading goes. */
export interface RbacRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A requirement on a label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface ClusterRoleObject {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly RbacRule[];
  /** One list of requirements per selector of an aggregationRule; `null`: it gathers no other roles. */
  readonly aggregates: readonly (readonly LabelRequirement[])[] | null;
}

export interface RoleObject {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly RbacRule[];
}

export interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | null;
}

/** A binding; `namespace` `null`: a ClusterRoleBinding. */
export interface BindingObject {
  readonly namespace: string | null;
  readonly name: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly RbacSubject[];
}

export interface RbacObjects {
  readonly clusterRoles: readonly ClusterRoleObject[];
  readonly roles: readonly RoleObject[];
  readonly bindings: readonly BindingObject[];
}
