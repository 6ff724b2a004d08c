import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeCluster, startFakeCluster } from "../collector/test-support/fake-cluster.ts";
import { AgentsReportSchema, AgentsScoreReportSchema } from "../contracts/agents-report.ts";
import { headroom } from "./test-support/headroom.ts";

const CATALOGUE = fileURLToPath(
  new URL("../../public/schemas/agent-catalogue.example.yaml", import.meta.url),
);
const FACTS = `name: prod-us-east
kubernetesVersion: 1.34.2
etcdVersion: 3.6.5
apiServers: 3
nodes: 2000
objects: { pods: 48000, nodes: 2000 }
bytes: { pods: 240000000, nodes: 18200000 }
objectsPerNode: { pods: 40 }
seats: 600
server: { cores: 16, memoryBytes: 68719476736, linkBytesPerSecond: 1150000000 }
`;
const AGENT = `apiVersion: headroom.dev/v1
kind: Agent
metadata: { name: reader, namespace: lab }
spec: { kind: DaemonSet, informers: ["pods@node protobuf"], client: client-go/0.34.1 qps=50 burst=100 gzip=off }
`;
const GREEDY = AGENT.replace("pods@node protobuf", "pods").replace("reader", "greedy");
const CHART = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: shipper, namespace: logs }
spec:
  template:
    spec:
      serviceAccountName: shipper
      containers: [{ name: fluent-bit, image: "cr.fluentbit.io/fluent/fluent-bit:4.0.3" }]
