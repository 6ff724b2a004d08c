import { describe, expect, test } from "vitest";
import type { InventoryPart, Workload } from "../clusters/inventory-part.ts";
import { agentsOfCluster, agentsOfManifests } from "./agents-of.ts";
import { AGENT_CATALOGUE } from "./catalogue/catalogue.ts";
import { readManifests } from "./manifests/read-manifests.ts";

const workload = (over: Partial<Workload>): Workload => ({
  uid: "u",
  generation: 1,
  kind: "DaemonSet",
  namespace: "kube-system",
  name: "kube-proxy",
  labels: {},
  serviceAccountName: "kube-proxy",
  images: [{ container: "kube-proxy", image: "registry.k8s.io/kube-proxy:v1.34.2" }],
  desiredReplicas: 3,
  readyReplicas: 3,
  updatedReplicas: 3,
  updateStrategy: "RollingUpdate",
  maxUnavailable: "1",
  maxSurge: "0",
  minReadySeconds: 0,
  ...over,
});

const inventory = (over: Partial<InventoryPart>): InventoryPart => ({
  workloads: [],
  nodes: null,
  pods: null,
  controlPlanePods: null,
  webhooks: null,
  apiServices: null,
  customResourceDefinitions: null,
  clusterWideLists: null,
  ...over,
});

const controlPlanePod = (component: string) => ({
  name: `${component}-node-1`,
  component,
  nodeName: "node-1",
  image: `registry.k8s.io/${component}:v1.34.2`,
  flags: [],
});

const FACTS = { name: "prod-us-east", nodes: 3, kubernetesVersion: "1.34.2" };

describe("agents of a cluster", () => {
  test("are its kubelets, its workloads and its control plane, by id", () => {
    const agents = agentsOfCluster({
      facts: FACTS,
      catalogue: AGENT_CATALOGUE,
      inventory: inventory({
        workloads: [
          workload({}),
          workload({ name: "web", serviceAccountName: "web", kind: "Deployment", images: [] }),
        ],
        controlPlanePods: [controlPlanePod("kube-scheduler"), controlPlanePod("kube-apiserver")],
      }),
    });
    expect(agents.map(({ id, isKnown, userName }) => [id, isKnown, userName])).toEqual([
      ["client/kubelet", true, "system:node:*"],
      ["daemonset/kube-system/kube-proxy", true, "system:serviceaccount:kube-system:kube-proxy"],
      ["deployment/kube-system/web", false, "system:serviceaccount:kube-system:web"],
      ["staticpod/kube-system/kube-scheduler", true, "system:kube-scheduler"],
    ]);
  });

  test("without an inventory only the kubelets are known to be there", () => {
    const agents = agentsOfCluster({ facts: FACTS, inventory: null, catalogue: AGENT_CATALOGUE });
    expect(agents.map(({ id, replicas }) => [id, replicas])).toEqual([
      ["client/kubelet", { kind: "per-node", count: 3 }],
    ]);
  });

  test("what was observed of a workload is asked for by workload", () => {
    const agents = agentsOfCluster({
      facts: FACTS,
      catalogue: [],
      inventory: inventory({ workloads: [workload({})] }),
      measured: ({ name }) =>
        name === "kube-proxy"
          ? {
              informers: [],
              client: null,
              userAgent: "kube-proxy/v1.34.2",
              agentVersion: null,
              isComplete: true,
            }
          : null,
    });
    const proxy = agents.find(({ name }) => name === "kube-proxy");
    expect([proxy?.isKnown, proxy?.userAgent]).toEqual([true, "kube-proxy/v1.34.2"]);
  });
});

test("agents of manifests are bounded by the RBAC beside them", () => {
  const rule = { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] };
  const [agent] = agentsOfManifests(
    readManifests([
      {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "agent", namespace: "ns" },
        spec: {
          template: { spec: { serviceAccountName: "agent", containers: [{ name: "a", image: "x/y:1" }] } },
        },
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "r" },
        rules: [rule],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "b" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
        subjects: [{ kind: "ServiceAccount", name: "agent", namespace: "ns" }],
      },
    ]),
    { catalogue: AGENT_CATALOGUE },
  );
  expect(
    agent?.informers.map(({ resource, evidence }) => [resource, evidence.grade, evidence.source]),
  ).toEqual([["pods", "bounded", expect.stringContaining("RBAC of the manifests")]]);
});
