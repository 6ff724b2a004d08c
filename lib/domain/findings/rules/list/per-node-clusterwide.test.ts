import { describe, expect, test } from "vitest";
import { collection, copies, request, runRule, short } from "../../testing/audit.ts";
import { listPerNodeClusterwide } from "./per-node-clusterwide.ts";

interface Shape {
  readonly env?: readonly object[];
  readonly pod?: object;
  readonly metadata?: object;
  readonly status?: object;
}
const agent = ({ env = [], pod = {}, metadata = {}, status }: Shape = {}) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "agents", ...metadata },
  spec: {
    template: {
      spec: { serviceAccountName: "agent", containers: [{ name: "main", image: "x", env }], ...pod },
    },
  },
  ...(status === undefined ? {} : { status }),
});
const NODE_NAME = { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } };
const KNOWS_NODE = { env: [NODE_NAME] };

const rbac = (
  resources: readonly string[],
  { verbs = ["get", "list", "watch"], apiGroups = [""], binding = "ClusterRoleBinding", more = {} } = {},
) => [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "agent" },
    rules: [{ apiGroups, resources, verbs, ...more }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: binding,
    metadata: { name: "agent", ...(binding === "RoleBinding" ? { namespace: "agents" } : {}) },
    roleRef: { kind: "ClusterRole", name: "agent" },
    subjects: [{ kind: "ServiceAccount", name: "agent", namespace: "agents" }],
  },
];
const configMap = (data: object, name = "agent") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "agents" },
  data,
});
const LARGE = { nodes: 500, collections: [collection("pods", 15_000), collection("replicasets", 90_000)] };
const SMALL = { nodes: 10, collections: [collection("pods", 300)] };
const scan = (objects: readonly object[], cluster: object = LARGE, events?: ReturnType<typeof request>[]) =>
  runRule(listPerNodeClusterwide, { objects, cluster }, events === undefined ? {} : { events });
const resources = (found: ReturnType<typeof scan>) => found.findings[0]?.figures.resources;

describe("by what RBAC allows", () => {
  test("an agent that does not know its node is reported with what all copies hold together", () => {
    const found = scan([agent(), ...rbac(["pods", "namespaces"])]);
    expect(short(found)).toEqual(["error DaemonSet agents/agent"]);
    expect(found.findings[0]?.evidence.grade).toBe("bounded");
    expect(found.findings[0]?.figures).toMatchObject({
      nodes: 500,
      cachedPodObjectsFleet: 7_500_000,
      watchEventsPerPodChange: 500,
    });
  });

  test("where neither nodes nor objects are known the worst is taken", () => {
    expect(short(scan([agent(), ...rbac(["pods"])], {}))).toEqual(["error DaemonSet agents/agent"]);
  });

  test("pods that nobody counted are taken to be 30 a node", () => {
    expect(short(scan([agent(), ...rbac(["pods"])], { nodes: 700 }))).toHaveLength(1);
    expect(short(scan([agent(), ...rbac(["pods"])], { nodes: 20 }))).toEqual([]);
  });

  test("groups of ServiceAccounts, wildcards and cluster-admin count", () => {
    const [role, binding] = rbac(["*"], { apiGroups: ["*"], verbs: ["*"] });
    const toAll = { ...binding, subjects: [{ kind: "Group", name: "system:serviceaccounts:agents" }] };
    expect(short(scan([agent(), role ?? {}, toAll]))).toEqual(["warning DaemonSet agents/agent"]);
    const admin = { ...binding, roleRef: { kind: "ClusterRole", name: "cluster-admin" } };
    expect(short(scan([agent(), admin]))).toEqual(["warning DaemonSet agents/agent"]);
  });

  test.each<[string, readonly object[], object]>([
    ["rights to get alone", rbac(["pods"], { verbs: ["get"] }), LARGE],
    ["names of objects", rbac(["pods"], { more: { resourceNames: ["a"] } }), LARGE],
    ["subresources", rbac(["nodes/metrics", "nodes/proxy"]), LARGE],
    ["a RoleBinding", rbac(["pods"], { binding: "RoleBinding" }), LARGE],
    ["no RBAC in the input", [], LARGE],
    ["a small cluster", rbac(["pods"]), SMALL],
    ["a single node", rbac(["pods"]), { nodes: 1 }],
  ])("not reported: %s", (_, objects, cluster) => {
    expect(scan([agent(), ...objects], cluster)).toEqual({ findings: [], undecided: [] });
  });

  test("pods without a token of the account cannot use its rights", () => {
    const tokenless = agent({ pod: { automountServiceAccountToken: false } });
    expect(short(scan([tokenless, ...rbac(["pods"])]))).toEqual([]);
    const account = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "agent", namespace: "agents" },
      automountServiceAccountToken: false,
    };
    expect(short(scan([agent(), account, ...rbac(["pods"])]))).toEqual([]);
  });

  test("copies are those that are scheduled, where the status says", () => {
    const few = agent({ status: { desiredNumberScheduled: 2 } });
    expect(short(scan([few, ...rbac(["pods"])], { ...LARGE, nodes: 500 }))).toEqual([
      "warning DaemonSet agents/agent",
    ]);
  });

  test("the name of the node narrows pods and nodes, and nothing else", () => {
    expect(scan([agent(KNOWS_NODE), ...rbac(["pods", "nodes"])])).toEqual({ findings: [], undecided: [] });
    const wide = rbac(["replicasets"], { apiGroups: ["apps"] });
    const found = scan([agent(KNOWS_NODE), ...wide]);
    expect(short(found)).toEqual(["warning DaemonSet agents/agent"]);
    expect(resources(found)).toEqual(["replicasets.apps"]);
  });

  test("where it knows its node and nothing is counted an audit log has to tell", () => {
    const found = scan([agent(KNOWS_NODE), ...rbac(["namespaces", "pods"])], { nodes: 500 });
    expect(found.findings).toEqual([]);
    expect(found.undecided).toHaveLength(1);
  });

  test("a role that is bound and not given leaves it open", () => {
    const [, binding] = rbac([]);
    const found = scan([agent(), { ...binding, roleRef: { kind: "ClusterRole", name: "view" } }]);
    expect(found.findings).toEqual([]);
    expect(found.undecided[0]?.missing).toContain("ClusterRole view");
  });
});

