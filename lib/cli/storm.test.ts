import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StormReportSchema } from "../contracts/storm-report.ts";
import { STORM_EXAMPLES } from "./register/storm.ts";
import { headroom } from "./test-support/headroom.ts";

const EXAMPLES = fileURLToPath(new URL("../../public/schemas/examples/", import.meta.url));
const SMALL = `name: lab
kubernetesVersion: 1.34.2
apiServers: 1
nodes: 8
objects: { pods: 120, nodes: 8 }
bytes: { pods: 600000, nodes: 70000 }
server: { cores: 4, memoryBytes: 8589934592, linkBytesPerSecond: 1000000000 }
seats: 600
`;
const LARGE = SMALL.replace("name: lab", "name: large")
  .replace("nodes: 8\n", "nodes: 300\n")
  .replace("pods: 120", "pods: 12000")
  .replace("pods: 600000", "pods: 60000000");
const AGENT = `apiVersion: headroom.dev/v1
kind: Agent
metadata: { name: greedy, namespace: lab }
spec: { kind: DaemonSet, informers: ["pods protobuf"], client: client-go/0.34.1 qps=50 burst=100 gzip=off }
`;

let folder: string;
const file = (name: string, content: string) => {
  const written = path.join(folder, name);
  writeFileSync(written, content);
  return written;
};
let small: string;
let large: string;
let agent: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-storm-"));
  small = file("small.yaml", SMALL);
  large = file("large.yaml", LARGE);
  agent = file("agent.yaml", AGENT);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function storm(args: readonly string[], input = "") {
  const { code, out, err } = await headroom(["storm", "--output", "json", "--seeds", "2", ...args], input);
  return { code, err, report: out === "" ? null : StormReportSchema.parse(JSON.parse(out)) };
}

