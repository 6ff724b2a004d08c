import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headroom } from "./test-support/headroom.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-questions-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const AGENT = "system:serviceaccount:monitoring:agent";

describe("seats", () => {
  test("text says what a LIST costs, why, and where it is served", async () => {
    const args = [
      "--kubernetes-version",
      "1.36",
      "--path",
      "/api/v1/pods?limit=500",
      "--query",
      "resourceVersion=0",
    ];
    const { code, out, err } = await headroom([
      "seats",
      ...args,
      "--objects",
      "20000",
      "--object-bytes",
      "4200",
    ]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("GET /api/v1/pods?limit=500&resourceVersion=0, Kubernetes 1.36");
    expect(out).toContain("Costs 10 seats");
    expect(out).toContain("1.36: size-based; from cache; 500 × 4.2 KB → capped at 1 MB → 10 seats");
    expect(out).toContain("Served from the watch cache");
    expect(out).toContain("It is priced by its limit, which is then passed over.");
    expect(out).toContain("20,000 objects (84 MB)");
  });

  test("a WATCH says what it begins with, in text and in JSON", async () => {
    const question = ["seats", "--kubernetes-version", "1.37", "--path", "/api/v1/namespaces/a/pods"];
    const known = ["--objects", "20000", "--object-bytes", "4200", "--namespace-objects", "30"];
    const state = await headroom([...question, "--query", "watch=1&resourceVersion=0", ...known]);
    expect([state.code, state.err]).toEqual([0, ""]);
    expect(state.out).toContain("Served from the watch cache");
    expect(state.out).toContain(
      "Before the first live change the API server goes through 20,000 objects (84 MB); the client receives 30 objects (126 kB).",
    );
    const since = ["--query", "watch=1&resourceVersion=7", "--changes-since", "1"];
    const changes = await headroom([...question, ...since, ...known, "--output", "json"]);
    expect(JSON.parse(changes.out)).toMatchObject({
      request: { changesSince: 1 },
      initialSeats: 1,
      serving: {
        isWatch: true,
        source: "history",
        freshness: "after",
        handled: { objects: 1, bytes: 4200, isUpperBound: false },
        received: { objects: 1, bytes: 4200, isUpperBound: true },
      },
      gaps: ["The changes that it begins with have no price."],
    });
    const lost = await headroom([...question, ...since, ...known, "--resource-version-state", "compacted"]);
    expect(lost.out).toContain("Refused with 410: too old resource version");
  });

  test("JSON has the outputs of the vector sets; the cap of a default level is that of its nominal limit", async () => {
    const { code, out } = await headroom([
      ...[
        "seats",
        "--kubernetes-version",
        "1.34.13",
        "--method",
        "patch",
        "--path",
        "/api/v1/nodes/n1/status",
      ],
      ...["--watchers", "900", "--priority-level", "leader-election", "--output", "json"],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schemaVersion: 1,
      request: { method: "PATCH", plMax: 4 },
      requestInfo: { verb: "patch", resource: "nodes", subresource: "status", name: "n1" },
      initialSeats: 1,
      finalSeats: 4,
      additionalLatencyMs: 112.5,
    });
  });

  test("gates, and a version that is not known itself", async () => {
    const list = [
      "--path",
      "/api/v1/pods",
      "--objects",
      "20000",
      "--object-bytes",
      "4200",
      "--output",
      "json",
    ];
    const gate = ["--feature-gate", "SizeBasedListCostEstimate=false"];
    const off = await headroom(["seats", "--kubernetes-version", "1.36", ...gate, ...list]);
    expect(JSON.parse(off.out).explanation).toContain("count-based");
    const old = await headroom(["seats", "--kubernetes-version", "1.20.4", ...list]);
    expect(JSON.parse(old.out).note).toContain("1.20.4 is older");
  });
});

test("the exempt level is a default level in every version, those in which it has no limits as well", async () => {
  for (const version of ["1.26", "1.27", "1.28", "1.36"]) {
    const { code, out, err } = await headroom([
      ...["seats", "--kubernetes-version", version, "--path", "/api/v1/pods?resourceVersion=0"],
      ...["--objects", "5000", "--object-bytes", "1000", "--priority-level", "exempt"],
    ]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Costs 10 seats");
  }
});

describe("fairness match", () => {
  const question = ["fairness", "match", "--kubernetes-version", "1.36", "--user", AGENT];

  test("which FlowSchema catches a LIST of pods by monitoring/agent, what it costs, where it is served", async () => {
    const sizes = ["--objects", "20000", "--object-bytes", "4200"];
    const { code, out, err } = await headroom([
      ...question,
      "--verb",
      "list",
      "--resource",
      "pods",
      ...sizes,
    ]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`FlowSchema service-accounts, priority level workload-low, flow ${AGENT}`);
    expect(out).toMatch(/exempt \(1\): .*Group system:masters/);
    expect(out).toMatch(/kube-system-service-accounts \(900\): /);
    expect(out).toContain("Costs 10 seats (one request takes at most 37 there)");
    expect(out).toContain("Served from the watch cache");
  });

  test("a service account by namespace and name, and verbs in capitals, as people write them", async () => {
    const asked = [
      "fairness",
      "match",
      "--kubernetes-version",
      "1.36",
      "--resource",
      "pods",
      "--output",
      "json",
    ];
    const plain = await headroom([...asked, "--user", AGENT, "--verb", "list"]);
    const short = await headroom([...asked, "--service-account", "monitoring/agent", "--verb", "LIST"]);
    expect(short).toEqual(plain);
    expect(JSON.parse(short.out)).toMatchObject({ flowSchema: "service-accounts" });
    expect(JSON.parse(short.out)).not.toHaveProperty("notes");
  });

  test("what is answered and may not be meant is said: a user named like an account, a resource in the singular", async () => {
    const asked = ["fairness", "match", "--kubernetes-version", "1.36", "--user", "monitoring/agent"];
    const { code, out } = await headroom([...asked, "--verb", "list", "--resource", "pod"]);
    expect(code).toBe(0);
    expect(out).toContain("FlowSchema global-default");
    expect(out).toContain("A service account: --service-account monitoring/agent.");
    expect(out).toContain("pod is taken as the name of a resource.");
  });

  test("digits are grouped in one way, and the most of one request has a place only where there is one", async () => {
    const many = ["--kubernetes-version", "1.36", "--objects", "150000", "--object-bytes", "5000"];
    const { out } = await headroom(["seats", ...many, "--path", "/api/v1/pods"]);
    expect(out).toContain("150,000 × 5 KB");
    expect(out).toContain("150,000 objects (750 MB)");
    expect(out).toContain("(one request takes at most 100)");
    const level = ["--priority-level", "workload-low"];
    const there = await headroom(["seats", ...many, ...level, "--path", "/api/v1/pods"]);
    expect(there.out).toContain("(one request takes at most 37 at workload-low)");
  });

  test("without sizes it says that the cost depends on them", async () => {
    const { code, out } = await headroom([...question, "--verb", "watch", "--resource", "deployments.apps"]);
    expect(code).toBe(0);
    expect(out).toContain("GET /apis/apps/v1/deployments?watch=true");
    expect(out).toContain("--objects");
    expect(out).not.toContain("Costs");
  });

  const CLUSTER = `
apiVersion: v1
kind: List
items:
- apiVersion: flowcontrol.apiserver.k8s.io/v1
  kind: FlowSchema
  metadata: { name: agents }
  spec:
    matchingPrecedence: 500
    priorityLevelConfiguration: { name: agents }
    distinguisherMethod: { type: ByUser }
    rules:
    - subjects: [{ kind: ServiceAccount, serviceAccount: { namespace: monitoring, name: agent } }]
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }]
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: agents }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: 10, limitResponse: { type: Queue, queuing: { queues: 8, handSize: 4, queueLengthLimit: 10 } } }
`;

  test("the cluster's own objects, from a file and from standard input", async () => {
    const request = ["--verb", "list", "--resource", "pods", "--objects", "9000", "--output", "json"];
    const file = await fileOf("cluster.yaml", CLUSTER);
    const fromFile = await headroom([...question, ...request, "--flow-schemas", file]);
    const fromInput = await headroom([...question, ...request, "--flow-schemas", "-"], CLUSTER);
    expect(fromFile).toEqual(fromInput);
    expect(JSON.parse(fromFile.out)).toMatchObject({
      flowSchema: "agents",
      priorityLevel: "agents",
      distinguisher: AGENT,
      // 10 shares beside the 5 of catch-all, which is supplied: 400 seats, of which one request takes 15 %.
      cost: { plMax: 60, initialSeats: 10 },
    });
  });

  test("with the defaults beside them, what the file does not change stays", async () => {
    const request = ["--verb", "list", "--resource", "pods", "--output", "json", "--with-defaults"];
    const file = await fileOf("added.yaml", CLUSTER);
    const asked = ["fairness", "match", "--kubernetes-version", "1.36", ...request, "--flow-schemas", file];
    const own = await headroom([...asked, "--service-account", "monitoring/agent"]);
    expect(JSON.parse(own.out)).toMatchObject({ flowSchema: "agents" });
    const other = await headroom([...asked, "--service-account", "kube-system/coredns"]);
    expect(JSON.parse(other.out)).toMatchObject({ flowSchema: "kube-system-service-accounts" });
  });

  test.each([
    ["an alias of nothing", "kind: FlowSchema\nmetadata: *nobody\n", "nobody"],
    [
      "aliases that grow beyond measure",
      `a0: &a0 [x, x, x, x, x, x, x, x, x]\n${[1, 2, 3, 4, 5]
        .map((n) => `a${n}: &a${n} [${new Array(9).fill(`*a${n - 1}`).join(", ")}]\n`)
        .join("")}`,
      "alias",
    ],
    ["a key twice", "kind: FlowSchema\nkind: List\n", "unique"],
    ["nothing", "", "found none"],
  ])("a file with %s is one sentence", async (title, content, says) => {
    const file = await fileOf(`${title}.yaml`, content);
    for (const command of [
      [...question, "--path", "/healthz", "--flow-schemas", file],
      ["fairness", "limits", "--kubernetes-version", "1.36", "--priority-levels", file],
      ["rollout", "plan", "--kubernetes-version", "1.36", "--daemonset", file],
    ]) {
      const { code, out, err } = await headroom(command);
      expect([code, out, err.trim().split("\n").length]).toEqual([2, "", 1]);
      expect(err).toContain(file);
      if (!command.includes("--daemonset")) expect(err).toContain(says);
    }
  });

  test("an object that is none: which one, which field, what was expected", async () => {
    const file = await fileOf(
      "broken.yaml",
      CLUSTER.replace("matchingPrecedence: 500", "matchingPrecedence: soon"),
    );
    const { code, err } = await headroom([...question, "--path", "/healthz", "--flow-schemas", file]);
    expect(code).toBe(2);
    expect(err).toContain(
      "FlowSchema agents: spec.matchingPrecedence: expected a whole number of at least 1",
    );
  });
});

describe("fairness limits", () => {
  test("the default levels of a version, with the most that one request takes", async () => {
    const { code, out } = await headroom(["fairness", "limits", "--kubernetes-version", "1.36"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^workload-low +245 +24 +56 +845 +37$/m);
    expect(out).toContain("not capacity");
  });

  test("exempt has no limit, and every server has its own", async () => {
    const { out } = await headroom([
      ...["fairness", "limits", "--kubernetes-version", "1.36", "--demand", "workload-low=900"],
    ]);
    expect(out).toMatch(/^exempt +0 +0 +no limit +no limit +–$/m);
    expect(out).toMatch(/^10 s +13 +no limit /m);
    expect(out).toContain("Each API server has these seats for itself: two have twice as many");
  });

  test("one level changed: beside the defaults, or alone with what is then missing", async () => {
    const file = await fileOf(
      "level.yaml",
      `{ kind: PriorityLevelConfiguration, metadata: { name: workload-low }, spec: { type: Limited, limited: {
        nominalConcurrencyShares: 200, lendablePercent: 90,
        limitResponse: { type: Queue, queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 } } } } }`,
    );
    const asked = ["fairness", "limits", "--kubernetes-version", "1.36", "--priority-levels", file];
    const beside = await headroom([...asked, "--with-defaults"]);
    expect(beside.out).toMatch(/^workload-low +348 /m);
    expect(beside.out).toMatch(/^system +53 /m);
    expect(beside.out).not.toContain("lacks");
    const alone = await headroom(asked);
    expect(alone.out).toMatch(/^workload-low +586 /m);
    expect(alone.out).toContain("level.yaml lacks default levels of 1.36: catch-all, exempt, global-default");
    expect(alone.out).toContain("--with-defaults adds them");
  });

  test("a level that the API server takes for broken is named, and not left out without a word", async () => {
    const level = (queues: number) => ({
      kind: "PriorityLevelConfiguration",
      metadata: { name: "narrow" },
      spec: {
        type: "Limited",
        limited: { limitResponse: { type: "Queue", queuing: { queues, handSize: 8 } } },
      },
    });
    const file = await fileOf("narrow.json", JSON.stringify(level(4)));
    const args = ["fairness", "limits", "--kubernetes-version", "1.36"];
    const text = await headroom([...args, "--priority-levels", file]);
    expect(text.out).toContain(
      "narrow: handSize 8 is greater than queues 4: the API server goes on without it.",
    );
    const json = await headroom([...args, "--priority-levels", file, "--output", "json"]);
    expect(JSON.parse(json.out).broken).toEqual({ narrow: "handSize 8 is greater than queues 4" });
    const line = { id: 1, v: "1.36", priorityLevels: ["defaults", level(4)] };
    const [broken, whole] = await Promise.all([
      headroom(["fairness", "limits", "--input", "-"], JSON.stringify(line)),
      headroom(
        ["fairness", "limits", "--input", "-"],
        JSON.stringify({ ...line, priorityLevels: ["defaults", level(8)] }),
      ),
    ]);
    expect(JSON.parse(broken.out)).toMatchObject({ broken: { narrow: expect.any(String) } });
    expect(JSON.parse(whole.out)).not.toHaveProperty("broken");
    const second = { id: 1, v: "1.36", second: { scl: 600, priorityLevels: [level(4)] } };
    const after = await headroom(["fairness", "limits", "--input", "-"], JSON.stringify(second));
    expect(JSON.parse(after.out)).toMatchObject({ broken: { narrow: expect.any(String) } });
  });

  test("under a demand the others lend", async () => {
    const { out } = await headroom([
      ...["fairness", "limits", "--kubernetes-version", "1.36", "--demand", "workload-low=900"],
      ...["--periods", "2", "--output", "json"],
    ]);
    const { adjustments, limits } = JSON.parse(out);
    expect(limits["workload-low"]).toEqual({
      nominalCL: 245,
      minCL: 24,
      maxCL: 845,
      currentCL: 56,
      maxSeats: 37,
    });
    expect(adjustments).toHaveLength(2);
    expect(adjustments[1].pl["workload-low"][4]).toBe(368);
  });
});

describe("fairness replay", () => {
  test("1,000 LISTs of one flow at once: most wait too long behind a wide head", async () => {
    const wave = ["--requests", "1000", "--seats", "10", "--service-seconds", "60"];
    const level = ["--kubernetes-version", "1.36", "--priority-level", "workload-low"];
    const { code, out } = await headroom(["fairness", "replay", ...level, ...wave]);
    expect(code).toBe(0);
    expect(out).toContain("976 rejected as time-out after waiting");
    expect(out).toContain("24 executed");
    expect(out).toContain("245 seats, 128 queues of 50, a hand of 6");
    expect(out).toContain("10 seats for 60 s (--service-seconds), waits at most 15 s; 1 flow; all at once");
    expect(out).toContain("163 in one queue");
    expect(out).toContain("A queue counts as full only while all seats are taken.");
    expect(out).toContain("the limit of workload-low is 56 and not 245: --concurrency-limit 56 plays that.");
  });

  test("a scenario from a file, over many lines, and its JSON", async () => {
    const scenario = {
      config: { queues: 0, handSize: 1, queueLengthLimit: 0, concurrencyLimit: 1 },
      flows: [["a", "b"]],
      requests: [
        [0, 0, 1, 0, 0, 1000, 0, -1],
        [10, 0, 1, 0, 0, 1000, 0, -1],
      ],
    };
    const file = await fileOf("scenario.json", JSON.stringify(scenario, null, 2));
    const { code, out } = await headroom(["fairness", "replay", "--scenario", file, "--output", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out).outcomes.map(([letter]: [string]) => letter)).toEqual(["E", "L"]);
    const wrong = await fileOf(
      "wrong.json",
      JSON.stringify({ ...scenario, requests: [[0, 1, 1, 0, 0, 1, 0, -1]] }),
    );
    const refused = await headroom(["fairness", "replay", "--scenario", wrong]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("requests[0][1]: expected the index of one of the 1 flows, got 1");
  });
});

describe("rollout plan", () => {
  const plan = (...args: readonly string[]) => headroom(["rollout", "plan", "--kubernetes-version", ...args]);

  test("maxUnavailable 1 does not protect 40 unavailable pods; in 1.30.4 an available one goes beside them", async () => {
    const state = ["--nodes", "100", "--unavailable", "40", "--max-unavailable", "1"];
    const now = await plan("1.36", ...state);
    expect(now.out).toContain("Now: 40 pods are deleted");
    expect(now.out).toContain("none of 60 available old pods goes");
    expect(now.out).toContain("complete after");
    const before = await plan("1.30.4", ...state);
    expect(before.out).toContain("Now: 41 pods are deleted");
    expect(before.out).toContain("a regression of 1.21");
  });

  test("JSON has the choice, the tally and every figure with its reason", async () => {
    const { out } = await plan(
      "1.36",
      "--nodes",
      "3",
      "--unavailable",
      "1",
      "--empty",
      "1",
      "--output",
      "json",
    );
    const { now, pace, durations } = JSON.parse(out);
    expect(now).toMatchObject({
      manage: { created: { count: 1, always: ["n2"], someOf: [] } },
      rollingUpdate: { deleted: { count: 1, always: ["n1-o--n0"], someOf: [] } },
      isRollingUpdateLater: true,
      tally: { desired: 3, oldUnavailable: 1, oldAvailable: 1, otherUnavailable: 1, budget: 0 },
    });
    expect(pace.kind).toBe("complete");
    for (const { reason } of pace.figures) expect(reason).not.toBe("");
    expect(durations.pullSeconds).toBe(15);
  });

  test("a seed gives the same spread again, and another one another", async () => {
    const args = ["1.36", "--nodes", "30", "--jitter", "0.5", "--output", "json", "--seed"];
    const [one, again, other] = await Promise.all([
      plan(...args, "1"),
      plan(...args, "1"),
      plan(...args, "2"),
    ]);
    expect(one.out).toBe(again?.out);
    expect(one.out).not.toBe(other?.out);
  });

  test("a DaemonSet as kubectl prints it: what is empty and what is not available follow from its status", async () => {
    const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  minReadySeconds: 5
  updateStrategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 10%, maxSurge: 0 } }
status: { desiredNumberScheduled: 50, currentNumberScheduled: 48, numberUnavailable: 5, updatedNumberScheduled: 50 }
`;
    const { code, out } = await headroom(
      ["rollout", "plan", "--kubernetes-version", "1.36", "--daemonset", "-", "--output", "json"],
      daemonSet,
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      maxUnavailable: "10%",
      minReadySeconds: 5,
      now: { tally: { desired: 50, maxUnavailable: 5, oldUnavailable: 3, otherUnavailable: 2, budget: 0 } },
    });
  });

  test.each([
    ["another kind", "kind: Deployment\nspec: {}\n", "expected DaemonSet"],
    ["one without its status", "kind: DaemonSet\nspec: {}\n", "with its status"],
    ["no YAML", "a: [", "JSON or YAML"],
  ])("%s in place of a DaemonSet: exit code 2 and what was expected", async (_title, content, says) => {
    const { code, err } = await headroom(
      ["rollout", "plan", "--kubernetes-version", "1.36", "--daemonset", "-"],
      content,
    );
    expect(code).toBe(2);
    expect(err).toContain(says);
  });

  test.each([
    ["kind: DaemonSet\nspec: 5", "spec: expected"],
    ["kind: Deployment", "kind: expected DaemonSet"],
    ["- 1", "expected an object"],
    [
      "kind: DaemonSet\nspec: { updateStrategy: { rollingUpdate: { maxUnavailable: 150% } } }\nstatus: { desiredNumberScheduled: 3, currentNumberScheduled: 3 }",
      "spec.updateStrategy.rollingUpdate.maxUnavailable: expected a whole number",
    ],
    [
      "kind: DaemonSet\nspec: {}\nstatus: { desiredNumberScheduled: 99999999, currentNumberScheduled: 3 }",
      "status.desiredNumberScheduled: expected a whole number of at most 200000",
    ],
  ])("%s is no DaemonSet that can be planned", async (content, says) => {
    const { code, out, err } = await headroom(
      ["rollout", "plan", "--kubernetes-version", "1.36", "--daemonset", "-"],
      content,
    );
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).not.toMatch(/: : |Invalid input|(\w+): \1:/);
  });

  test("pods that are not named otherwise are available, however long minReadySeconds is", async () => {
    const plan = await headroom([
      ...["rollout", "plan", "--kubernetes-version", "1.36", "--nodes", "100"],
      ...["--updated", "10", "--min-ready-seconds", "7200", "--output", "json"],
    ]);
    expect(JSON.parse(plan.out).now).toMatchObject({
      rollingUpdate: { deleted: { count: 1 } },
      tally: { oldAvailable: 90, oldUnavailable: 0, otherUnavailable: 0 },
    });
  });

  test.each([
    ["--max-unavailable", "10%"],
    ["--max-surge", "10%"],
    ["--max-unavailable", "1"],
  ])("nothing is planned for no node with %s %s, and no figure is none", async (...limit) => {
    const args = ["rollout", "plan", "--kubernetes-version", "1.36", "--nodes", "0", ...limit];
    const { code, out } = await headroom([...args, "--output", "json"]);
    const { pace } = JSON.parse(out);
    expect([code, pace.kind]).toEqual([0, "complete"]);
    expect(pace.figures.filter(({ value }: { value: unknown }) => typeof value !== "number")).toEqual([]);
    expect((await headroom(args)).out).not.toContain("NaN");
  });

  test("a rollout that takes longer than is simulated says so, and not that pods crash", async () => {
    const { out } = await headroom([
      ...["rollout", "plan", "--kubernetes-version", "1.36", "--nodes", "3"],
      ...["--min-ready-seconds", "2000000000"],
    ]);
    expect(out).toMatch(/not complete after +30 days/);
    expect(out).not.toContain("crash");
  });

  test("Deployments and StatefulSets", async () => {
    const deployment = await plan("1.36", "--kind", "Deployment", "--replicas", "10");
    expect(deployment.out).toContain("Now: 3 pods are created");
    const statefulSet = await plan("1.36", "--kind", "StatefulSet", "--replicas", "5", "--unavailable", "1");
    expect(statefulSet.out).toContain("stands still after");
    expect(statefulSet.out).toContain("Delete such a pod by hand");
  });

  test("a new version that never turns Ready stands still, one that crashes is told", async () => {
    expect((await plan("1.36", "--nodes", "20", "--new-pods", "never-ready")).out).toContain(
      "19 old pods are left",
    );
    const crash = ["--new-pods", "crash-loop", "--run-seconds", "5", "--ready-seconds", "0"];
    expect((await plan("1.36", "--nodes", "20", "--min-ready-seconds", "30", ...crash)).out).toContain(
      "stands still",
    );
  });
});
