import { describe, expect, it } from "vitest";
import type { Agent, AgentInformer } from "../agents/agent.ts";
import type { Evidence } from "../agents/evidence.ts";
import type { ClusterFacts, CollectionFacts } from "../clusters/cluster-facts.ts";
import { DEFAULT_STORM_MODEL } from "./default-model.ts";
import { resolveStormAgent } from "./resolve-agent.ts";
import { resolveStormCluster } from "./resolve-cluster.ts";
import { simulateStorm } from "./simulate-storm.ts";

const collection = (overrides: Partial<CollectionFacts> = {}): CollectionFacts => ({
  apiGroup: "",
  resource: "pods",
  objects: 1000,
  storedBytes: 4_000_000,
  jsonObjectBytes: null,
  protobufObjectBytes: null,
  metadataObjectBytes: null,
  objectsPerNode: null,
  ...overrides,
});

const NOTHING_KNOWN: ClusterFacts = {
  name: null,
  kubernetesVersion: null,
  featureGates: {},
  etcdVersion: null,
  apiServers: null,
  nodes: null,
  nodesNotReady: null,
  collections: [],
  flowSchemas: null,
  priorityLevels: null,
  totalConcurrencySeats: null,
  server: { cores: null, memoryBytes: null, linkBytesPerSecond: null },
  background: [],
  observedAt: null,
};
const facts = (overrides: Partial<ClusterFacts> = {}): ClusterFacts => ({
  ...NOTHING_KNOWN,
  kubernetesVersion: "1.34.2",
  nodes: 100,
  apiServers: 3,
  totalConcurrencySeats: 600,
  server: { cores: 8, memoryBytes: 32e9, linkBytesPerSecond: 1.15e9 },
  collections: [collection()],
  ...overrides,
});

const evidence: Evidence = {
  grade: "measured",
  source: "audit log",
  observedAt: 1,
  citation: null,
  raisedBy: null,
};
const informer = (overrides: Partial<AgentInformer> = {}): AgentInformer => ({
  apiGroup: "",
  resource: "pods",
  scope: "cluster",
  namespace: null,
  fieldSelector: null,
  labelSelector: null,
  representation: "protobuf",
  mode: "informer",
  periodSeconds: null,
  resourceVersion: null,
  pageSize: null,
  watchList: null,
  evidence,
  ...overrides,
});
const agent = (overrides: Partial<Agent> = {}): Agent => ({
  id: "daemonset/observability/telemetry",
  kind: "DaemonSet",
  namespace: "observability",
  name: "telemetry",
  userName: "system:serviceaccount:observability:telemetry",
  userGroups: [],
  userAgent: null,
  image: null,
  version: null,
  replicas: { kind: "per-node", count: null },
  client: { library: "client-go", version: "0.34.1", qps: null, burst: null, acceptsGzip: false, evidence },
  informers: [informer()],
  isKnown: true,
  conflicts: [],
  ...overrides,
});
const cluster = (overrides: Partial<ClusterFacts> = {}) => resolveStormCluster(facts(overrides)).cluster;
const resolve = (overrides: Partial<Agent> = {}, on = cluster()) =>
  resolveStormAgent({ agent: agent(overrides), cluster: on });

describe("a cluster made ready", () => {
  it("takes what is known as it is, and assumes nothing then but idleness and even spread", () => {
    const all = resolveStormCluster(facts({ flowSchemas: [], priorityLevels: [], collections: [] }));
    expect(all.doubts).toEqual([]);
    expect(all.cluster.servers).toHaveLength(3);
    expect(all.cluster.assumptions).toEqual([
      "Clients are taken to spread evenly over the API servers.",
      "No steady load was measured: the API servers are taken to be idle but for the storm.",
    ]);
  });

  it("says every assumption, and doubts a version that is not known", () => {
    const { cluster: resolved, doubts } = resolveStormCluster(NOTHING_KNOWN);
    expect(resolved.servers).toHaveLength(1);
    expect(resolved.kubernetesVersion).toBe("1.37");
    expect(resolved.assumptions).toHaveLength(8);
    expect(doubts).toHaveLength(1);
    expect(resolveStormCluster(facts({ kubernetesVersion: "main" })).doubts).toHaveLength(1);
  });

  it("leaves out a collection whose count is not known: no count is not zero", () => {
    const { collections } = cluster({
      collections: [collection({ objects: null }), collection({ resource: "nodes", objects: 0 })],
    });
    expect(collections.map(({ resource }) => resource)).toEqual(["nodes"]);
  });

  it("estimates sizes that are not known from those that are, and says so", () => {
    const known = cluster({ collections: [collection({ protobufObjectBytes: 3000, storedBytes: null })] });
    expect(known.collections[0]).toMatchObject({ storedBytes: 3_000_000, jsonObjectBytes: 4440 });
    expect(known.assumptions.some((text) => text.includes("from a sample"))).toBe(true);
    const unknown = cluster({ collections: [collection({ storedBytes: null })] });
    expect(unknown.collections[0]?.storedBytes).toBe(5_000_000);
    expect(unknown.assumptions.some((text) => text.startsWith("The size of pods is not known"))).toBe(true);
  });

  it("knows what loses its sizes at a restart: from 1.36 what nobody changes, and what is not cached has none", () => {
    const at = (kubernetesVersion: string, resource: string) =>
      cluster({ kubernetesVersion, collections: [collection({ resource })] }).collections[0];
    expect(at("1.36.3", "services")?.isSizeKnownAfterRestart).toBe(false);
    expect(at("1.36.3", "pods")?.isSizeKnownAfterRestart).toBe(true);
    expect(at("1.34.4", "services")?.isSizeKnownAfterRestart).toBe(true);
    expect(at("1.34.4", "events")?.statistics).toBe("size-unknown");
  });

  it.each([
    ["3.5.12", false],
    ["3.5.13", true],
    ["3.4.31", true],
    ["3.4.30", false],
    ["3.6.0", true],
    [null, true],
  ])("etcd %s answers progress requests: %s", (etcdVersion, expected) => {
    expect(cluster({ etcdVersion }).etcdProgress).toBe(expected);
  });
});

