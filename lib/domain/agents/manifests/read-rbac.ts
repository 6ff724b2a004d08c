import type {
  BindingObject,
  ClusterRoleObject,
  LabelRequirement,
  RbacObjects,
  RbacRule,
  RoleObject,
} from "../rbac/rbac-objects.ts";
import type { Fields } from "./fields.ts";

const RBAC_KINDS = new Set(["ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"]);

export const isRbacKind = (kind: string) => RBAC_KINDS.has(kind);

interface NamedFields {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly metadata: Fields;
  readonly fields: Fields;
}

/** Gathers the RBAC objects of manifests. */
export class RbacReader {
  readonly #clusterRoles: ClusterRoleObject[] = [];
  readonly #roles: RoleObject[] = [];
  readonly #bindings: BindingObject[] = [];

  get objects(): RbacObjects {
    return { clusterRoles: this.#clusterRoles, roles: this.#roles, bindings: this.#bindings };
  }

  read({ kind, namespace, name, metadata, fields }: NamedFields): void {
    switch (kind) {
      case "ClusterRole":
        this.#clusterRoles.push({
          name,
          labels: metadata.textMap("labels"),
          rules: readRules(fields),
          aggregates: readAggregation(fields),
        });
        break;
      case "Role":
        this.#roles.push({ namespace, name, rules: readRules(fields) });
        break;
      case "ClusterRoleBinding":
      case "RoleBinding":
        this.#bindings.push(readBinding(fields, name, kind === "RoleBinding" ? namespace : null));
        break;
    }
  }
}

function readRules(fields: Fields): RbacRule[] {
  return fields.objects("rules").map((rule) => ({
    verbs: rule.texts("verbs"),
    apiGroups: rule.texts("apiGroups"),
    resources: rule.texts("resources"),
    resourceNames: rule.texts("resourceNames"),
  }));
}

function readAggregation(fields: Fields): LabelRequirement[][] | null {
  const rule = fields.object("aggregationRule");
  if (rule === null) return null;
  return rule.objects("clusterRoleSelectors").map((selector) => [
    ...Object.entries(selector.textMap("matchLabels")).map(([key, value]) => ({
      key,
      operator: "In",
      values: [value],
    })),
    ...selector.objects("matchExpressions").map((each) => ({
      key: each.text("key") ?? "",
      operator: each.text("operator") ?? "",
      values: each.texts("values"),
    })),
  ]);
}

function readBinding(fields: Fields, name: string, namespace: string | null): BindingObject {
  const role = fields.object("roleRef");
  return {
    namespace,
    name,
    roleKind: role?.text("kind") ?? "",
    roleName: role?.text("name") ?? "",
    subjects: fields.objects("subjects").map((subject) => ({
      kind: subject.text("kind") ?? "",
      name: subject.text("name") ?? "",
      namespace: subject.text("namespace"),
    })),
  };
}
