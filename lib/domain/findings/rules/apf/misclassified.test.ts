import { expect, test } from "vitest";
import { request, runRule, short } from "../../testing/audit.ts";
import { apfMisclassified } from "./misclassified.ts";

const SLICES = "/apis/discovery.k8s.io/v1/endpointslices?resourceVersion=0";
const as = (userName: string, userGroups: readonly string[] = ["system:authenticated"], uri = SLICES) =>
  request(uri, { userName, userGroups });
const find = (events: readonly ReturnType<typeof request>[], objects: readonly object[] = []) =>
  runRule(
    apfMisclassified,
    { objects, cluster: { kubernetesVersion: "1.33.1", totalConcurrencySeats: 600 } },
    { events },
  );

const flowSchema = (name: string, matchingPrecedence: number, level: string, subject: object) => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  metadata: { name },
  spec: {
    matchingPrecedence,
    priorityLevelConfiguration: { name: level },
    rules: [
      {
        subjects: [subject],
        resourceRules: [
          { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
        ],
      },
    ],
  },
});

test.each([
  ["kube-proxy with a certificate of its own", as("system:kube-proxy"), "user system:kube-proxy"],
  ["a cloud controller", as("system:cloud-controller-manager"), "user system:cloud-controller-manager"],
  ["a kubelet without the group of nodes", as("system:node:n1"), "1 kubelet"],
])("reported: %s", (_, event, subject) => {
  const found = find([event, { ...event, auditId: "2" }]);
  expect(short(found)).toEqual([`warning ${subject}`]);
  expect(found.findings[0]?.figures).toMatchObject({
    flowSchema: "global-default",
    priorityLevel: "global-default",
    requests: 2,
    nominalSeats: { "global-default": 49, "workload-high": 98 },
  });
});

test.each([
  ["a kubelet", as("system:node:n1", ["system:nodes", "system:authenticated"])],
  ["the controller manager", as("system:kube-controller-manager")],
  [
    "a ServiceAccount of kube-system",
    as("system:serviceaccount:kube-system:kube-proxy", ["system:serviceaccounts", "system:authenticated"]),
  ],
  ["a workload", as("system:serviceaccount:apps:web", ["system:serviceaccounts", "system:authenticated"])],
  ["a person", as("jane")],
  ["nobody", as("system:anonymous", ["system:unauthenticated"])],
  ["a bootstrap token", as("system:bootstrap:abcdef", ["system:bootstrappers", "system:authenticated"])],
  ["a member of system:masters", as("system:apiserver", ["system:masters", "system:authenticated"])],
  ["health checks, which are exempt", as("system:kube-proxy", ["system:authenticated"], "/healthz")].map(
    (each) => (typeof each === "string" ? each : { ...each, verb: "get" }),
  ) as [string, ReturnType<typeof request>],
])("not reported: %s", (_, event) => {
  expect(short(find([event]))).toEqual([]);
});

test("a FlowSchema of one's own repairs it, or takes what the defaults place well", () => {
  const repaired = flowSchema("kube-proxy", 850, "workload-high", {
    kind: "User",
    user: { name: "system:kube-proxy" },
  });
  expect(short(find([as("system:kube-proxy")], [repaired]))).toEqual([]);
  const greedy = flowSchema("all", 50, "workload-low", {
    kind: "Group",
    group: { name: "system:authenticated" },
  });
  expect(short(find([as("system:node:n1", ["system:nodes", "system:authenticated"])], [greedy]))).toEqual([
    "warning 1 kubelet",
  ]);
});

test("a FlowSchema that is no such thing is passed over", () => {
  const broken = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name: "x" },
    spec: { rules: 7 },
  };
  expect(short(find([as("system:kube-proxy")], [broken]))).toHaveLength(1);
});