describe("by its own configuration", () => {
  const WIDE = rbac(["pods", "services", "nodes", "namespaces", "endpoints"]);
  const alloy = (block: string) => configMap({ "config.alloy": `discovery.kubernetes "a" {\n${block}\n}` });
  const scrape = (entry: string) =>
    configMap({
      "prometheus.yml": `scrape_configs:\n- job_name: pods\n  kubernetes_sd_configs:\n${entry}\n  relabel_configs: []\n`,
    });

  test("a relabelling rule is no filter", () => {
    const found = scan([agent(KNOWS_NODE), ...WIDE, alloy('  role = "pod"')]);
    expect(short(found)).toEqual(["error DaemonSet agents/agent"]);
    expect(resources(found)).toContain("pods");
    expect(found.findings[0]?.evidence).toMatchObject({ grade: "declared" });
    expect(resources(scan([agent(KNOWS_NODE), ...WIDE, scrape("  - role: pod")]))).toContain("pods");
  });

  test("a selector of the node is one", () => {
    const pods = rbac(["pods", "nodes"]);
    const filtered = alloy(
      '  role = "pod"\n  selectors {\n    role = "pod"\n    field = "spec.nodeName=" + env("NODE")\n  }',
    );
    expect(short(scan([agent(KNOWS_NODE), ...pods, filtered]))).toEqual([]);
    const inYaml = scrape(
      "  - role: pod\n    selectors:\n    - role: pod\n      field: spec.nodeName=$(NODE)",
    );
    expect(short(scan([agent(KNOWS_NODE), ...pods, inYaml]))).toEqual([]);
  });

  const processor = (body: string) => configMap({ "relay.yaml": `processors:\n  k8sattributes:\n${body}` });
  test("a filter by node on pods leaves the ReplicaSets", () => {
    const owners =
      "    filter:\n      node_from_env_var: NODE\n    extract:\n      metadata: [k8s.deployment.name]\n";
    const both = rbac(["pods", "replicasets"], { apiGroups: ["", "apps"] });
    const found = scan([agent(KNOWS_NODE), ...both, processor(owners)]);
    expect(short(found)).toEqual(["error DaemonSet agents/agent"]);
    expect(resources(found)).toEqual(["replicasets.apps"]);
    expect(short(scan([agent(KNOWS_NODE), ...rbac(["pods"]), processor(owners)]))).toEqual([]);
    const unfiltered = processor("    extract:\n      metadata: [k8s.pod.name]\n");
    expect(resources(scan([agent(KNOWS_NODE), ...rbac(["pods"]), unfiltered]))).toEqual(["pods"]);
  });

  test("a ConfigMap of another agent says nothing of this one", () => {
    const other = configMap({ "c.alloy": 'discovery.kubernetes "a" {\n role = "pod"\n}' }, "other");
    expect(short(scan([agent(KNOWS_NODE), ...rbac(["pods"]), other]))).toEqual([]);
  });
});

test("the annotation says it, whatever RBAC allows", () => {
  const declared = (text: string) => agent({ metadata: { annotations: { "headroom.dev/informers": text } } });
  expect(short(scan([declared("pods@node"), ...rbac(["pods", "services"])]))).toEqual([]);
  expect(short(scan([declared("pods"), ...rbac(["pods"])]))).toEqual(["error DaemonSet agents/agent"]);
});

