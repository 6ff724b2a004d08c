import { expect, test } from "vitest";
import { request, runRule, short } from "../../testing/audit.ts";
import { apfRuleMissesClusterScope } from "./rule-misses-cluster-scope.ts";

const ALL = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };
const AGENT = { kind: "ServiceAccount", serviceAccount: { namespace: "agents", name: "agent" } };
const schema = (
  resourceRules: readonly object[],
  { name = "jail", precedence = 5, level = "jail" } = {},
) => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1beta3",
  kind: "FlowSchema",
  metadata: { name },
  spec: {
    matchingPrecedence: precedence,
    priorityLevelConfiguration: { name: level },
    rules: [{ subjects: [AGENT], resourceRules }],
  },
});
const level = (shares: number, type = "Queue") => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: { name: "jail" },
  spec: {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type, ...(type === "Queue" ? { queuing: { queues: 1, handSize: 1 } } : {}) },
    },
  },
});
const WIDE = [
  request("/api/v1/pods?limit=500"),
  request("/api/v1/nodes"),
  request("/api/v1/namespaces/a/pods/p"),
];
const find = (objects: readonly object[], events?: readonly ReturnType<typeof request>[]) =>
  runRule(apfRuleMissesClusterScope, { objects }, events === undefined ? {} : { events });

test("traffic that goes elsewhere is an error, with where it goes", () => {
  const found = find([schema([ALL]), level(10)], WIDE);
  expect(short(found)).toEqual(["error FlowSchema jail"]);
  expect(found.findings[0]?.figures).toMatchObject({
    requests: 3,
    matched: 1,
    elsewhere: 2,
    fallsTo: "service-accounts -> workload-low",
  });
});

test("without a log a level that shall hold back is an error, another one a warning", () => {
  expect(short(find([schema([ALL]), level(0)]))).toEqual(["error FlowSchema jail"]);
  expect(short(find([schema([ALL]), level(5, "Reject")]))).toEqual(["error FlowSchema jail"]);
  expect(short(find([schema([ALL]), level(10)]))).toEqual(["warning FlowSchema jail"]);
});

test("LISTs of one resource across namespaces are missed as well", () => {
  const pods = { verbs: ["list"], apiGroups: [""], resources: ["pods"], namespaces: ["*"] };
  expect(short(find([schema([pods]), level(10)], [request("/api/v1/pods")]))).toEqual([
    "error FlowSchema jail",
  ]);
  // Nodes are no pods: they would not match with cluster scope either.
  expect(short(find([schema([pods]), level(10)], [request("/api/v1/nodes")]))).toEqual([]);
});

test.each<[string, readonly object[]]>([
  ["with cluster scope", [schema([{ ...ALL, clusterScope: true }]), level(10)]],
  [
    "a rule beside it has cluster scope",
    [schema([ALL, { ...ALL, namespaces: [], clusterScope: true }]), level(10)],
  ],
  ["named namespaces mean these alone", [schema([{ ...ALL, namespaces: ["a", "b"] }]), level(10)]],
  ["writes alone", [schema([{ ...ALL, verbs: ["create", "update"] }]), level(10)]],
  ["a default of the API server", [schema([ALL], { name: "system-node-high", level: "node-high" })]],
])("not reported: %s", (_, objects) => {
  expect(short(find(objects))).toEqual([]);
});

test("with a log whose requests all match nothing is wrong", () => {
  expect(short(find([schema([ALL]), level(10)], [request("/api/v1/namespaces/a/pods")]))).toEqual([]);
});

test("requests that an earlier FlowSchema takes are not missed by this one", () => {
  const first = schema([{ ...ALL, clusterScope: true }], { name: "first", precedence: 2 });
  const found = find([first, schema([ALL]), level(10)], WIDE);
  expect(short(found)).toEqual([]);
});
