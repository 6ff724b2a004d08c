import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { describeInformer } from "../informer-text.ts";
import { readManifests } from "../manifests/read-manifests.ts";
import { rbacBound, rbacBoundOfInventory } from "./rbac-bound.ts";
import { informersOfBound } from "./rbac-informers.ts";

const ACCOUNT = { namespace: "observability", name: "node-telemetry" };

const bound = (text: string) =>
  rbacBound(
    readManifests(parseAllDocuments(text).map((document) => document.toJS() as unknown)).rbac,
    ACCOUNT,
  );

const grants = (text: string) => {
  const found = bound(text);
  return found === null ? null : informersOfBound(found, "manifests").map(describeInformer);
};

const role = (name: string, rules: string, more = "") =>
  `{ kind: ClusterRole, metadata: { name: ${name}, labels: { part: ${name} } }, rules: [${rules}]${more} }\n---\n`;
const rule = (resources: string, verbs = "get, list, watch", groups = '""', more = "") =>
  `{ apiGroups: [${groups}], resources: [${resources}], verbs: [${verbs}]${more} }`;
const binding = (
  name: string,
  subject = "{ kind: ServiceAccount, name: node-telemetry, namespace: observability }",
) =>
  `{ kind: ClusterRoleBinding, metadata: { name: ${name} }, roleRef: { kind: ClusterRole, name: ${name} }, subjects: [${subject}] }\n---\n`;

describe("what a ServiceAccount may read", () => {
  test("a ClusterRole bound to it: list and watch make an informer, list alone a LIST, watch alone a WATCH", () => {
    const rules = [
      rule("pods, pods/log"),
      rule("nodes", "list"),
      rule("events", "watch"),
      rule("secrets", "get"),
      rule("endpointslices", '"*"', "discovery.k8s.io"),
    ];
    expect(grants(role("r", rules.join(", ")) + binding("r"))).toEqual([
      "events watch",
      "nodes list",
      "pods",
      "endpointslices.discovery.k8s.io",
    ]);
  });

  test("with resourceNames there is no LIST of a collection", () => {
    const named = rule("configmaps", "list, watch", '""', ", resourceNames: [a]");
    expect(grants(role("r", named) + binding("r"))).toEqual([]);
  });

  test("aggregated ClusterRoles count, those that they aggregate in turn too, and a circle ends", () => {
    const aggregates = (label: string) =>
      `, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: ${label} } }] }`;
    const inner = `, aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: part, operator: In, values: [c, a] }] }] }`;
    const text =
      role("a", "", aggregates("b")) +
      role("b", rule("pods"), inner) +
      role("c", rule("nodes")) +
      binding("a");
    expect(grants(text)).toEqual(["nodes", "pods"]);
  });

  test("a wildcard covers what is narrower, list and watch each for itself", () => {
    const rules = [rule('"*"', "list", '"*"'), rule("pods", "list"), rule("nodes", "list, watch")];
    expect(grants(role("r", rules.join(", ")) + binding("r"))).toEqual(["nodes", "* list"]);
  });

  test("a RoleBinding grants in its namespace only, of a ClusterRole as of a Role", () => {
    const text = `${role("r", rule("pods"))}
{ kind: RoleBinding, metadata: { name: x, namespace: team }, roleRef: { kind: ClusterRole, name: r }, subjects: [{ kind: ServiceAccount, name: node-telemetry, namespace: observability }] }
---
{ kind: Role, metadata: { name: own, namespace: observability }, rules: [${rule("configmaps")}] }
---
{ kind: RoleBinding, metadata: { name: y, namespace: observability }, roleRef: { kind: Role, name: own }, subjects: [{ kind: ServiceAccount, name: node-telemetry }] }
---
{ kind: Role, metadata: { name: own, namespace: elsewhere }, rules: [${rule("secrets")}] }`;
    expect(grants(text)).toEqual(["configmaps@namespace=observability", "pods@namespace=team"]);
  });

  test.each([
    ["its name as a user", "{ kind: User, name: 'system:serviceaccount:observability:node-telemetry' }"],
    ["all ServiceAccounts", "{ kind: Group, name: 'system:serviceaccounts' }"],
    ["those of its namespace", "{ kind: Group, name: 'system:serviceaccounts:observability' }"],
    ["everybody", "{ kind: Group, name: 'system:authenticated' }"],
  ])("it is bound through %s", (_title, subject) => {
    expect(grants(role("r", rule("pods")) + binding("r", subject))).toEqual(["pods"]);
  });

  test("another account's binding is none of its own; no binding at all says nothing", () => {
    const other = "{ kind: ServiceAccount, name: node-telemetry, namespace: elsewhere }";
    expect(grants(role("r", rule("pods")) + binding("r", other))).toBeNull();
    expect(grants("")).toBeNull();
  });

  test("a role that is not given is named; cluster-admin is known", () => {
    expect(bound(binding("view"))).toEqual({ grants: [], through: [], unknownRoles: ["ClusterRole view"] });
    expect(grants(binding("cluster-admin"))).toEqual(["*"]);
  });

  test("stored inventory: cluster-wide lists of the account, of its namespace's and of all accounts", () => {
    const lists = [
      {
        serviceAccount: "observability/node-telemetry",
        resources: ["pods", "deployments.apps"],
        through: ["a"],
      },
      { serviceAccount: "observability/*", resources: ["*.core"], through: ["b"] },
      { serviceAccount: "*/*", resources: ["nodes.*"], through: ["c"] },
      { serviceAccount: "other/node-telemetry", resources: ["*"], through: ["d"] },
    ];
    const found = rbacBoundOfInventory(lists, ACCOUNT);
    expect(found?.grants.map(({ apiGroup, resource }) => `${resource}/${apiGroup}`)).toEqual([
      "*/",
      "nodes/*",
      "deployments/apps",
    ]);
    expect(found?.through).toEqual(["ClusterRole a", "ClusterRole b", "ClusterRole c"]);
    expect(rbacBoundOfInventory(null, ACCOUNT)).toBeNull();
    expect(rbacBoundOfInventory([], ACCOUNT)?.grants).toEqual([]);
  });
});
