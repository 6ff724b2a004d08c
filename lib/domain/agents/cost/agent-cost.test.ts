import { describe, expect, test } from "vitest";
import type { Agent } from "../agent.ts";
import { resolveAgent } from "../resolve-agent.ts";
import { containerFor, workloadFor } from "../testing/agents.ts";
import { clusterFor, collectionFor, sized } from "../testing/facts.ts";
import { costOfAgent } from "./agent-cost.ts";
import { costAtNodes, factsAtNodes } from "./at-nodes.ts";
import type { StartCost } from "./informer-cost.ts";

/** An agent that declares what it reads. */
const agentFor = (informers: string, over: Partial<Agent> = {}): Agent => ({
  ...resolveAgent(workloadFor({ informersAnnotation: informers, containers: [containerFor()] }), {}),
  ...over,
});

const TELEMETRY = agentFor("pods protobuf; namespaces protobuf; client client-go/0.34.1 gzip=off");
const FACTS = clusterFor();
const values = (cost: StartCost | null) =>
  Object.fromEntries(Object.entries(cost ?? {}).map(([name, { value }]) => [name, value]));

describe("what all copies of an agent cost", () => {
  test("worked by hand: pods and namespaces on 2 000 nodes", () => {
    const cost = costOfAgent(TELEMETRY, FACTS);
    // LIST and WATCH of each. 10 seats: 48 000 × 5 000 B is capped at 1 MB. 4 seats: 340 × 1 100 B = 374 kB.
    expect(values(cost.perStart)).toEqual({
      requests: 4,
      seats: 14,
      handledObjects: 48_340,
      handledBytes: 240_374_000,
      receivedObjects: 48_340,
      receivedBytes: 240_374_000,
      wireBytes: 240_374_000,
    });
    expect(values(cost.total)).toMatchObject({ seats: 28_000, wireBytes: 480_748_000_000, requests: 8000 });
    expect(cost.linkSeconds).toBeCloseTo(480_748_000_000 / (3 * 1.15e9), 6);
    expect(cost.levels).toMatchObject([
      {
        flowSchemaName: "service-accounts",
        priorityLevelName: "workload-low",
        isOneFlow: true,
        capacity: { idleSeats: 56, nominalSeats: 245, ceilingSeats: 368, maxRequestSeats: 37 },
      },
    ]);
    expect(cost.levels[0]?.ofIdleRatio).toBeCloseTo(28_000 / 168, 9);
    expect(cost.levels[0]?.ofNominalRatio).toBeCloseTo(28_000 / 735, 9);
    expect(cost.levels[0]?.ofCeilingRatio).toBeCloseTo(28_000 / 1104, 9);
    expect([cost.grade, cost.unknown]).toEqual(["declared", []]);
  });

  test("copies × per start is the total, from unrounded figures", () => {
    const odd = clusterFor({ collections: [sized("pods", 1237, 3333.3), sized("namespaces", 7, 777.7)] });
    const cost = costOfAgent({ ...TELEMETRY, replicas: { kind: "per-node", count: 1999 } }, odd);
    for (const field of ["requests", "seats", "handledBytes", "wireBytes"] as const) {
      expect(cost.total?.[field].value).toBe((cost.perStart[field].value ?? 0) * 1999);
    }
  });

  test("of its own node's pods an index is read and one node's are sent; the price in seats stays", () => {
    const cost = costOfAgent(agentFor("pods@node protobuf"), FACTS);
    // 48 000 ÷ 2 000 = 24 pods.
    expect(values(cost.perStart)).toMatchObject({ seats: 10, handledObjects: 24, wireBytes: 120_000 });
    expect(cost.assumptions).toContain("pods: the mean of all nodes is taken for what one node has.");
    const busiest = clusterFor({ collections: [sized("pods", 48_000, 5000, { objectsPerNode: 110 })] });
    expect(costOfAgent(agentFor("pods@node protobuf"), busiest).perStart.receivedObjects.value).toBe(110);
  });

  test("its own node by name is one object for 1 seat", () => {
    expect(values(costOfAgent(agentFor("nodes@node protobuf"), FACTS).perStart)).toMatchObject({
      seats: 1,
      handledObjects: 1,
      wireBytes: 9100,
    });
  });

  test.each([
    ["protobuf", 5000],
    ["json", 7400],
    ["metadata-protobuf", 2700],
  ])("where forms were not sampled %s pods of 5 000 stored bytes are taken for %i", (form, bytes) => {
    const cost = costOfAgent(agentFor(`pods ${form}; client client-go/0.34.1 gzip=off`), FACTS);
    expect(cost.perStart.wireBytes.value).toBeCloseTo(48_000 * bytes, 3);
    expect(cost.assumptions.filter((each) => each.startsWith("pods:"))).toHaveLength(1);
  });

  test("a sampled form counts, and nothing is assumed; a form not known is JSON, and is said", () => {
    const sampled = clusterFor({ collections: [sized("pods", 100, 5000, { jsonObjectBytes: 8000 })] });
    const json = costOfAgent(agentFor("pods json; client client-go/0.34.1 gzip=off"), sampled);
    expect(json.perStart.wireBytes.value).toBe(800_000);
    expect(json.assumptions.filter((each) => each.startsWith("pods:"))).toEqual([]);
    expect(costOfAgent(agentFor("pods"), clusterFor()).assumptions).toContain(
      "pods: the form asked for is not known: JSON.",
    );
  });

  test("custom resources come as JSON, whatever is asked for", () => {
    const facts = clusterFor({ collections: [sized("ciliumnodes.cilium.io", 2000, 3000)] });
    const cost = costOfAgent(
      agentFor("ciliumnodes.cilium.io protobuf; client client-go/0.34.1 gzip=off"),
      facts,
    );
    expect(cost.perStart.wireBytes.value).toBe(6_000_000);
  });

  test("compressed where the ratio is known; else counted in full as an upper bound; never where it is small", () => {
    const facts = (gzipRatio: number | null) =>
      clusterFor({
        collections: [sized("pods", 48_000, 5000, { gzipRatio }), sized("namespaces", 10, 1000)],
      });
    const wire = (ratio: number | null) =>
      costOfAgent(agentFor("pods protobuf; namespaces protobuf; client client-go/0.34.1"), facts(ratio))
        .perStart.wireBytes;
    expect(wire(0.125)).toEqual({ value: 30_000_000 + 10_000, isComplete: true, isUpperBound: false });
    expect(wire(null)).toEqual({ value: 240_010_000, isComplete: true, isUpperBound: true });
    const watchList = "pods protobuf; client client-go/0.35.0";
    const on = (version: string) =>
      costOfAgent(agentFor(watchList), { ...facts(0.125), kubernetesVersion: version }).perStart.wireBytes
        .value;
    expect([on("1.36.1"), on("1.37.0")]).toEqual([240_000_000, 30_000_000]);
  });

  test("what is not known is no zero: the sum is a lower bound and says what it lacks", () => {
    const facts = clusterFor({ collections: [sized("namespaces", 340, 1100), collectionFor("nodes")] });
    const cost = costOfAgent(agentFor("pods protobuf; namespaces protobuf; nodes protobuf"), facts);
    expect(cost.perStart.seats).toEqual({ value: 1 + 4 + 1, isComplete: false, isUpperBound: false });
    expect(cost.perStart.wireBytes).toMatchObject({ value: 374_000, isComplete: false });
    expect(cost.unknown).toEqual([
      "nodes: how many there are",
      "nodes: how large an object is",
      "pods: how many there are, and how large",
    ]);
    const unread = costOfAgent(resolveAgent(workloadFor(), {}), FACTS);
    expect([unread.isKnown, unread.unknown, unread.grade]).toEqual([false, ["what it reads"], null]);
  });

  test("a collection that is known to be empty costs its seat and no bytes", () => {
    const facts = clusterFor({ collections: [collectionFor("pods", { objects: 0, storedBytes: 0 })] });
    const cost = costOfAgent(agentFor("pods protobuf"), facts);
    expect(cost.perStart.seats).toEqual({ value: 1, isComplete: true, isUpperBound: false });
    expect(cost.perStart.wireBytes).toEqual({ value: 0, isComplete: true, isUpperBound: false });
    expect(cost.unknown).toEqual([]);
  });

  test("objects of unknown size are priced as an API server prices them, as an upper bound", () => {
    const facts = clusterFor({ collections: [collectionFor("pods", { objects: 5 })] });
    const cost = costOfAgent(agentFor("pods protobuf"), facts);
    expect(cost.perStart.seats).toEqual({ value: 10, isComplete: true, isUpperBound: true });
    expect(cost.unknown).toContain("pods: how large an object is");
    // Counted, not weighed, up to 1.33.
    const old = costOfAgent(agentFor("pods protobuf"), { ...facts, kubernetesVersion: "1.33.1" });
    expect(old.perStart.seats).toEqual({ value: 1, isComplete: true, isUpperBound: false });
  });

  test("copies: of a DaemonSet without a count one per node, said; not known stays not known", () => {
    const perNode = costOfAgent({ ...TELEMETRY, replicas: { kind: "per-node", count: null } }, FACTS);
    expect(perNode.copies).toBe(2000);
    expect(perNode.assumptions).toContain("One copy on every node is assumed.");
    const unknown = costOfAgent({ ...TELEMETRY, replicas: { kind: "unknown" } }, FACTS);
    expect([unknown.copies, unknown.total, unknown.levels, unknown.steady]).toEqual([null, null, [], null]);
    expect(unknown.unknown).toEqual(["how many copies run"]);
    const noNodes = costOfAgent(
      { ...TELEMETRY, replicas: { kind: "per-node", count: null } },
      clusterFor({ nodes: null }),
    );
    expect(noNodes.total).toBeNull();
    const none = costOfAgent({ ...TELEMETRY, replicas: { kind: "fixed", count: 0 } }, FACTS);
    expect(none.total?.seats.value).toBe(0);
  });

  test("an agent that only its leader reads for costs one copy", () => {
    const leader = agentFor("pods leader", { replicas: { kind: "fixed", count: 3 } });
    expect(costOfAgent(leader, FACTS)).toMatchObject({
      copies: 1,
      assumptions: expect.arrayContaining(["Only the leader of 3 copies reads anything."]) as string[],
    });
    const mixed = agentFor("pods leader; nodes", { replicas: { kind: "fixed", count: 3 } });
    expect(costOfAgent(mixed, FACTS).copies).toBe(3);
  });

  test("kubelets: a flow of their own each, at two levels", () => {
    const kubelet = agentFor("pods@node protobuf; nodes@node protobuf; services protobuf", {
      userName: "system:node:*",
      userGroups: ["system:nodes", "system:authenticated"],
    });
    const { levels } = costOfAgent(kubelet, FACTS);
    // Pods 500 × 5 000 B, capped at 1 MB: 10; services 500 × 1 300 B: 7, since the limit is priced and then passed over.
    expect(
      levels.map(({ priorityLevelName, isOneFlow, seatsAsked }) => [
        priorityLevelName,
        isOneFlow,
        seatsAsked.value,
      ]),
    ).toEqual([
      ["system", false, 34_000],
      ["node-high", false, 2000],
    ]);
  });

  test("ServiceAccounts of kube-system fall to workload-high, users that are not known to global-default", () => {
    const levelOf = (over: Partial<Agent>) =>
      costOfAgent({ ...TELEMETRY, ...over }, FACTS).levels[0]?.priorityLevelName;
    expect(levelOf({ userName: "system:serviceaccount:kube-system:x", userGroups: [] })).toBe(
      "workload-high",
    );
    expect(levelOf({ userName: null, userGroups: [] })).toBe("global-default");
  });

  test("the exempt level has no limit to be a share of", () => {
    const admin = { ...TELEMETRY, userName: "admin", userGroups: ["system:masters"] };
    expect(costOfAgent(admin, FACTS).levels).toMatchObject([
      { priorityLevelName: "exempt", ofIdleRatio: null, ofNominalRatio: null, ofCeilingRatio: null },
    ]);
  });

  test("pages: a consistent LIST of 500 each, one after another, as wide as the widest", () => {
    const paged = agentFor("pods list limit=500 rv=latest protobuf; client other");
    const { perStart, informers } = costOfAgent(
      paged,
      clusterFor({ collections: [sized("pods", 1200, 5000)] }),
    );
    // The first is priced from cache, capped at 1 MB: 10; the others as from etcd: 500 × 5 000 B, 25.
    expect(informers[0]?.requests.map(({ kind, count, seats }) => [kind, count.value, seats.value])).toEqual([
      ["list", 1, 10],
      ["page", 2, 25],
    ]);
    expect(values(perStart)).toMatchObject({
      requests: 3,
      seats: 25,
      receivedObjects: 1200,
      wireBytes: 6_000_000,
    });
  });

  test("client-go asks for pages of 500 at version 0 and gets everything at once", () => {
    const { requests } = costOfAgent(TELEMETRY, FACTS).informers[0] ?? { requests: [] };
    expect(requests.map(({ kind, request, source }) => [kind, request, source])).toEqual([
      ["list", "/api/v1/namespaces?limit=500&resourceVersion=0", "cache"],
      [
        "watch",
        "/api/v1/namespaces?allowWatchBookmarks=true&resourceVersion=100&timeoutSeconds=450&watch=true",
        null,
      ],
    ]);
  });

  test("WatchList: one request that loads; against a server without it one refused, one LIST, one WATCH", () => {
    const kinds = (version: string) =>
      costOfAgent(
        agentFor("pods; client client-go/0.35.0"),
        clusterFor({ kubernetesVersion: version }),
      ).informers[0]?.requests.map(({ kind, seats }) => [kind, seats.value]);
    expect(kinds("1.36.0")).toEqual([["watch-list", 10]]);
    expect(kinds("1.33.0")).toEqual([
      ["refused", 1],
      ["list", 10],
      ["watch", 1],
    ]);
  });

  test("one GET for each pod of the node", () => {
    const cost = costOfAgent(agentFor("pods@node get json; client other"), FACTS);
    expect(values(cost.perStart)).toMatchObject({ requests: 24, seats: 1, receivedObjects: 24 });
  });

  test("a bound of everything is what the cluster has, an upper bound by its grade; of nothing known it is unknown", () => {
    const rbac = {
      grants: [{ apiGroup: "*", resource: "*", namespace: null, mayList: true, mayWatch: true }],
      through: ["ClusterRole cluster-admin"],
      unknownRoles: [],
    };
    const bound = resolveAgent(workloadFor(), { rbac });
    const cost = costOfAgent(bound, FACTS);
    expect(cost.informers).toHaveLength(5);
    expect(cost.grade).toBe("bounded");
    expect(costOfAgent(bound, clusterFor({ collections: [] })).unknown).toEqual([
      "what * of * stands for here",
    ]);
  });

  test("a cluster of which nothing is known is priced by stated defaults, all of them said", () => {
    const bare = clusterFor({
      kubernetesVersion: null,
      apiServers: null,
      totalConcurrencySeats: null,
      server: { cores: null, memoryBytes: null, linkBytesPerSecond: null },
    });
    const cost = costOfAgent(TELEMETRY, bare);
    expect(cost.linkSeconds).toBeNull();
    expect(cost.memory?.peakRatio).toBeNull();
    expect(cost.assumptions).toEqual([
      "The version of the cluster is not known: the rules of 1.37 are taken.",
      "Seats of an API server are not known: the default of 600 is taken.",
      "FlowSchemas and priority levels are not known: those that the version creates are taken.",
      "The number of API servers is not known: one is taken.",
      "namespaces: protobuf is taken for as large as what is stored.",
      "pods: protobuf is taken for as large as what is stored.",
    ]);
    expect(costOfAgent(TELEMETRY, clusterFor({ kubernetesVersion: "newest" })).assumptions[0]).toContain(
      "not known",
    );
  });

  test("memory: as many LISTs at once as the seats allow, by what each allocates", () => {
    const { memory } = costOfAgent(TELEMETRY, FACTS);
    // 3.4 KB per object and 1.3 B per byte; 368 ÷ 14 starts at once on each server.
    const allocated = 48_340 * 3400 + 240_374_000 * 1.3;
    expect(memory?.allocatedBytesPerStart).toBeCloseTo(allocated, 0);
    expect(memory?.mostExecuting).toBeCloseTo(368 / 14, 9);
    expect(memory?.peakBytesHigh).toBeCloseTo((0.9 * allocated * 368) / 14, -2);
    expect(memory?.peakRatio).toBeCloseTo((0.9 * allocated * 368) / 14 / (64 * 2 ** 30), 6);
  });
});

