import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { clusterRoleYaml } from "./cluster-role.ts";
import { PERMISSIONS } from "./permissions.ts";

interface RbacObject {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: {
    apiGroups?: string[];
    resources?: string[];
    resourceNames?: string[];
    nonResourceURLs?: string[];
    verbs: string[];
  }[];
  roleRef?: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace: string }[];
}

function parse(yaml: string): RbacObject[] {
  return parseAllDocuments(yaml).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as RbacObject;
  });
}

describe("the minimal ClusterRole", () => {
  const objects = parse(clusterRoleYaml());

  test("is a ClusterRole, and a Role in each namespace in which more is read, each with its binding", () => {
    expect(objects.map((each) => `${each.kind} ${each.metadata.namespace ?? ""}`.trim())).toEqual([
      "ClusterRole",
      "ClusterRoleBinding",
      "Role default",
      "RoleBinding default",
      "Role kube-system",
      "RoleBinding kube-system",
    ]);
    for (const binding of objects.filter((each) => each.roleRef)) {
      expect(binding.roleRef?.kind).toBe(binding.kind.replace("Binding", ""));
      expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name: "headroom", namespace: "headroom" }]);
    }
  });

  test("grants every permission of the list, once, and nothing besides", () => {
    const granted = objects.flatMap((each) =>
      (each.rules ?? []).flatMap((rule) => [
        ...(rule.nonResourceURLs ?? []).map((url) => `${rule.verbs.join()} ${url}`),
        ...(rule.resources ?? []).map(
          (resource) =>
            `${rule.verbs.join()} ${resource}.${rule.apiGroups?.join()} ${rule.resourceNames?.join() ?? "*"} ${each.metadata.namespace ?? "*"}`,
        ),
      ]),
    );
    const wanted = PERMISSIONS.map((each) =>
      each.kind === "non-resource"
        ? `${each.verb} ${each.nonResourceUrl}`
        : `${each.verb} ${each.resource}.${each.apiGroup} ${each.resourceName ?? "*"} ${each.scope === "cluster" ? "*" : each.scope.namespace}`,
    );
    expect([...granted].sort()).toEqual([...wanted].sort());
  });

  test("names no Secret, no wildcard verb and no verb that writes", () => {
    const yaml = clusterRoleYaml();
    expect(yaml).not.toMatch(/secret/i);
    const verbs = new Set(objects.flatMap((each) => (each.rules ?? []).flatMap((rule) => rule.verbs)));
    expect([...verbs].sort()).toEqual(["get", "list"]);
  });

  test("is what public/cluster-role.yaml holds, for kubectl apply (vitest -u writes it anew)", async () => {
    await expect(clusterRoleYaml()).toMatchFileSnapshot("../../../public/cluster-role.yaml");
  });

  test("takes another name and namespace", () => {
    const [role, binding] = parse(clusterRoleYaml({ name: "hr", namespace: "ops" }));
    expect(role?.metadata.name).toBe("hr");
    expect(binding?.subjects).toEqual([{ kind: "ServiceAccount", name: "hr", namespace: "ops" }]);
  });
});
