import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeCluster, startFakeCluster } from "../collector/test-support/fake-cluster.ts";
import { ScanReportSchema } from "../contracts/scan-report.ts";
import { headroom } from "./test-support/headroom.ts";

const CASE = fileURLToPath(new URL("../cases/inputs/K2-01/", import.meta.url));
const UNPACED = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: lab }
spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 100% } } }
`;

let folder: string;
const file = (name: string, content: string) => {
  const written = path.join(folder, name);
  writeFileSync(written, content);
  return written;
};
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-scan-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scan = async (args: readonly string[], input = "") => {
  const { code, out, err } = await headroom(["scan", "--output", "json", ...args], input);
  const json: unknown = out === "" ? null : JSON.parse(out);
  return { code, err, report: json === null ? null : ScanReportSchema.parse(json) };
};

describe("exit codes", () => {
  test("1 with findings at or above --fail-on, 0 below", async () => {
    expect((await scan([CASE])).code).toBe(1);
    expect((await scan([CASE, "--fail-on", "never"])).code).toBe(0);
  });

  test("2 for an input that cannot be read, named with its place; the rest is answered", async () => {
    const broken = file("broken.yaml", "a: [1\n");
    const { code, err, report } = await scan([broken, CASE]);
    expect([code, report?.verdict, report?.findings.length]).toEqual([2, "fail", 2]);
    expect(err).toMatch(/^\S*broken\.yaml:2:1: expected valid YAML: /);
    expect(report?.problems).toHaveLength(1);
  });

  test.each<[string, readonly string[], RegExp]>([
    ["nothing to scan", [], /Name files or folders/],
    [
      "a path that is not there",
      ["/nowhere/at/all"],
      /\/nowhere\/at\/all: expected a file or folder; there is none/,
    ],
    ["an unknown rule", [CASE, "--rules", "no.such"], /--rules: no rule is named no\.such/],
    ["an unknown rule to ignore", [CASE, "--ignore", "no.such:x"], /--ignore: no rule is named no\.such/],
    ["a kubeconfig without a context", [CASE, "--kubeconfig", "x"], /only with --context/],
    ["an unknown form", [CASE, "--output", "xml"], /Allowed choices are text, json, sarif, junit, markdown/],
  ])("2 for %s", async (_, args, message) => {
    const { code, err } = await headroom(["scan", ...args]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test("2 for a folder in which nothing is of a kind that is read", async () => {
    const empty = mkdtempSync(path.join(folder, "empty-"));
    const { code, err, report } = await scan([empty]);
    expect([code, report?.verdict]).toEqual([2, "unknown"]);
    expect(err).toMatch(/No input of a kind that is read was found/);
  });
});

test("standard input is recognised by its content", async () => {
  const { code, report } = await scan(["-"], UNPACED);
  expect([code, report?.findings[0]?.evidence.source]).toEqual([1, "-:1"]);
});

test("rules are chosen by name and area, and ignored by rule and subject", async () => {
  const named = async (args: readonly string[]) =>
    (await scan([CASE, ...args])).report?.findings.map(({ rule }) => rule);
  expect(await named(["--rules", "rollout.*"])).toEqual(["rollout.unpaced"]);
  expect(await named(["--ignore", "rollout.unpaced:DaemonSet telemetry/telemetry"])).toEqual([
    "list.per-node-clusterwide",
  ]);
  expect(await named(["--ignore", "rollout.unpaced:DaemonSet other/one"])).toHaveLength(2);
});

test("waivers of the configuration set findings apart until their day, and a wrong one stops with its place", async () => {
  const waiver = (until: string) =>
    file(
      "headroom.yaml",
      `policy:\n  waivers:\n    - { rule: rollout.unpaced, subject: DaemonSet lab/agent, reason: a lab, until: "${until}" }\n`,
    );
  const manifest = file("unpaced.yaml", UNPACED);
  const held = await scan([manifest, "--config", waiver("9999-12-31")]);
  expect([held.code, held.report?.verdict, held.report?.waived[0]?.waiver.reason]).toEqual([
    0,
    "pass",
    "a lab",
  ]);
  const ended = await scan([manifest, "--config", waiver("2020-01-01")]);
  expect([ended.code, ended.report?.verdict, ended.report?.expiredWaivers[0]?.until]).toEqual([
    1,
    "fail",
    "2020-01-01",
  ]);
  const wrong = await headroom(["scan", manifest, "--config", waiver("soon")]);
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringMatching(/headroom\.yaml:3:\d+: policy\.waivers\[0\]\.until: /),
  ]);
});

test("output does not change from run to run, nor with the order of the paths", async () => {
  const parts = ["manifests.yaml", "cluster.json", "timeline.json"].map((name) => path.join(CASE, name));
  const [first, again, turned] = await Promise.all([scan(parts), scan(parts), scan([...parts].reverse())]);
  expect(again.report).toEqual(first.report);
  expect(turned.report?.findings).toEqual(first.report?.findings);
});

test("--quiet prints nothing where all is well", async () => {
  const fine = file("fine.yaml", UNPACED.replace("100%", "1"));
  expect(await headroom(["scan", fine, "--quiet"])).toEqual({ code: 0, out: "", err: "" });
});

describe("headroom rules", () => {
  test("lists all, explains one, and names what it does not know", async () => {
    const [all, one, area, none] = await Promise.all([
      headroom(["rules"]),
      headroom(["rules", "rollout.unpaced"]),
      headroom(["rules", "rollout.*", "--output", "json"]),
      headroom(["rules", "no.such"]),
    ]);
    expect(all.out).toMatch(/^rollout\.unpaced +error +An update replaces every pod at once$/m);
    for (const head of ["What", "Why", "Fix", "Source"])
      expect(one.out).toMatch(new RegExp(`^${head}$`, "m"));
    expect((JSON.parse(area.out) as { rules: { name: string }[] }).rules.map(({ name }) => name)).toContain(
      "rollout.unpaced",
    );
    expect([none.code, none.err]).toEqual([2, "No rule is named no.such. `headroom rules` lists them.\n"]);
  });
});

describe("--context", () => {
  let cluster: FakeCluster;
  beforeAll(async () => {
    cluster = await startFakeCluster({
      scenario: { nodes: 20, servers: 1, kubernetesVersion: "1.34.2" },
      limits: { requestsPerMinute: 100_000 },
    });
  });
  afterAll(async () => cluster[Symbol.asyncDispose]());

  const context = () => ["--context", cluster.server.scenario.name, "--kubeconfig", cluster.kubeconfigPath];

  test("a cluster is read now and judged, with what files add beside it", async () => {
    const { code, report } = await scan([...context(), file("unpaced.yaml", UNPACED), "--fail-on", "never"]);
    expect(code).toBe(0);
    expect(report?.notRead).toEqual([]);
    expect(Number(report?.figures.objects)).toBeGreaterThan(1);
    const unpaced = report?.findings.filter(({ rule }) => rule === "rollout.unpaced") ?? [];
    expect(unpaced).toMatchObject([{ subject: "DaemonSet lab/agent", figures: { pods: 20 } }]);
  });

  test("3 where it was read only in part, with what is missing; what was read is answered", async () => {
    cluster.server.faults.add({ fault: { kind: "status", code: 403 }, path: /daemonsets/ });
    try {
      const { code, report } = await scan(context());
      expect(code).toBe(3);
      expect(report?.notRead.map(({ part }) => part)).toContain("inventory");
      expect(report?.findings.map(({ rule }) => rule)).toContain("collector.part-not-read");
    } finally {
      cluster.server.faults.clear();
    }
  });

  test("a context that is not there is wrong usage", async () => {
    const { code, err } = await headroom([
      "scan",
      "--context",
      "none",
      "--kubeconfig",
      cluster.kubeconfigPath,
    ]);
    expect([code, err]).toEqual([2, expect.stringMatching(/none/)]);
  });
});
