import { describe, expect, test } from "vitest";
import { runRule, short } from "../../testing/audit.ts";
import { rolloutBudgetExhausted } from "./budget-exhausted.ts";
import { rolloutUnavailableOldReplacedAtOnce } from "./unavailable-old-replaced-at-once.ts";
import { rolloutUnhealthyBeforeUpdate } from "./unhealthy-before-update.ts";

interface State {
  readonly desired: number;
  readonly unavailable: number;
  readonly updated?: number;
  readonly scheduled?: number;
  readonly rollingUpdate?: object;
  readonly type?: string;
}
const agent = ({
  desired,
  unavailable,
  updated = 0,
  scheduled,
  rollingUpdate,
  type = "RollingUpdate",
}: State) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "agents", generation: 2, uid: "1" },
  spec: { updateStrategy: rollingUpdate === undefined ? { type } : { type, rollingUpdate } },
  status: {
    desiredNumberScheduled: desired,
    currentNumberScheduled: scheduled ?? desired,
    numberAvailable: desired - unavailable,
    // As the API does: what is 0 is left out.
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    observedGeneration: 2,
  },
});
const max = (maxUnavailable: number | string) => ({ rollingUpdate: { maxUnavailable } });
const ERROR = ["error DaemonSet agents/agent"];
const WARNING = ["warning DaemonSet agents/agent"];

describe("rollout.budget-exhausted", () => {
  const find = (state: State, cluster: object = { nodesNotReady: state.unavailable }, more: object = {}) =>
    runRule(rolloutBudgetExhausted, { objects: [agent(state)], cluster, ...more });

  test("a percentage is rounded up, and the smallest that moves is told", () => {
    const found = find(
      { desired: 288, unavailable: 20, ...max("5%") },
      { nodesNotReady: 25, kubernetesVersion: "1.33.0" },
    );
    expect(short(found)).toEqual(ERROR);
    expect(found.findings[0]?.figures).toMatchObject({
      maxUnavailable: 15,
      smallestPercentThatMoves: "7%",
      smallestNumberThatMoves: 21,
      healthyReplacedBeforeBlock: { v1_31_and_later: 0, v1_21_to_1_30: 15 },
    });
    expect(found.findings[0]?.fix).toContain("21");
  });

  test("up to 1.30.5 some healthy pods go first, and the message says so", () => {
    const on = (kubernetesVersion: string) =>
      find({ desired: 288, unavailable: 20, ...max("5%") }, { nodesNotReady: 25, kubernetesVersion })
        .findings[0]?.message;
    expect(on("1.29.2")).toContain("takes 15 available pods on this version");
    expect(on("1.30.14")).toContain("no available pod");
    expect(on("1.20.4")).toContain("no available pod");
  });

  test("maxUnavailable is 1 where nobody sets it", () => {
    expect(short(find({ desired: 164, unavailable: 3 }))).toEqual(ERROR);
    const noStrategy = { ...agent({ desired: 164, unavailable: 3 }), spec: {} };
    expect(
      short(runRule(rolloutBudgetExhausted, { objects: [noStrategy], cluster: { nodesNotReady: 3 } })),
    ).toEqual(ERROR);
  });

  test("before an update it is a warning", () => {
    expect(short(find({ desired: 164, unavailable: 3, updated: 164 }))).toEqual(WARNING);
  });

  test("pods that end and do not go count, as a summary or as pods", () => {
    const measured = (terminating: number) => ({
      measurements: [
        { name: "pods.json", file: "pods.json", value: { terminating, oldestDeletionSeconds: 5400 } },
      ],
    });
    const state = { desired: 250, unavailable: 50, ...max("20%") };
    const found = find(state, { nodesNotReady: 0 }, measured(50));
    expect(short(found)).toEqual(ERROR);
    expect(found.findings[0]?.message).toContain("90 minutes");
    expect(short(find(state, { nodesNotReady: 0 }, measured(12)))).toEqual([]);
    const pods = Array.from({ length: 50 }, (_, at) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `p${at}`,
        namespace: "agents",
        deletionTimestamp: "2026-03-02T09:00:00Z",
        ownerReferences: [{ kind: "DaemonSet", name: "agent" }],
      },
    }));
    const withPods = runRule(rolloutBudgetExhausted, {
      objects: [agent(state), ...pods],
      cluster: { nodesNotReady: 0 },
    });
    expect(short(withPods)).toEqual(ERROR);
  });

  test("nodes of the input tell which are not ready", () => {
    const node = (name: string, status: string) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      status: { conditions: [{ type: "Ready", status }] },
    });
    const objects = [
      agent({ desired: 30, unavailable: 2, updated: 5 }),
      node("a", "Unknown"),
      node("b", "False"),
      node("c", "True"),
    ];
    expect(short(runRule(rolloutBudgetExhausted, { objects }))).toEqual(ERROR);
  });

  test("where nothing is known of nodes, more than the budget and no new pod tell it", () => {
    expect(short(find({ desired: 288, unavailable: 20, ...max("5%") }, {}))).toEqual(ERROR);
    expect(short(find({ desired: 288, unavailable: 15, updated: 40, ...max("5%") }, {}))).toEqual([]);
  });

  test.each<[string, State, object]>([
    ["a healthy update on its way", { desired: 30, unavailable: 1, updated: 12 }, { nodesNotReady: 0 }],
    ["budget is left", { desired: 164, unavailable: 3, ...max("10%") }, { nodesNotReady: 3 }],
    ["a healthy DaemonSet", { desired: 30, unavailable: 0 }, { nodesNotReady: 0 }],
    [
      "nodes that are not ready and do not run it",
      { desired: 30, unavailable: 0, updated: 30 },
      { nodesNotReady: 5 },
    ],
    ["OnDelete", { desired: 30, unavailable: 5, type: "OnDelete" }, { nodesNotReady: 5 }],
    [
      "surge: new pods start beside the old ones",
      { desired: 30, unavailable: 5, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      { nodesNotReady: 5 },
    ],
    ["pods that crash are replaced", { desired: 30, unavailable: 5 }, { nodesNotReady: 0 }],
    ["no nodes at all", { desired: 0, unavailable: 0 }, { nodesNotReady: 0 }],
  ])("not reported: %s", (_, state, cluster) => {
    expect(short(find(state, cluster))).toEqual([]);
  });

  test("without a status nothing is said", () => {
    const { status: _, ...manifest } = agent({ desired: 30, unavailable: 5 });
    expect(
      short(runRule(rolloutBudgetExhausted, { objects: [manifest], cluster: { nodesNotReady: 9 } })),
    ).toEqual([]);
  });
});

