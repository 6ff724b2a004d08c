import { describe, expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import { assessEvidence } from "./assess-evidence.ts";
import type { CatalogueEntry } from "./catalogue/catalogue-entry.ts";
import { describeInformer } from "./informer-text.ts";
import { workloadsOfInventory } from "./inventory-workloads.ts";
import { kubeletAgent } from "./node-clients.ts";
import type { RbacBound } from "./rbac/rbac-bound.ts";
import { resolveAgent } from "./resolve-agent.ts";
import type { SampledRequest } from "./sampled-reads.ts";
import { containerFor, evidenceFor, informersOf, NOW, workloadFor } from "./testing/agents.ts";

const CITATION = { repository: "example/telemetry", path: "pkg/watch.go", release: "v2.6.3" };
const CATALOGUE: readonly CatalogueEntry[] = [
  {
    id: "telemetry",
    title: "Telemetry",
    category: "metrics",
    images: ["telemetry/node-telemetry"],
    examples: [],
    versions: [
      { before: "2.0", client: "client-go/0.28.0", reads: [{ what: "endpoints" }], citation: CITATION },
      {
        from: "2.0",
        before: "3.0",
        client: "client-go/0.34.1",
        reads: [
          { what: "pods", when: [{ argument: "--own-node", absent: true, assume: true }] },
          { what: "pods@node", when: [{ argument: "--own-node", assume: false }] },
          { what: "namespaces metadata-json" },
        ],
        citation: CITATION,
      },
    ],
  },
  {
    id: "silent",
    title: "Silent",
    category: "platform",
    images: ["silent"],
    examples: [],
    versions: [{ client: "other", reads: [], citation: CITATION }],
  },
  {
    id: "unread",
    title: "Unread",
    category: "platform",
    images: ["unread"],
    examples: [],
    versions: [{ client: "other", reads: [{ what: "pods" }] }],
  },
];

const grades = ({ informers }: Agent) =>
  informers.map((each) => `${describeInformer(each)} ${each.evidence.grade}`);

const sample = (over: Partial<SampledRequest> = {}): SampledRequest => ({
  userName: "system:serviceaccount:observability:node-telemetry",
  verb: "list",
  apiGroup: "",
  resource: "pods",
  namespace: "",
  name: "",
  serverName: "api-0",
  observedAt: NOW,
  ...over,
});

const RBAC: RbacBound = {
  grants: ["namespaces", "pods"].map((resource) => ({
    apiGroup: "",
    resource,
    namespace: null,
    mayList: true,
    mayWatch: true,
  })),
  through: ["ClusterRole node-telemetry"],
  unknownRoles: [],
};

describe("what an agent reads, by the best evidence of each resource", () => {
  test("by the catalogue, with identity, client and what had to be assumed", () => {
    const known = resolveAgent(workloadFor(), { catalogue: CATALOGUE, rbac: RBAC });
    expect(known).toMatchObject({
      id: "daemonset/observability/node-telemetry",
      userName: "system:serviceaccount:observability:node-telemetry",
      userGroups: ["system:serviceaccounts", "system:serviceaccounts:observability", "system:authenticated"],
      version: "2.6.3",
      catalogueIds: ["telemetry"],
      client: { library: "client-go", version: "0.34.1" },
      isKnown: true,
      conflicts: [],
      assumptions: [],
    });
    expect(grades(known)).toEqual(["namespaces metadata-json catalogued", "pods catalogued"]);
    expect(known.informers[0]?.evidence.citation).toBe("example/telemetry pkg/watch.go v2.6.3");
  });

  test("arguments change what it reads; where they are not known the entry's assumption is taken and said", () => {
    const withFlag = workloadFor({ containers: [containerFor({ words: ["/agent", "-own-node"] })] });
    expect(grades(resolveAgent(withFlag, { catalogue: CATALOGUE }))).toEqual([
      "namespaces metadata-json catalogued",
      "pods@node catalogued",
    ]);
    const stored = workloadFor({
      containers: [containerFor({ words: null, variables: null, isConfigKnown: false })],
    });
    const agent = resolveAgent(stored, { catalogue: CATALOGUE });
    expect(grades(agent)).toEqual(["namespaces metadata-json catalogued", "pods catalogued"]);
    expect(agent.assumptions).toEqual([
      "Telemetry: pods is counted: it is assumed that --own-node is not given.",
      "Telemetry: pods@node is left out: it cannot be told whether --own-node is given.",
    ]);
  });

  test("an audit log comes first; what it shows otherwise than the catalogue is a conflict", () => {
    const informers = informersOf("pods@node; namespaces");
    const measured = {
      informers,
      client: null,
      userAgent: "telemetry/2.6.3",
      agentVersion: "2.6.3",
      isComplete: true,
    };
    const agent = resolveAgent(workloadFor(), { measured, catalogue: CATALOGUE });
    expect(grades(agent)).toEqual(["namespaces measured", "pods@node measured"]);
    expect(agent.userAgent).toBe("telemetry/2.6.3");
    // That the log does not tell the form of namespaces is no conflict.
    expect(
      agent.conflicts.map(({ subject, claims }) => [subject, ...claims.map(({ says }) => says)]),
    ).toEqual([["pods", "pods@node", "pods"]]);
  });

  test("a log that misses the start leaves to the catalogue what it does not show; a whole one does not", () => {
    const measured = (isComplete: boolean) => ({
      informers: informersOf("pods"),
      client: null,
      userAgent: null,
      agentVersion: null,
      isComplete,
    });
    const part = resolveAgent(workloadFor(), { measured: measured(false), catalogue: CATALOGUE });
    expect(grades(part)).toEqual(["namespaces metadata-json catalogued", "pods measured"]);
    expect(part.conflicts).toEqual([]);
    const whole = resolveAgent(workloadFor(), { measured: measured(true), catalogue: CATALOGUE });
    expect(grades(whole)).toEqual(["pods measured"]);
    expect(whole.conflicts).toMatchObject([{ subject: "namespaces", claims: [{ says: "is not read" }, {}] }]);
  });

  test("the annotation comes before the catalogue; one that does not parse counts for nothing, and says where", () => {
    const declared = workloadFor({ informersAnnotation: "pods@node; client client-go/0.35.0" });
    const agent = resolveAgent(declared, { catalogue: CATALOGUE });
    expect(grades(agent)).toEqual(["pods@node declared"]);
    expect(agent.client).toMatchObject({ version: "0.35.0", evidence: { grade: "declared" } });
    expect(agent.conflicts.map(({ subject }) => subject)).toEqual(["namespaces", "pods"]);
    const broken = resolveAgent(workloadFor({ informersAnnotation: "pods@nodes" }), { catalogue: CATALOGUE });
    expect(grades(broken)).toEqual(["namespaces metadata-json catalogued", "pods catalogued"]);
    expect(broken.assumptions?.[0]).toContain('line 1, column 1: "pods@nodes" found, @node');
    const none = resolveAgent(workloadFor({ informersAnnotation: "none" }), { rbac: RBAC });
    expect([none.isKnown, none.informers]).toEqual([true, []]);
  });

  test("a sample confirms a claim that its path may come from, and is a find of its own where none is", () => {
    const sources = {
      catalogue: CATALOGUE,
      sampled: [sample(), sample({ verb: "watch", resource: "secrets" })],
    };
    const agent = resolveAgent(workloadFor(), sources);
    expect(grades(agent)).toEqual([
      "namespaces metadata-json catalogued",
      "pods catalogued",
      "secrets measured",
    ]);
    expect(agent.conflicts).toMatchObject([{ subject: "secrets", claims: [{ says: "is not read" }, {}] }]);
    const narrower = workloadFor({ informersAnnotation: "pods@namespace" });
    expect(grades(resolveAgent(narrower, { sampled: [sample()] }))).toEqual([
      "pods measured",
      "pods@namespace declared",
    ]);
    const others = [
      sample({ userName: "system:serviceaccount:a:b" }),
      sample({ name: "x" }),
      sample({ verb: "get" }),
    ];
    expect(resolveAgent(workloadFor(), { sampled: others }).isKnown).toBe(false);
  });

  test("the bound of RBAC counts only where nothing else is known", () => {
    const unknown = workloadFor({ containers: [containerFor({ image: "example.com/own:1" })] });
    const agent = resolveAgent(unknown, { catalogue: CATALOGUE, rbac: RBAC });
    expect(grades(agent)).toEqual(["namespaces bounded", "pods bounded"]);
    expect(agent.client.evidence.grade).toBe("bounded");
    const nothing = resolveAgent(unknown, { catalogue: CATALOGUE, rbac: null });
    expect([nothing.isKnown, nothing.informers]).toEqual([false, []]);
    const mayNothing = resolveAgent(unknown, { rbac: { ...RBAC, grants: [] } });
    expect([mayNothing.isKnown, mayNothing.informers]).toEqual([true, []]);
    const unknownRole = resolveAgent(unknown, {
      rbac: { ...RBAC, grants: [], unknownRoles: ["ClusterRole x"] },
    });
    expect(unknownRole.isKnown).toBe(false);
  });

  test("a claim that RBAC forbids is a conflict; with a role that is not known it may be allowed", () => {
    const onlyPods: RbacBound = {
      ...RBAC,
      grants: RBAC.grants.filter(({ resource }) => resource === "pods"),
    };
    const agent = resolveAgent(workloadFor(), { catalogue: CATALOGUE, rbac: onlyPods });
    expect(agent.conflicts).toMatchObject([{ subject: "namespaces", claims: [{ says: "is read" }, {}] }]);
    const maybe = { ...onlyPods, unknownRoles: ["ClusterRole x"] };
    expect(resolveAgent(workloadFor(), { catalogue: CATALOGUE, rbac: maybe }).conflicts).toEqual([]);
  });

  test("a sidecar that reads nothing tells nothing of an unknown container beside it", () => {
    const silent = containerFor({ name: "side", image: "silent:1" });
    const own = containerFor({ image: "example.com/own:1" });
    const both = resolveAgent(workloadFor({ containers: [own, silent] }), { catalogue: CATALOGUE });
    expect(both.isKnown).toBe(false);
    const alone = resolveAgent(workloadFor({ containers: [silent] }), { catalogue: CATALOGUE });
    expect([alone.isKnown, alone.informers]).toEqual([true, []]);
    const known = resolveAgent(workloadFor({ containers: [containerFor(), { ...own, name: "own" }] }), {
      catalogue: CATALOGUE,
    });
    expect(known.assumptions).toEqual([
      "Container own (example.com/own:1) is not in the catalogue: it is taken to read nothing.",
    ]);
  });

  test("two containers that read one thing are two informers", () => {
    const two = workloadFor({ containers: [containerFor(), containerFor({ name: "second" })] });
    expect(grades(resolveAgent(two, { catalogue: CATALOGUE }))).toEqual([
      "namespaces metadata-json catalogued",
      "namespaces metadata-json catalogued",
      "pods catalogued",
      "pods catalogued",
    ]);
  });

  test("an entry without a citation is bounded, whatever it says", () => {
    const agent = resolveAgent(workloadFor({ containers: [containerFor({ image: "unread:1" })] }), {
      catalogue: CATALOGUE,
    });
    expect(grades(agent)).toEqual(["pods bounded"]);
    expect(assessEvidence(agent, NOW).doubts.map(({ reason }) => reason)).toEqual(["bounded-only"]);
  });
});

describe("whether the evidence carries a verdict", () => {
  const agentAt = (image: string) =>
    resolveAgent(workloadFor({ containers: [containerFor({ image })] }), { catalogue: CATALOGUE });

  test("it does by a catalogue entry of its version", () => {
    expect(assessEvidence(agentAt("telemetry/node-telemetry:2.6.3"), NOW)).toEqual({
      grade: "catalogued",
      isInconclusive: false,
      doubts: [],
      oldestAt: null,
    });
  });

  test.each([
    ["3.1.0", "2.0 and later, before 3.0"],
    ["1.9.0", null],
  ])("at version %s evidence of %s is taken", (version, other) => {
    const assessment = assessEvidence(agentAt(`telemetry/node-telemetry:${version}`), NOW);
    expect(assessment.doubts.map(({ reason }) => reason)).toEqual(other === null ? [] : ["other-version"]);
    if (other !== null) expect(assessment.doubts[0]?.text).toContain(other);
  });

  test("an audit log of another version does not, nor does it end what the catalogue says", () => {
    const measured = {
      informers: informersOf("pods@node"),
      client: null,
      userAgent: null,
      agentVersion: "2.5.0",
      isComplete: true,
    };
    const agent = resolveAgent(workloadFor(), { measured, catalogue: CATALOGUE });
    expect(grades(agent)).toEqual(["namespaces metadata-json catalogued", "pods@node measured"]);
    expect(assessEvidence(agent, NOW).doubts).toEqual([
      { reason: "other-version", text: "Evidence is of another version (2.5.0; this one is 2.6.3)." },
    ]);
  });

  test.each([
    [30, 0],
    [31, 1],
  ])("evidence %i days old raises %i doubts", (days, doubts) => {
    const observedAt = NOW - days * 86_400_000;
    const informers = informersOf("pods; nodes", evidenceFor({ observedAt }));
    const assessment = assessEvidence({ informers, isKnown: true, version: null }, NOW);
    expect([assessment.doubts.length, assessment.oldestAt]).toEqual([doubts, observedAt]);
  });

  test("nothing known does not; reading nothing does; one bounded informer among better ones weakens the grade only", () => {
    expect(assessEvidence({ informers: [], isKnown: false, version: null }, NOW).doubts).toMatchObject([
      { reason: "nothing-known" },
    ]);
    expect(assessEvidence({ informers: [], isKnown: true, version: null }, NOW)).toMatchObject({
      grade: null,
      isInconclusive: false,
    });
    const mixed = [...informersOf("pods"), ...informersOf("nodes", evidenceFor({ grade: "bounded" }))];
    expect(assessEvidence({ informers: mixed, isKnown: true, version: null }, NOW)).toMatchObject({
      grade: "bounded",
      isInconclusive: false,
    });
  });
});

test("static pods of a control plane are agents with a copy each; the API server and etcd are none", () => {
  const pod = (component: string, nodeName: string) => ({
    name: `${component}-${nodeName}`,
    component,
    nodeName,
    image: `registry.k8s.io/${component}:v1.34.2`,
    flags: ["--kubeconfig=x"],
  });
  const controlPlanePods = ["kube-apiserver", "etcd", "kube-scheduler", ""].flatMap((component) => [
    pod(component, "a"),
    pod(component, "b"),
  ]);
  const workloads = workloadsOfInventory({ workloads: [], controlPlanePods });
  expect(workloads).toMatchObject([
    { kind: "StaticPod", name: "kube-scheduler", serviceAccountName: null, replicas: { count: 2 } },
  ]);
  expect(workloadsOfInventory({ workloads: [], controlPlanePods: null })).toEqual([]);
});

test("kubelets are one agent with a copy per node; without an entry nothing is known of them", () => {
  const agent = kubeletAgent({ nodes: 2000, kubernetesVersion: "v1.34.2" }, []);
  expect(agent).toMatchObject({
    id: "client/kubelet",
    userName: "system:node:*",
    version: "1.34.2",
    isKnown: false,
    replicas: { kind: "per-node", count: 2000 },
  });
});