describe("what all copies cost in steady state", () => {
  test("watches are opened anew every 450 s, on average; polls and relists by their period", () => {
    const { steady } = costOfAgent(
      agentFor("pods@node protobuf; nodes poll=60s protobuf; services relist=10m protobuf"),
      FACTS,
    );
    expect(steady?.openWatches.value).toBe(4000);
    expect(steady?.watchRenewalsPerSecond.value).toBeCloseTo(4000 / 450, 9);
    expect(steady?.listsPerSecond.value).toBeCloseTo(2000 / 60 + 2000 / 600, 9);
    expect(steady?.listBytesPerSecond.value).toBeCloseTo(
      (2000 / 60) * 2000 * 9100 + (2000 / 600) * 3900 * 1300,
      3,
    );
  });

  test("a change reaches every watch of the whole cluster, and one of those by node", () => {
    const facts = clusterFor({
      collections: [
        sized("pods", 48_000, 5000, { changesPerSecond: 20 }),
        sized("nodes", 2000, 9100, { changesPerSecond: 7 }),
      ],
    });
    const all = costOfAgent(agentFor("pods protobuf"), facts).steady;
    expect([all?.eventsPerSecond.value, all?.eventBytesPerSecond.value]).toEqual([40_000, 200_000_000]);
    const own = costOfAgent(agentFor("pods@node protobuf; nodes@node protobuf"), facts).steady;
    expect(own?.eventsPerSecond.value).toBe(27);
    const unknown = costOfAgent(agentFor("services"), FACTS).steady;
    expect(unknown?.eventsPerSecond.isComplete).toBe(false);
    expect(unknown?.unknown).toEqual(["services: how often it changes"]);
  });

  test("watches widen writes: 2 000 over 3 servers are 667 each, 67 seats of 5 ms, capped at 10 for 33.5 ms", () => {
    const facts = clusterFor({ collections: [sized("pods", 48_000, 5000, { changesPerSecond: 30 })] });
    const { steady } = costOfAgent(agentFor("pods"), facts);
    expect(steady?.widenedWrites).toMatchObject([
      { subject: "pods", watchersPerServer: 2000 / 3, finalSeats: 10, additionalLatencyMs: 33.5 },
    ]);
    // 10 writes a second on each server hold 0.335 seat-seconds each.
    expect(steady?.widenedWrites[0]?.meanSeats).toBeCloseTo(3.35, 9);
  });

  test("watches of pods by node, of one object, and fewer than ten widen nothing", () => {
    const wide = (informers: string, count = 2000) =>
      costOfAgent(agentFor(informers, { replicas: { kind: "fixed", count } }), FACTS).steady?.widenedWrites
        .length;
    expect(wide("pods@node")).toBe(0);
    expect(wide("nodes@node")).toBe(0);
    expect(wide("configmaps@object=kube-system/x")).toBe(0);
    expect(wide("services", 27)).toBe(0);
    expect(wide("services", 30)).toBe(1);
  });

  test("a poll without a period is not known", () => {
    const agent = agentFor("pods poll=1s");
    const unknown = {
      ...agent,
      informers: agent.informers.map((each) => ({ ...each, periodSeconds: null })),
    };
    const { steady } = costOfAgent(unknown, FACTS);
    expect(steady?.listsPerSecond.isComplete).toBe(false);
    expect(steady?.unknown).toContain("pods: how often it is polled");
  });
});