`;

const folder = mkdtempSync(path.join(tmpdir(), "headroom-agents-"));
const CLUSTER = path.join(folder, "cluster.yaml");
const file = (name: string, content: string) => {
  const written = path.join(folder, name);
  writeFileSync(written, content);
  return written;
};
beforeAll(() => writeFileSync(CLUSTER, FACTS));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function list(args: readonly string[], input = "") {
  const { code, out, err } = await headroom(["agents", "list", "--output", "json", ...args], input);
  return { code, err, report: out === "" ? null : AgentsReportSchema.parse(JSON.parse(out)) };
}

async function score(args: readonly string[], input = "") {
  const { code, out, err } = await headroom(
    ["agents", "score", "--output", "json", "--seeds", "1", ...args],
    input,
  );
  return { code, err, report: out === "" ? null : AgentsScoreReportSchema.parse(JSON.parse(out)) };
}

describe("headroom agents list", () => {
  test("manifests on facts given by hand: copies, evidence and the product of the two", async () => {
    const { code, report } = await list(["-", "--cluster", CLUSTER], `${AGENT}---\n${GREEDY}---\n${CHART}`);
    expect(code).toBe(0);
    const [cluster] = report?.clusters ?? [];
    expect(cluster).toMatchObject({ name: "prod-us-east", nodes: 2000, apiServers: 3 });
    expect(cluster?.agents.map(({ agent, cost }) => [agent.id, cost.copies, cost.grade])).toEqual([
      ["daemonset/lab/greedy", 2000, "declared"],
      ["daemonset/lab/reader", 2000, "declared"],
      ["daemonset/logs/shipper", 2000, "catalogued"],
    ]);
    for (const { cost } of cluster?.agents ?? []) {
      expect(cost.total?.seats.value).toBe(2000 * cost.perStart.seats.value);
      expect(cost.total?.wireBytes.value).toBe(2000 * cost.perStart.wireBytes.value);
    }
  });

  test("without a cluster what depends on one is not known, and not zero", async () => {
    const { out, code } = await headroom(["agents", "list", "-"], GREEDY);
    expect(code).toBe(0);
    expect(out).toContain("No cluster was named");
    expect(out).toMatch(/^daemonset\/lab\/greedy +\? +1 +≥ 1 +\? +\? +\? +declared$/m);
  });

  test("entries of one's own take part, and a faulty file is named with its place", async () => {
    const own = file("own.yaml", "- id: x\n");
    const config = file("headroom.yaml", `agents: { catalogue: [${CATALOGUE}] }\n`);
    const image = "registry.example.com/observability/node-telemetry:2.6.3";
    const chart = CHART.replace("cr.fluentbit.io/fluent/fluent-bit:4.0.3", image);
    const good = await list(["-", "--cluster", CLUSTER, "--config", config], chart);
    expect(good.report?.clusters[0]?.agents[0]?.agent.catalogueIds).toEqual(["node-telemetry"]);
    const bad = await list(
      ["-", "--cluster", CLUSTER, "--config", file("bad.yaml", "agents: { catalogue: [own.yaml] }\n")],
      chart,
    );
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining(`${own}:1:3: [0].title: expected`)]);
    expect(bad.report?.clusters[0]?.agents).toHaveLength(1);
  });
});

describe("headroom agents show", () => {
  test("one agent by the end of its id: reads, costs, queues, other numbers of nodes", async () => {
    const { code, out } = await headroom(
      ["agents", "show", "greedy", "-", "--cluster", CLUSTER, "--nodes", "4000"],
      `${AGENT}---\n${GREEDY}`,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^daemonset\/lab\/greedy {2}on every node, system:serviceaccount:lab:default/m);
    expect(out).toContain("pods  declared, agent.yaml");
    expect(out).toMatch(/^ +objects received +48,000 +96,000,000$/m);
    expect(out).toContain("workload-low");
    expect(out).toMatch(/^ {4}4,000 nodes: /m);
    expect(out).not.toContain("daemonset/lab/reader");
  });

  test("no agent of that name is wrong usage", async () => {
    const { code, err } = await headroom(["agents", "show", "nobody", "-", "--cluster", CLUSTER], AGENT);
    expect([code, err]).toEqual([2, expect.stringContaining("No agent is named nobody")]);
  });
});

describe("headroom agents score", () => {
  test("0 for an agent of its own node, 1 for one whose every copy lists all pods", async () => {
    const fine = await score(["-", "--cluster", CLUSTER, "--scenario", "first-rollout"], AGENT);
    expect([fine.code, fine.report?.verdict]).toEqual([0, "invisible"]);
    const unsafe = await score(["-", "--cluster", CLUSTER, "--scenario", "start-all"], GREEDY);
    expect([unsafe.code, unsafe.report?.verdict]).toEqual([1, "unsafe"]);
    expect(unsafe.report?.clusters[0]?.scores[0]?.score.scenarios[0]?.reasons.length).toBeGreaterThan(0);
    const never = await score(
      ["-", "--cluster", CLUSTER, "--scenario", "start-all", "--fail-on", "never"],
      GREEDY,
    );
    expect(never.code).toBe(0);
  });

  test("several clusters each have their verdict, the worst counts; text says why", async () => {
    const small = file(
      "small.yaml",
      "name: lab\nkubernetesVersion: 1.34.2\nnodes: 3\nobjects: { pods: 60 }\n",
    );
    const { code, report } = await score(
      ["-", "--cluster", CLUSTER, "--cluster", small, "--scenario", "start-all"],
      GREEDY,
    );
    expect(code).toBe(1);
    expect(report?.clusters.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["prod-us-east", "unsafe"],
      ["lab", "invisible"],
    ]);
    const { out } = await headroom(
      ["agents", "score", "-", "--cluster", small, "--seeds", "2", "--scenario", "start-all"],
      GREEDY,
    );
    expect(out).toMatch(/^invisible {2}lab {2}1\.34\.2, 3 nodes/);
    expect(out).toContain("Simulated, 2 seeds from 1");
  });

  test("what is not known is inconclusive: a warning, and an error where the figures say unsafe", async () => {
    const unknown = CHART.replace("cr.fluentbit.io/fluent/fluent-bit", "registry.example.com/none/such");
    const args = ["-", "--cluster", CLUSTER, "--scenario", "start-all"];
    const { code, report } = await score(args, unknown);
    expect([code, report?.verdict]).toEqual([0, "inconclusive"]);
    expect(report?.clusters[0]?.scores[0]?.score.doubts.join(" ")).toContain("Nothing is known");
    expect((await score([...args, "--fail-on", "warning"], unknown)).code).toBe(1);
  });

  test("at several numbers of nodes, and several agents by themselves and together", async () => {
    const { report } = await score(
      ["-", "--cluster", CLUSTER, "--scenario", "first-rollout", "--nodes", "10", "--nodes", "20"],
      `${AGENT}---\n${AGENT.replace("reader", "other")}`,
    );
    expect(report?.clusters[0]?.scores.map(({ nodes, agents }) => [nodes, agents.length])).toEqual([
      [10, 1],
      [10, 1],
      [10, 2],
      [20, 1],
      [20, 1],
      [20, 2],
    ]);
  });

  test("the same question prints the same answer", async () => {
    const args = ["agents", "score", "-", "--cluster", CLUSTER, "--output", "json", "--seeds", "1"];
    const [one, two] = await Promise.all([headroom(args, AGENT), headroom(args, AGENT)]);
    expect(one).toEqual(two);
  });

  test.each<[string, readonly string[], string, RegExp]>([
    ["no cluster", ["-"], AGENT, /No cluster to score on/],
    [
      "no agent in the input",
      ["-", "--cluster", CLUSTER],
      "kind: Service\napiVersion: v1\nmetadata: {name: a}\n",
      /No agent was found/,
    ],
    [
      "an agent that is faulty",
      ["-", "--cluster", CLUSTER],
      AGENT.replace("pods@node", "pods@host"),
      /-:1: Agent reader: spec\.informers\[0\]: expected /,
    ],
    [
      "a cluster file that is not there",
      ["-", "--cluster", "/nowhere.yaml"],
      AGENT,
      /\/nowhere\.yaml: expected a file; it is gone/,
    ],
    ["a cluster without a store", ["-", "--cluster", "prod"], AGENT, /There is no store/],
    [
      "an unknown scenario",
      ["-", "--cluster", CLUSTER, "--scenario", "none"],
      AGENT,
      /expected start-all or first-rollout/,
    ],
    [
      "a kubeconfig without a context",
      ["-", "--kubeconfig", "x"],
      AGENT,
      /--kubeconfig: only with --context/,
    ],
    [
      "learned agents that are none",
      ["-", "--cluster", CLUSTER, "--learned", CLUSTER],
      AGENT,
      /expected what headroom agents learn --output json writes/,
    ],
  ])("2 for %s", async (_, args, input, message) => {
    const config = file("empty.yaml", `store: { url: "file:${folder}/none.db" }\n`);
    const { code, err } = await headroom(["agents", "score", ...args, "--config", config], input);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("agents learned from an audit log", () => {
  const event = (resource: string, at: string) =>
    JSON.stringify({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: `${resource}-${at}`,
      stage: "ResponseComplete",
      requestURI: `/api/v1/${resource}?limit=500&resourceVersion=0`,
      verb: "list",
      user: { username: "system:serviceaccount:logs:shipper", groups: ["system:serviceaccounts"] },
      sourceIPs: ["10.0.0.1"],
      userAgent: "shipper/v1.0 (linux/amd64) kubernetes/abc",
      objectRef: { resource, apiVersion: "v1" },
      responseStatus: { code: 200 },
      requestReceivedTimestamp: at,
      stageTimestamp: at,
    });

  test("count before the catalogue, and what both say differently is shown", async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString().replace("Z", "000Z");
    const learned = await headroom(
      ["agents", "learn", "--audit", "-", "--output", "json"],
      `${event("pods", at)}\n`,
    );
    expect(learned.code).toBe(0);
    const { report } = await list(
      ["-", "--cluster", CLUSTER, "--learned", file("learned.json", learned.out)],
      CHART,
    );
    const [shipper] = report?.clusters[0]?.agents ?? [];
    const measured = shipper?.agent.informers.filter(({ evidence }) => evidence.grade === "measured");
    expect(measured?.map(({ resource, scope }) => [resource, scope])).toEqual([["pods", "cluster"]]);
  });
});

describe("a cluster that is read", () => {
  let cluster: FakeCluster;
  let config: string;
  beforeAll(async () => {
    cluster = await startFakeCluster({
      scenario: { nodes: 20, servers: 1, kubernetesVersion: "1.34.2" },
      limits: { requestsPerMinute: 100_000 },
    });
    config = file("store.yaml", `store: { url: "file:${folder}/headroom.db" }\n`);
  });
  afterAll(async () => cluster[Symbol.asyncDispose]());

  const context = () => ["--context", cluster.server.scenario.name, "--kubeconfig", cluster.kubeconfigPath];

  test("now: its kubelets and workloads, from the store afterwards the same", async () => {
    const now = await list(context());
    expect([now.code, now.err]).toEqual([0, ""]);
    const ids = now.report?.clusters[0]?.agents.map(({ agent }) => agent.id) ?? [];
    expect(ids).toContain("client/kubelet");
    expect(ids.length).toBeGreaterThan(1);
    const empty = await headroom(["agents", "list", "--config", config]);
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining("There is no store")]);
    await headroom([
      "collect",
      "--once",
      "--store",
      "--config",
      config,
      "--kubeconfig",
      cluster.kubeconfigPath,
    ]);
    const stored = await list(["--config", config]);
    expect(stored.code).toBe(0);
    expect(stored.report?.clusters[0]).toMatchObject({ name: cluster.server.scenario.name, source: "store" });
    expect(stored.report?.clusters[0]?.agents.map(({ agent }) => agent.id).sort()).toEqual([...ids].sort());
    const unknown = await headroom(["agents", "list", "--cluster", "nobody", "--config", config]);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining("No cluster of the store is named nobody"),
    ]);
    const scored = await score(["-", "--config", config, "--scenario", "first-rollout"], AGENT);
    expect(scored.report?.clusters.map(({ source }) => source)).toEqual(["store"]);
  });

  test("3 where it was read only in part: what was read is answered, and no verdict rests on it", async () => {
    cluster.server.faults.add({ fault: { kind: "status", code: 403 }, path: /daemonsets/ });
    try {
      const { code, report, err } = await score(["-", ...context(), "--scenario", "first-rollout"], AGENT);
      expect([code, report?.verdict]).toEqual([3, "inconclusive"]);
      expect(report?.notRead.map(({ part }) => part)).toContain("inventory");
      expect(err).toContain("inventory");
    } finally {
      cluster.server.faults.clear();
    }
  });
});
