import { describe, expect, test } from "vitest";
import type { AgentKind } from "./agent.ts";
import { agentIdOf, groupFleetAgents, identityOfUser } from "./agent-identity.ts";

describe("the id of an agent", () => {
  test.each([
    ["DaemonSet", "observability", "node-telemetry", "daemonset/observability/node-telemetry"],
    ["StaticPod", "kube-system", "kube-scheduler", "staticpod/kube-system/kube-scheduler"],
    ["node-client", null, "kubelet", "client/kubelet"],
    ["Deployment", null, "x", "deployment/default/x"],
  ] as const)("%s %s/%s is %s", (kind, namespace, name, id) => {
    expect(agentIdOf({ kind, namespace, name })).toBe(id);
  });

  test("all kubelets are one, other users are told apart, and no slash breaks the id", () => {
    expect(agentIdOf(identityOfUser("system:node:a"))).toBe(agentIdOf(identityOfUser("system:node:b")));
    const users = ["system:serviceaccount:a:b", "oidc:jane@example.com", "a/b", "a%2Fb"];
    const ids = users.map((user) => agentIdOf(identityOfUser(user)));
    expect(ids).toEqual([
      "client/system:serviceaccount:a:b",
      "client/oidc:jane@example.com",
      "client/a%2Fb",
      "client/a%252Fb",
    ]);
  });
});

describe("one agent of the fleet", () => {
  const on = (
    clusterName: string,
    namespace: string,
    image: string | null,
    kind: AgentKind = "DaemonSet",
  ) => ({
    clusterName,
    id: agentIdOf({ kind, namespace, name: "cilium" }),
    kind,
    name: "cilium",
    image,
  });

  test("an agent in differently named namespaces is one, under the id that most clusters have", () => {
    const grouped = groupFleetAgents([
      on("a", "cilium", "quay.io/cilium/cilium:v1.17.4"),
      on("b", "kube-system", "quay.io/cilium/cilium:v1.17.4"),
      on("c", "kube-system", "mirror.example.com/hub/cilium:v1.16.0"),
    ]);
    expect(grouped.map(({ id, otherIds, members }) => [id, otherIds, members.length])).toEqual([
      ["daemonset/kube-system/cilium", ["daemonset/cilium/cilium"], 3],
    ]);
  });

  test("two that stand side by side on one cluster stay two, on every cluster", () => {
    const grouped = groupFleetAgents([
      on("a", "team-1", "fluent/cilium:1"),
      on("a", "team-2", "fluent/cilium:1"),
      on("b", "team-1", "fluent/cilium:1"),
    ]);
    expect(grouped.map(({ id, members }) => [id, members.length])).toEqual([
      ["daemonset/team-1/cilium", 2],
      ["daemonset/team-2/cilium", 1],
    ]);
  });

  test("another image, another kind and an unknown image are other agents", () => {
    const grouped = groupFleetAgents([
      on("a", "x", "org/cilium:1"),
      on("b", "y", "org/other:1"),
      on("c", "z", "org/cilium:1", "Deployment"),
      on("d", "w", null),
      on("e", "v", null),
    ]);
    expect(grouped).toHaveLength(5);
    expect(groupFleetAgents([])).toEqual([]);
  });
});