describe("rollout.unavailable-old-replaced-at-once", () => {
  const find = (state: State, cluster: object = { nodesNotReady: 0 }) =>
    runRule(rolloutUnavailableOldReplacedAtOnce, { objects: [agent(state)], cluster });

  test.each([["1.24.2"], ["1.30.14"], ["1.36.3"]])(
    "on %s old unavailable pods all go at once",
    (kubernetesVersion) => {
      const found = find(
        { desired: 100, unavailable: 100, updated: 5, ...max("10%") },
        { nodesNotReady: 0, kubernetesVersion },
      );
      expect(short(found)).toEqual(ERROR);
      expect(found.findings[0]?.figures).toMatchObject({
        maxUnavailable: 10,
        oldUnavailable: 95,
        effectiveSimultaneous: 95,
      });
    },
  );

  test("where versions differ is in the available pods that go beside", () => {
    const beside = (kubernetesVersion: string) =>
      find({ desired: 100, unavailable: 40, ...max("10%") }, { nodesNotReady: 0, kubernetesVersion })
        .findings[0]?.figures;
    expect(beside("1.29.0")).toMatchObject({ effectiveSimultaneous: 50, availableReplacedBeside: 10 });
    expect(beside("1.31.0")).toMatchObject({ effectiveSimultaneous: 40, availableReplacedBeside: 0 });
  });

  test("before an update it is a warning: a rollback does the same", () => {
    expect(short(find({ desired: 100, unavailable: 40, updated: 100, ...max(1) }))).toEqual(WARNING);
  });

  test.each<[string, State, object]>([
    ["new pods that are not available", { desired: 100, unavailable: 10, updated: 10, ...max("10%") }, {}],
    ["a few of many", { desired: 1000, unavailable: 3, updated: 1000, ...max(1) }, {}],
    ["no more than the budget", { desired: 100, unavailable: 20, ...max("20%") }, {}],
    [
      "pods on nodes that are not ready",
      { desired: 100, unavailable: 20, ...max("10%") },
      { nodesNotReady: 20 },
    ],
    ["OnDelete", { desired: 100, unavailable: 60, type: "OnDelete" }, {}],
  ])("not reported: %s", (_, state, cluster) => {
    expect(short(find(state, { nodesNotReady: 0, ...cluster }))).toEqual([]);
  });
});

