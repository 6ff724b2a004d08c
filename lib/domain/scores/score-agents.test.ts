import { describe, expect, test } from "vitest";
import { agentsOfManifests, readManifests } from "../agents/index.ts";
import { NOW } from "../agents/testing/agents.ts";
import { clusterFor, sized } from "../agents/testing/facts.ts";
import { type ScoreQuestion, scoreAgents } from "./score-agents.ts";

const daemonSet = (name: string, informers: string | null) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: {
    name,
    namespace: "observability",
    ...(informers === null ? {} : { annotations: { "headroom.dev/informers": informers } }),
  },
  spec: {
    template: {
      spec: {
        serviceAccountName: name,
        containers: [{ name, image: `registry.example.com/observability/${name}:1.0.0` }],
      },
    },
  },
});

const agentsFor = (objects: readonly object[]) =>
  agentsOfManifests(readManifests(objects), { catalogue: [] });

const CLIENT = "client client-go/0.34.1 qps=50 burst=100 gzip=off";
/** 200 nodes with 4,000 pods. */
const SMALL = clusterFor({
  nodes: 200,
  collections: [sized("pods", 4000, 5000, { objectsPerNode: 30 }), sized("nodes", 200, 9100)],
});
/** 3,000 nodes with 90,000 pods on API servers of four cores. */
const LARGE = clusterFor({
  nodes: 3000,
  collections: [sized("pods", 90_000, 5000, { objectsPerNode: 30 }), sized("nodes", 3000, 9100)],
  server: { cores: 4, memoryBytes: 16 * 2 ** 30, linkBytesPerSecond: 1.15e9 },
});

const ask = (over: Partial<ScoreQuestion> & Pick<ScoreQuestion, "agents">) =>
  scoreAgents({ facts: SMALL, scenarios: ["start-all", "first-rollout"], seeds: [1, 2], now: NOW, ...over });

describe("the score of an agent that is not installed yet", () => {
  test("one that reads its own node is invisible on a small cluster", () => {
    const score = ask({
      agents: agentsFor([daemonSet("node-agent", `pods@node protobuf\n${CLIENT}`)]),
      scenarios: ["first-rollout"],
    });
    expect(score.doubts).toEqual([]);
    expect(score.scenarios.map(({ verdict, reasons }) => [verdict, reasons])).toEqual([["invisible", []]]);
    expect(score.verdict).toBe("invisible");
    expect(score.costs[0]?.copies).toBe(200);
  });

  test("one whose every copy lists all pods is unsafe on a large one, and says why", () => {
    const score = ask({
      facts: LARGE,
      agents: agentsFor([daemonSet("node-agent", `pods\n${CLIENT}`)]),
      scenarios: ["start-all"],
      seeds: [1],
    });
    expect(score.verdict).toBe("unsafe");
    expect(score.scenarios[0]?.reasons.length).toBeGreaterThan(0);
    expect(score.costs[0]?.grade).toBe("declared");
  });

  test("nothing known of what it reads carries no verdict", () => {
    const score = ask({ agents: agentsFor([daemonSet("node-agent", null)]), scenarios: ["start-all"] });
    expect(score.verdict).toBe("inconclusive");
    expect(score.doubts.join(" ")).toContain("Nothing is known of what");
  });

  test("a resource whose count is not known carries none either: unknown is not zero", () => {
    const score = ask({
      agents: agentsFor([daemonSet("node-agent", `secrets\n${CLIENT}`)]),
      scenarios: ["start-all"],
      seeds: [1],
    });
    expect(score.verdict).toBe("inconclusive");
    expect(score.doubts.join(" ")).toContain("secrets");
  });

  test("a bound of everything is simulated as what the cluster has, and carries no verdict", () => {
    const score = ask({
      facts: LARGE,
      agents: agentsFor([daemonSet("node-agent", `*\n${CLIENT}`)]),
      scenarios: ["start-all"],
      seeds: [1],
    });
    expect([score.verdict, score.simulated]).toEqual(["inconclusive", "unsafe"]);
    expect(score.doubts.join(" ")).toContain("may read all there is");
  });

  test("facts that are doubted carry none, and the figures still say what they say", () => {
    const score = ask({
      agents: agentsFor([daemonSet("node-agent", `pods@node protobuf\n${CLIENT}`)]),
      scenarios: ["first-rollout"],
      factDoubts: ["The figures are 3 h old."],
    });
    expect([score.verdict, score.simulated, score.doubts]).toEqual([
      "inconclusive",
      "invisible",
      ["The figures are 3 h old."],
    ]);
  });

  test("at another number of nodes copies and collections grow", () => {
    const agents = agentsFor([daemonSet("node-agent", `pods\n${CLIENT}`)]);
    const [now, later] = [
      ask({ agents, scenarios: ["first-rollout"], seeds: [1] }),
      ask({ agents, nodes: 400, scenarios: ["first-rollout"], seeds: [1] }),
    ].map(({ costs: [cost] }) => cost);
    expect([now?.copies, later?.copies]).toEqual([200, 400]);
    expect(later?.total?.receivedObjects.value).toBe(4 * (now?.total?.receivedObjects.value ?? 0));
  });

  test("where the nodes are not known, another number of them is a doubt", () => {
    const score = ask({
      facts: { ...SMALL, nodes: null },
      agents: agentsFor([daemonSet("node-agent", `pods@node protobuf\n${CLIENT}`)]),
      nodes: 400,
      scenarios: ["first-rollout"],
      seeds: [1],
    });
    expect(score.costs[0]?.copies).toBe(400);
    expect(score.verdict).toBe("inconclusive");
    expect(score.doubts.join(" ")).toContain("How many nodes the cluster has now");
  });

  test("agents of one chart are started together", () => {
    const score = ask({
      agents: agentsFor([
        daemonSet("one", `pods@node protobuf\n${CLIENT}`),
        daemonSet("two", `nodes@node protobuf\n${CLIENT}`),
      ]),
      scenarios: ["first-rollout"],
      seeds: [1],
    });
    expect(score.costs.map(({ agentId }) => agentId)).toEqual([
      "daemonset/observability/one",
      "daemonset/observability/two",
    ]);
    expect(score.verdict).toBe("invisible");
  });

  test("equal questions get equal answers", () => {
    const agents = agentsFor([daemonSet("node-agent", `pods\n${CLIENT}`)]);
    const one = () => ask({ agents, scenarios: ["start-all"], seeds: [7] });
    expect(one()).toEqual(one());
  });
});