describe("headroom storm", () => {
  test("a small cluster rolls normally, a large one is unsafe; the worst counts", async () => {
    const { code, report } = await storm([agent, "--cluster", small, "--cluster", large]);
    expect(code).toBe(1);
    expect(report?.verdict).toBe("unsafe");
    const [lab, big] = report?.clusters ?? [];
    expect([lab?.verdict, lab?.reasons, lab?.agents]).toEqual([
      "invisible",
      [],
      [{ id: "daemonset/lab/greedy", name: "greedy", copies: 8 }],
    ]);
    expect(lab?.rollNormally).toMatch(/^Roll normally: .*limit 1 s/);
    expect([big?.verdict, big?.rollNormally, big?.seeds]).toEqual(["unsafe", null, [1, 2]]);
    expect(big?.figures?.drainSeconds?.seeds).toBe(2);
    expect(big?.start?.seats).toBe(3000);
  });

  test("the same seeds give the same bytes", async () => {
    const args = ["storm", agent, "--cluster", large, "--output", "json", "--seeds", "1"];
    const [once, twice] = await Promise.all([headroom(args), headroom(args)]);
    expect(once.out).toBe(twice.out);
  });

  test("remedies are applied in order, compared, and ranked", async () => {
    const { report, code } = await storm([
      agent,
      "--cluster",
      large,
      "--remedy",
      "node-selector",
      "--seeds",
      "1",
    ]);
    expect([code, report?.verdict, report?.remedies]).toEqual([0, "invisible", ["node-selector"]]);
    const compared = await storm([agent, "--cluster", large, "--remedies", "--seeds", "1"]);
    const [cluster] = compared.report?.clusters ?? [];
    expect(cluster?.comparison?.asItIs.verdict).toBe("unsafe");
    expect(cluster?.comparison?.rows[0]?.verdict).toBe("invisible");
    expect(cluster?.comparison?.rows.at(-1)?.verdict).toBe("unsafe");
    expect(cluster?.comparison?.notApplicable.map(({ id }) => id)).toContain("max-unavailable=1%");
  });

  test("a level of its own comes as objects for kubectl", async () => {
    const { report } = await storm([agent, "--cluster", large, "--remedy", "own-level=20", "--seeds", "1"]);
    const [cluster] = report?.clusters ?? [];
    expect(cluster?.ownLevel?.manifests.map(({ kind }) => kind)).toEqual([
      "PriorityLevelConfiguration",
      "FlowSchema",
    ]);
    const { out } = await headroom([
      "storm",
      agent,
      "--cluster",
      large,
      "--remedy",
      "own-level",
      "--seeds",
      "1",
    ]);
    expect(out).toContain("\n---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\n");
  });

  test("--solve: what stays invisible, and how fast", async () => {
    const { report } = await storm([agent, "--cluster", large, "--solve", "--seeds", "1"]);
    const [cluster] = report?.clusters ?? [];
    const { share, nodes } = cluster?.largest ?? {};
    expect(share?.largest).toBeGreaterThan(0);
    expect(share?.largest).toBeLessThan(300);
    expect(nodes?.largest).toBeLessThan(300);
    expect(cluster?.pace?.podsPerMinute).toBeGreaterThan(0);
  });

  test("nodes and replicas in place of those there are", async () => {
    const { report } = await storm([agent, "--cluster", small, "--nodes", "16", "--seeds", "1"]);
    expect(report?.clusters[0]).toMatchObject({ nodes: 8, simulatedNodes: 16, agents: [{ copies: 16 }] });
    const three = await storm([agent, "--cluster", small, "--replicas", "3", "--seeds", "1"]);
    expect(three.report?.clusters[0]?.agents[0]?.copies).toBe(3);
  });

  test("no verdict where nothing is known of what it reads, and --fail-on decides the exit code", async () => {
    const args = ["-", "--cluster", small, "--seeds", "1"];
    const chart = AGENT.replace('["pods protobuf"]', '["secrets"]');
    const { code, report } = await storm(args, chart);
    expect([code, report?.verdict, report?.clusters[0]?.simulated]).toEqual([0, "inconclusive", "invisible"]);
    expect(report?.clusters[0]?.doubts.join(" ")).toContain("secrets");
    expect((await storm([...args, "--fail-on", "warning"], chart)).code).toBe(1);
    expect((await storm([agent, "--cluster", large, "--seeds", "1", "--fail-on", "never"])).code).toBe(0);
  });

  test("text begins with the verdict and its reasons, and ends with what was assumed", async () => {
    const { out } = await headroom(["storm", agent, "--cluster", large, "--seeds", "1"]);
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^unsafe {2}large {2}1\.34\.2, 300 nodes, 1 API server, from .*large\.yaml$/);
    expect(lines[1]).toBe("  start-all: every copy starts within 2 s");
    expect(lines[2]).toBe("  greedy × 300");
    expect(lines[3]).toMatch(/^ {2}It drains .* after the last copy started, more than 60 s\.$/);
    expect(out).toContain("\n  Assumed:\n  - ");
  });

  test.each<[string, readonly string[], RegExp]>([
    ["no cluster", ["AGENT"], /name one with --cluster FILE/],
    [
      "a parameter of another scenario",
      ["AGENT", "--cluster", "SMALL", "--batch-size", "3"],
      /--batch-size belongs to batches; the scenario is start-all/,
    ],
    ["an unknown scenario", ["AGENT", "--scenario", "fire"], /Allowed choices are start-all, /],
    ["an unknown remedy", ["AGENT", "--remedy", "prayer"], /"prayer" is no remedy/],
    [
      "a remedy that does not apply",
      ["AGENT", "--cluster", "SMALL", "--remedy", "on-delete"],
      /cannot be simulated: OnDelete.*Only an update/,
    ],
    [
      "an agent that is not there",
      ["AGENT", "--cluster", "SMALL", "--agent", "other"],
      /No agent is named other on lab/,
    ],
    [
      "an API server that is not there",
      ["AGENT", "--cluster", "SMALL", "--scenario", "api-server-loss", "--server", "7"],
      /cannot be simulated: api-server-loss needs the index/,
    ],
    ["a limit of nothing", ["AGENT", "--max-unavailable", "some"], /whole number or a percentage/],
    ["a file that is not there", ["/nowhere/agent.yaml", "--cluster", "SMALL"], /\/nowhere\/agent\.yaml/],
  ])("2 for %s", async (_, args, message) => {
    const given = args.map((each) => (each === "AGENT" ? agent : each === "SMALL" ? small : each));
    const { code, err } = await headroom(["storm", ...given]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  test("every scenario has its parameters and its words", async () => {
    const scenarios: readonly (readonly string[])[] = [
      ["first-rollout"],
      ["rolling-update", "--max-surge", "2"],
      ["batches", "--batch-size", "4", "--interval-seconds", "5"],
      ["crash-recovery", "--crashed-seconds", "600"],
      ["node-scale-out", "--added-nodes", "5", "--nodes-per-minute", "60"],
      ["api-server-restart", "--down-seconds", "5", "--resumed-ratio", "0.5"],
    ];
    for (const [kind, ...parameters] of scenarios) {
      const { code, report } = await storm([
        agent,
        "--cluster",
        small,
        "--seeds",
        "1",
        "--scenario",
        `${kind}`,
        ...parameters,
      ]);
      expect([code, report?.scenario.kind, report?.verdict]).toEqual([0, kind, "invisible"]);
    }
  });
});

describe("the outage of 11 December 2024", () => {
  test("staging shows nothing, the largest cluster collapses, and the rollout is over before it is noticed", async () => {
    const { code, report } = await storm(["--example", "2024-12-11", "--seeds", "1"]);
    expect([code, report?.verdict, report?.scenario.kind]).toEqual([1, "unsafe", "first-rollout"]);
    const [staging, regional, largest] = report?.clusters ?? [];
    expect([staging?.verdict, staging?.rollNormally === null]).toEqual(["invisible", false]);
    expect(regional?.verdict).toBe("visible");
    expect(largest?.verdict).toBe("unsafe");
    expect(largest?.reasons.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(["collapse", "neighbours-rejected", "neighbours-wait", "memory"]),
    );
    const { timeline, lines } = report?.replay ?? {};
    // Names are cached for half an hour, and the soak is ten minutes.
    expect(timeline?.stages.map(({ isFoundInSoak }) => isFoundInSoak)).toEqual([null, false]);
    expect(timeline?.brokenWhenNoticed).toEqual(["largest"]);
    const [, production] = timeline?.stages ?? [];
    expect(timeline?.noticedAtSeconds).toBe((production?.breaksAtSeconds ?? 0) + 1800);
    expect(timeline?.neededSoakSeconds).toBeGreaterThan(1800);
    expect(lines?.join("\n")).toMatch(/To take it back on largest, kubectl .* waits 15 s at p99/);
  });

  test("a selector does not help where the latest state is asked for, which is read whole; a few readers do", async () => {
    const args = ["--example", "2024-12-11", "--seeds", "1", "--remedy"];
    const selected = await storm([...args, "node-selector"]);
    expect(selected.report?.verdict).toBe("unsafe");
    const { code, report } = await storm([...args, "shared-reads=1000"]);
    expect([code, report?.verdict]).toEqual([0, "invisible"]);
    expect(report?.replay?.timeline?.noticedAtSeconds).toBeNull();
  }, 30_000);

  test("it brings its own files", async () => {
    const { code, err } = await headroom(["storm", agent, "--example", "2024-12-11"]);
    expect([code, err]).toEqual([2, expect.stringContaining("neither paths nor --cluster")]);
  });
});

describe("the examples of --help", () => {
  test.each(STORM_EXAMPLES.map((example) => [example]))(
    "%s",
    async (example) => {
      const [command, ...args] = example.split(" ");
      expect(command).toBe("headroom");
      const { code, out, err } = await headroom(args, "", EXAMPLES);
      expect(err).toBe("");
      expect([0, 1]).toContain(code);
      expect(out.length).toBeGreaterThan(200);
    },
    60_000,
  );
});
