import path from "node:path";
import { expect, test } from "vitest";
import { describeInputProblem } from "./input-problem.ts";
import { readAgentInputs } from "./read-agents.ts";
import { readClusterFile } from "./read-cluster-file.ts";
import { folderWith } from "./test-support.ts";

const DAEMON_SET = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: telemetry }
spec: { template: { spec: { serviceAccountName: telemetry, containers: [{ name: a, image: "x/telemetry:1" }] } } }
`;
const AGENT = `apiVersion: headroom.dev/v1
kind: Agent
metadata: { name: by-hand, namespace: lab }
spec: { kind: DaemonSet, informers: [pods, "nodes@node protobuf"] }
`;

async function read(files: Readonly<Record<string, string>>) {
  const folder = folderWith(files);
  const inputs = await readAgentInputs([folder], "chart");
  const problems = inputs.problems.map((each) => describeInputProblem(each).replaceAll(`${folder}/`, ""));
  const names = inputs.workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return { ...inputs, problems, names };
}

test("manifests, a chart's output and agents by hand, in one folder", async () => {
  const { names, problems, facts } = await read({
    "chart.yaml": `${DAEMON_SET}---\n${AGENT}`,
    "README.md": "x",
  });
  expect([problems, names, facts]).toEqual([
    [],
    ["DaemonSet lab/by-hand", "DaemonSet chart/telemetry"],
    null,
  ]);
});

test("facts about a cluster among them are taken", async () => {
  const { facts } = await read({ "a.yaml": AGENT, "cluster.yaml": "nodes: 12" });
  expect(facts?.nodes).toBe(12);
});

test("what is wrong is named with file, object and path, and the rest counts", async () => {
  const { names, problems } = await read({
    "agent.yaml": `${DAEMON_SET}---\n${AGENT.replace("nodes@node", "nodes@host")}`,
    "twice.yaml": `${DAEMON_SET}`,
  });
  expect(names).toEqual(["DaemonSet chart/telemetry"]);
  expect(problems).toEqual([
    "twice.yaml:1: DaemonSet chart/telemetry: expected one object of this name; the last one counts",
    expect.stringMatching(/^agent\.yaml:6: Agent by-hand: spec\.informers\[1\]: expected /),
  ]);
});

test("an agent by hand counts before the manifests of its name", async () => {
  const { workloads } = await read({
    "a.yaml": DAEMON_SET,
    "b.yaml": AGENT.replace("by-hand", "telemetry").replace("lab", "chart"),
  });
  expect(workloads.map(({ declaredIn }) => declaredIn)).toEqual(["agent.yaml"]);
});

test("an audit log is named with the command that reads it", async () => {
  const event = {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: "1",
    stage: "ResponseComplete",
    verb: "list",
  };
  const { skipped } = await read({ "audit.log": `${JSON.stringify(event)}\n` });
  expect(skipped.map(({ reason }) => reason)).toEqual(["headroom agents learn reads audit logs"]);
});

test("requests that a dump shows are samples of who reads what", async () => {
  const head =
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime, UserName, Verb, APIPath, Namespace, Name, APIVersion, Resource, SubResource";
  const user = "system:serviceaccount:chart:telemetry";
  const row = `workload-low, service-accounts, 14, -1, ${user}, 2026-11-30T09:00:00.000000000Z, 10, 0, 0s, 2026-11-30T09:00:00.100000000Z, ${user}, list, /apis/apps/v1/deployments, , , v1, deployments, `;
  const { sampled } = await read({ "dump_requests.txt": `${head}\n${row}\n`, "a.yaml": DAEMON_SET });
  expect(sampled).toMatchObject([
    { userName: user, verb: "list", apiGroup: "apps", resource: "deployments", namespace: "", name: "" },
  ]);
});

test("facts about a cluster may have any name", async () => {
  const folder = folderWith({ "prod.yaml": "name: prod\nnodes: 3\n", "wrong.yaml": "nodes: many\n" });
  expect((await readClusterFile(path.join(folder, "prod.yaml"))).facts).toMatchObject({
    name: "prod",
    nodes: 3,
  });
  const wrong = await readClusterFile(path.join(folder, "wrong.yaml"));
  expect(wrong.problems.map(({ line, message }) => [line, message])).toEqual([
    [1, expect.stringContaining("nodes: expected")],
  ]);
  expect(await readClusterFile("/nowhere.yaml")).toMatchObject({
    facts: null,
    problems: [{ file: "/nowhere.yaml", message: "expected a file; it is gone" }],
  });
});