describe("an agent made ready", () => {
  it("runs on every node where its count is not known, unless it is fixed", () => {
    expect(resolve().agent.replicas).toBe(100);
    expect(resolve({ replicas: { kind: "fixed", count: 2 } }).agent.replicas).toBe(2);
    expect(resolve({ replicas: { kind: "unknown" } }).doubts).toHaveLength(1);
    expect(resolveStormAgent({ agent: agent(), cluster: cluster(), replicas: 7 }).agent.replicas).toBe(7);
  });

  it("reads as its library does: page size, resource version, watch-lists, rate, cache timeout", () => {
    expect(resolve().agent.informers[0]).toMatchObject({
      resourceVersion: "0",
      pageSize: 500,
      watchList: false,
    });
    expect(resolve().agent.client).toMatchObject({ qps: 5, burst: 10, cacheSyncTimeoutSeconds: null });
    const runtime = { ...agent().client, library: "controller-runtime" as const, version: "0.23.0" };
    const { client, informers } = resolve({ client: runtime }).agent;
    expect(client).toMatchObject({ clientGoVersion: "0.35", qps: null, cacheSyncTimeoutSeconds: 120 });
    expect(informers[0]?.watchList).toBe(true);
  });

  it("takes the nearest for a client that is not known, and says it", () => {
    const other = { ...agent().client, library: "other" as const, version: "7" };
    expect(resolve({ client: other }).agent.assumptions[0]).toMatch(/is not client-go/);
    const odd = { ...agent().client, version: "latest" };
    expect(resolve({ client: odd }).agent.assumptions[0]).toMatch(/"latest" is no version/);
    const { assumptions } = resolve({ client: { ...agent().client, version: null } }).agent;
    expect(assumptions[0]).toBe("The version of client-go in telemetry is not known: 0.34 is taken.");
  });

  it("is the ServiceAccount of its namespace where nobody said, or the node's own user", () => {
    const unknown = resolve({ userName: null });
    expect(unknown.agent.userName).toBe("system:serviceaccount:observability:telemetry");
    expect(unknown.agent.userGroups).toContain("system:serviceaccounts");
    expect(resolve({ userName: null, kind: "node-client" }).agent).toMatchObject({
      userName: "system:node:*",
      userGroups: ["system:nodes", "system:authenticated"],
    });
  });

  it("knows what a selector by node leaves, and says that it does not know what others leave", () => {
    const own = resolve({ informers: [informer({ scope: "own-node" })] }).agent;
    expect(own.informers[0]).toMatchObject({
      fieldSelector: "spec.nodeName=$(NODE_NAME)",
      matchingObjects: 10,
    });
    const label = resolve({ informers: [informer({ labelSelector: "app=x" })] }).agent;
    expect(label.informers[0]?.matchingObjects).toBeNull();
    expect(label.assumptions[0]).toMatch(/selector of telemetry/);
    const namespace = resolve({ informers: [informer({ scope: "namespace" })] }).agent;
    expect(namespace.informers[0]).toMatchObject({ namespace: "observability", matchingObjects: null });
  });

  it("doubts what it is not known to read, what is only bounded, and what is not counted", () => {
    expect(resolve({ isKnown: false, informers: [] }).doubts).toHaveLength(1);
    const bounded = { ...evidence, grade: "bounded" as const };
    expect(resolve({ informers: [informer({ evidence: bounded })] }).doubts).toHaveLength(1);
    expect(resolve({ informers: [informer({ resource: "secrets" })] }).doubts).toHaveLength(1);
    expect(resolve({ informers: [informer({ resource: "*" })] })).toMatchObject({ agent: { informers: [] } });
  });

  it("and its cluster make a storm, whose result says all assumptions and whose doubts make it inconclusive", () => {
    const { agent: ready, doubts } = resolve({ replicas: { kind: "unknown" } });
    const result = simulateStorm({
      cluster: cluster(),
      agents: [ready],
      scenario: { kind: "start-all", windowSeconds: 2 },
      seed: 1,
      model: DEFAULT_STORM_MODEL,
      patienceSeconds: null,
      stepSeconds: null,
      hasProbes: true,
      doubts,
    });
    expect(result.verdict).toMatchObject({ verdict: "inconclusive", simulated: "invisible" });
    expect(result.assumptions).toEqual([...cluster().assumptions, ...ready.assumptions]);
  });
});