describe("rollout.unhealthy-before-update", () => {
  const find = (state: State, kubernetesVersion: string | null, more: object = { nodesNotReady: 0 }) =>
    runRule(rolloutUnhealthyBeforeUpdate, {
      objects: [agent(state)],
      cluster: { kubernetesVersion, ...more },
    });
  const BROKEN = { desired: 3, unavailable: 1, updated: 1 };

  test.each(["1.21.0", "1.24.9", "1.28.14", "1.29.0", "1.29.9", "1.30.5"])(
    "on %s a further update takes more",
    (v) => {
      const found = find(BROKEN, v);
      expect(short(found)).toEqual(ERROR);
      expect(found.findings[0]?.figures).toMatchObject({ readyAfterBadUpdate: [2, 1, 0] });
    },
  );

  test.each(["1.20.15", "1.28.15", "1.29.10", "1.30.6", "1.31.0", "1.37.0"])("on %s it does not", (v) => {
    expect(find(BROKEN, v)).toEqual({ findings: [], undecided: [] });
  });

  test("without a version it is not decided", () => {
    const found = find(BROKEN, null);
    expect(found.findings).toEqual([]);
    expect(found.undecided).toHaveLength(1);
  });

  test("a third of the fleet at a time", () => {
    const found = find({ desired: 30, unavailable: 10, updated: 10, ...max("33%") }, "1.27.3");
    expect(found.findings[0]?.figures).toMatchObject({ readyAfterBadUpdate: [20, 10, 0] });
  });

  test.each<[string, State, object]>([
    ["a healthy update on its way", { desired: 30, unavailable: 1, updated: 12 }, {}],
    ["one of ten percent", { desired: 164, unavailable: 17, updated: 60, ...max("10%") }, {}],
    ["nothing is unavailable", { desired: 3, unavailable: 0, updated: 3 }, {}],
    ["nothing is updated", { desired: 3, unavailable: 1 }, {}],
    ["a node that is not ready", BROKEN, { nodesNotReady: 1 }],
  ])("not reported: %s", (_, state, more) => {
    expect(short(find(state, "1.29.0", { nodesNotReady: 0, ...more }))).toEqual([]);
  });

  test("pods and revisions of the input tell old from new", () => {
    const pod = (name: string, hash: string, status: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: "agents",
        labels: { "controller-revision-hash": hash },
        ownerReferences: [{ kind: "DaemonSet", name: "agent" }],
      },
      status: { conditions: [{ type: "Ready", status }] },
    });
    const revision = (hash: string, number: number) => ({
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `agent-${hash}`,
        namespace: "agents",
        labels: { "controller-revision-hash": hash },
        ownerReferences: [{ kind: "DaemonSet", name: "agent" }],
      },
      revision: number,
    });
    const scan = (hash: string) =>
      short(
        runRule(rolloutUnhealthyBeforeUpdate, {
          objects: [
            agent(BROKEN),
            revision("old", 1),
            revision("new", 2),
            pod("a", hash, "False"),
            pod("b", "old", "True"),
            pod("c", hash === "old" ? "new" : "old", "True"),
          ],
          cluster: { kubernetesVersion: "1.29.0", nodesNotReady: 0 },
        }),
      );
    expect(scan("new")).toEqual(ERROR);
    expect(scan("old")).toEqual([]);
  });
});