describe("Calico without Typha, by its vendor's lines", () => {
  const calico = (service: object) =>
    agent({
      env: [
        { name: "DATASTORE_TYPE", value: "kubernetes" },
        { name: "FELIX_TYPHAK8SSERVICENAME", ...service },
      ],
    });
  const WIDE = rbac(["pods", "nodes", "services"]);
  const NONE = { value: "none" };
  test.each([
    [120, ["error DaemonSet agents/agent"]],
    [60, ["warning DaemonSet agents/agent"]],
    [50, []],
    [30, []],
  ])("%i nodes", (nodes, expected) => {
    expect(short(scan([calico(NONE), ...WIDE], { nodes }))).toEqual(expected);
  });

  test("with Typha nothing is wrong, unless it is scaled to none", () => {
    const typha = { value: "calico-typha" };
    expect(short(scan([calico(typha), ...WIDE], { nodes: 400 }))).toEqual([]);
    const down = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "calico-typha", namespace: "agents" },
      spec: { replicas: 0 },
    };
    expect(short(scan([calico(typha), down, ...WIDE], { nodes: 400 }))).toHaveLength(1);
  });

  test("the Service may be named in a ConfigMap", () => {
    const from = { valueFrom: { configMapKeyRef: { name: "calico-config", key: "typha_service_name" } } };
    const config = (name: string) => configMap({ typha_service_name: name }, "calico-config");
    expect(short(scan([calico(from), config("none"), ...WIDE], { nodes: 400 }))).toHaveLength(1);
    expect(short(scan([calico(from), config("calico-typha"), ...WIDE], { nodes: 400 }))).toEqual([]);
  });
});

describe("by an audit log", () => {
  const WIDE = rbac(["pods", "namespaces"]);
  const listed = (uri: string, count = 4, fields: object = {}) =>
    copies(count, (copy) => request(uri, { copy, ...fields }));

  test("what it does not ask for is no fault, however wide RBAC is", () => {
    const own = listed("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&resourceVersion=0");
    expect(scan([agent(), ...WIDE], LARGE, own)).toEqual({ findings: [], undecided: [] });
  });

  test("what it asks for is, under the name of its account", () => {
    const found = scan([agent(KNOWS_NODE), ...WIDE], LARGE, listed("/api/v1/pods?resourceVersion=0"));
    expect(short(found)).toEqual(["error ServiceAccount agents/agent"]);
    expect(found.findings[0]?.evidence.grade).toBe("measured");
  });

  test("pages are one LIST, and a WatchList is one as well", () => {
    const pages = copies(2, (copy) => request("/api/v1/pods?limit=500", { copy })).flatMap((each) => [
      each,
      request("/api/v1/pods?limit=500&continue=abc", { sourceIps: each.sourceIps }),
    ]);
    expect(scan([agent()], LARGE, pages).findings[0]?.figures).toMatchObject({ lists: 2, listsPerAgent: 1 });
    const streamed = listed(
      "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    );
    expect(short(scan([agent()], LARGE, streamed))).toEqual(["error ServiceAccount agents/agent"]);
  });

  test("without a DaemonSet as many copies as half the nodes tell that it runs on each", () => {
    const cluster = { nodes: 8, collections: [collection("endpoints.cni.example.io", 25_000)] };
    const uri = "/apis/cni.example.io/v2/endpoints?resourceVersion=0";
    expect(short(scan([], cluster, listed(uri, 8)))).toEqual(["warning ServiceAccount agents/agent"]);
    expect(short(scan([], cluster, listed(uri, 3)))).toEqual([]);
    expect(short(scan([], { collections: cluster.collections }, listed(uri, 4)))).toEqual([]);
    expect(short(scan([], { collections: cluster.collections }, listed(uri, 40)))).toHaveLength(1);
  });

  test.each([
    ["a controller with one copy", [1, 2, 3].map((at) => request("/api/v1/pods", { atMs: at }))],
    ["LISTs that are refused", listed("/api/v1/pods", 4, { responseCode: 403 })],
    ["one namespace", listed("/api/v1/namespaces/a/pods")],
    ["a field selector of one namespace", listed("/api/v1/pods?fieldSelector=metadata.namespace%3Da")],
    ["its own node by label", listed("/api/v1/pods?labelSelector=kubernetes.io%2Fhostname%3Dn1")],
    ["kubelets", listed("/api/v1/services", 9, { userName: "system:node:n", userGroups: ["system:nodes"] })],
    [
      "kube-proxy",
      listed("/api/v1/services", 9, { userName: "system:serviceaccount:kube-system:kube-proxy" }),
    ],
  ])("not reported: %s", (_, events) => {
    expect(
      short(
        scan(
          [],
          { nodes: 6, collections: [collection("pods", 90_000), collection("services", 90_000)] },
          events,
        ),
      ),
    ).toEqual([]);
  });
});