describe("at another number of nodes", () => {
  test("cost grows with the square of the nodes where every copy lists every pod", () => {
    const bytes = (nodes: number) => costAtNodes(TELEMETRY, FACTS, nodes)?.total?.wireBytes.value ?? 0;
    const pods = (nodes: number) => nodes * 24 * 5000 * nodes;
    // Namespaces stay as they are: 374 kB for each copy.
    for (const nodes of [1, 500, 2000, 4000])
      expect(bytes(nodes)).toBeCloseTo(pods(nodes) + nodes * 374_000, 0);
    expect(costAtNodes(TELEMETRY, FACTS, 2000)).toEqual(costOfAgent(TELEMETRY, FACTS));
  });

  test("a DaemonSet on part of the nodes keeps its share; a Deployment keeps its number", () => {
    const part = { ...TELEMETRY, replicas: { kind: "per-node" as const, count: 500 } };
    expect(costAtNodes(part, FACTS, 4000)?.copies).toBe(1000);
    const fixed = { ...TELEMETRY, replicas: { kind: "fixed" as const, count: 3 } };
    expect(costAtNodes(fixed, FACTS, 4000)?.copies).toBe(3);
  });

  test("measured growth comes before the stated one; bytes per object stay", () => {
    const facts = clusterFor({
      collections: [sized("services", 100, 1000, { nodeElasticity: 0.5, changesPerSecond: 2 })],
    });
    const [services] = factsAtNodes(facts, 8000)?.collections ?? [];
    expect(services).toMatchObject({ objects: 200, storedBytes: 200_000, changesPerSecond: 4 });
  });

  test("without a number of nodes now nothing can be said; a negative one is refused", () => {
    expect(costAtNodes(TELEMETRY, clusterFor({ nodes: null }), 10)).toBeNull();
    expect(costAtNodes(TELEMETRY, clusterFor({ nodes: 0 }), 10)).toBeNull();
    expect(() => costAtNodes(TELEMETRY, FACTS, -1)).toThrow(RangeError);
    expect(() => costAtNodes(TELEMETRY, FACTS, Number.NaN)).toThrow(RangeError);
    expect(costAtNodes(TELEMETRY, FACTS, 0)?.total?.wireBytes.value).toBe(0);
  });
});
