import { describe, expect, test } from "vitest";
import type { InventoryPart, Workload } from "../../domain/clusters/inventory-part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import type { ServerVersion } from "../../domain/clusters/version-part.ts";
import type { FlowSchemaObject, LevelSample } from "../../domain/fairness/fairness-part.ts";
import { EMPTY_BASELINE, type ReadParts, seedBaseline } from "./change-baseline.ts";
import { diffParts, isNodeCountChange } from "./diff-parts.ts";

const AT = 1_764_500_000_000;

interface Pass {
  readonly parts: ReadParts;
  readonly notRead?: readonly string[];
  readonly at?: number;
}

/** Events of the last of several passes, each measured against those before. */
function lastEvents(...passes: readonly Pass[]) {
  let baseline = EMPTY_BASELINE;
  let events: ReturnType<typeof diffParts>["events"] = [];
  for (const { parts, notRead = [], at = AT } of passes) {
    ({ events, baseline } = diffParts({ baseline, parts, notReadLists: new Set(notRead), at }));
  }
  return events;
}

const workload = (name: string, fields: Partial<Workload> = {}): Workload => ({
  kind: "DaemonSet",
  namespace: "observability",
  name,
  uid: name,
  generation: 1,
  desiredReplicas: 120,
  readyReplicas: 120,
  updatedReplicas: 120,
  serviceAccountName: "agent",
  images: [{ container: "agent", image: "agent:1" }],
  labels: {},
  maxUnavailable: "1",
  maxSurge: null,
  updateStrategy: "RollingUpdate",
  minReadySeconds: 0,
  ...fields,
});
const inventory = (fields: Partial<InventoryPart>): ReadParts => ({
  inventory: {
    workloads: [],
    nodes: null,
    pods: null,
    controlPlanePods: null,
    webhooks: null,
    apiServices: null,
    customResourceDefinitions: null,
    clusterWideLists: null,
    ...fields,
  },
});
const nodes = (total: number) => inventory({ nodes: { total, byLabel: {} } });
const crds = (...names: string[]) => inventory({ customResourceDefinitions: names });
const version = (...servers: ServerVersion[]): ReadParts => ({
  version: { gitVersion: servers[0]?.gitVersion ?? "", major: 1, minor: 34, servers },
});
const server = (
  serverId: string,
  gitVersion: string,
  gates: Record<string, boolean> | null = {},
): ServerVersion => ({
  serverId,
  gitVersion,
  platform: null,
  gates:
    gates === null
      ? null
      : Object.entries(gates).map(([name, enabled]) => ({ name, enabled, stage: "BETA" })),
});
const apiServers = (starts: Record<string, number | null>): ReadParts => ({
  servers: {
    expectedServers: null,
    expectedFrom: null,
    servers: Object.entries(starts).map(([id, processStartAt], index) => ({
      id,
      name: `api-${index}`,
      hostname: null,
      address: null,
      access: "direct",
      processStartAt,
      leaseRenewAt: null,
      lastReadAt: AT,
    })),
  },
});
const level = (fields: Partial<LevelSample>): LevelSample => ({
  priorityLevelName: "workload-low",
  nominalSeats: 245,
  minSeats: 24,
  maxSeats: 600,
  currentLimitSeats: 240,
  executingSeats: 240,
  executingRequests: 30,
  waitingRequests: 0,
  waitingSeats: 0,
  demandSeatsSmoothed: null,
  rejectedTotal: { "queue-full": 50 },
  dispatchedTotal: 0,
  rejectedPerSecond: 0,
  dispatchedPerSecond: 0,
  waitP99: null,
  ...fields,
});
const fairness = (fields: Partial<PartValues["fairness"]>): ReadParts => ({
  fairness: {
    servers: [],
    priorityLevels: null,
    flowSchemas: null,
    configurationReadAt: null,
    configurationApiVersion: null,
    ...fields,
  },
});
const rejecting = (rejectedPerSecond: number | null, at: number): Pass => ({
  at,
  parts: fairness({
    servers: [
      {
        serverId: "a",
        observedAt: at,
        isEnabled: true,
        levels: [level({ rejectedPerSecond })],
        flows: null,
        flowsObservedAt: null,
      },
    ],
  }),
});

test("the first reading of everything is no change", () => {
  expect(
    lastEvents({
      parts: {
        ...version(server("a", "v1.34.2", { WatchList: true })),
        ...apiServers({ a: 1 }),
        ...inventory({
          workloads: [workload("x")],
          customResourceDefinitions: ["a"],
          nodes: { total: 3, byLabel: {} },
        }),
      },
    }),
  ).toEqual([]);
});

describe("version and gates", () => {
  const three = (a: string, b: string, c: string) => ({
    parts: {
      ...version(server("a", a), server("b", b), server("c", c)),
      ...apiServers({ a: 1, b: 1, c: 1 }),
    },
  });

  test("each step of a rolling upgrade is one event that names its servers", () => {
    const [event, ...others] = lastEvents(
      three("v1.33.4", "v1.33.4", "v1.33.4"),
      three("v1.34.2", "v1.34.2", "v1.33.4"),
    );
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: "version-changed",
      severity: "warning",
      lead: "Kubernetes v1.34.2",
      text: "on api-0, api-1 (2 of 3 API servers read), was v1.33.4.",
      before: "v1.33.4",
      after: "v1.34.2",
    });
  });

  test("a patch release is information; a server not read is no change; nor is one seen first", () => {
    expect(
      lastEvents(three("v1.34.1", "v1.34.1", "v1.34.1"), three("v1.34.2", "v1.34.1", "v1.34.1"))[0]?.severity,
    ).toBe("info");
    expect(
      lastEvents({ parts: version(server("a", "v1.34.1")) }, { parts: version(server("b", "v1.35.0")) }),
    ).toEqual([]);
  });

  test("gates that both know and that differ; gates that came with a version are none", () => {
    const events = lastEvents(
      { parts: version(server("a", "v1.34.2", { WatchList: true, Old: true })) },
      { parts: version(server("a", "v1.34.2", { WatchList: false, New: true })) },
    );
    expect(events).toEqual([
      expect.objectContaining({
        kind: "feature-gates-changed",
        subject: "WatchList",
        lead: "Feature gate WatchList off",
        before: "WatchList=true",
        after: "WatchList=false",
      }),
    ]);
  });

  test("gates not read for a while are compared with those before", () => {
    expect(
      lastEvents(
        { parts: version(server("a", "v1.34.2", { WatchList: true })) },
        { parts: version(server("a", "v1.34.2", null)) },
        { parts: version(server("a", "v1.34.2", { WatchList: false })) },
      ),
    ).toHaveLength(1);
  });
});

describe("API servers", () => {
  test("a later start is a restart; an equal one, a clock set by a second, or an unknown one is none", () => {
    const day = 86_400_000;
    const [event, ...others] = lastEvents(
      { parts: apiServers({ a: AT - day, b: AT - day, c: AT - day }) },
      { parts: apiServers({ a: AT - 5_000, b: AT - day + 1_000, c: null }) },
    );
    expect(others).toEqual([]);
    expect(event).toMatchObject({ kind: "api-server-restarted", severity: "warning", subject: "api-0" });
    expect(event?.text).toBe("after a run of at most 24\u00a0h. Every informer connected to it lists again.");
  });
});

describe("nodes", () => {
  test.each([
    [100, 100, false],
    [100, 103, false],
    [100, 105, true],
    [5000, 5040, false],
    [5000, 5050, true],
    [3, 4, true],
    [0, 1, true],
    [40, 36, true],
    [60, 56, false],
  ])("%i → %i says something: %s", (before, after, isChange) => {
    expect(isNodeCountChange(before, after)).toBe(isChange);
  });

  test("changes below the threshold add up from what was last said", () => {
    expect(lastEvents({ parts: nodes(100) }, { parts: nodes(103) })).toEqual([]);
    expect(lastEvents({ parts: nodes(100) }, { parts: nodes(103) }, { parts: nodes(106) })).toEqual([
      expect.objectContaining({
        text: "were 100 (+6, +6 %).",
        before: "100",
        after: "106",
        severity: "info",
      }),
    ]);
  });

  test("the loss of a tenth is a warning; not read is no loss", () => {
    expect(lastEvents({ parts: nodes(100) }, { parts: nodes(80) })[0]).toMatchObject({
      severity: "warning",
      lead: "80 nodes",
      text: "were 100 (−20, −20 %).",
    });
    expect(lastEvents({ parts: nodes(100) }, { parts: inventory({}) })).toEqual([]);
  });
});

describe("agents", () => {
  const lists = (serviceAccount: string) => ({
    clusterWideLists: [{ serviceAccount, resources: ["pods"], through: ["r"] }],
  });

  test("added, removed and changed image, each by name with its figures", () => {
    const events = lastEvents(
      { parts: inventory({ workloads: [workload("stays"), workload("goes")] }) },
      {
        parts: inventory({
          workloads: [
            workload("stays", { images: [{ container: "agent", image: "agent:2" }] }),
            workload("comes"),
          ],
        }),
      },
    );
    expect(events.map(({ kind, subject, before, after }) => [kind, subject, before, after])).toEqual([
      ["agent-added", "observability/comes", null, "agent:1"],
      ["agent-removed", "observability/goes", "agent:1", null],
      ["agent-image-changed", "observability/stays", "agent:1", "agent:2"],
    ]);
    expect(events[2]?.text).toBe("agent: agent:1 → agent:2 (120 copies).");
  });

  test("a Deployment counts when its ServiceAccount may list in the whole cluster", () => {
    const plain = workload("web", { kind: "Deployment", serviceAccountName: "default" });
    const agent = workload("operator", { kind: "Deployment", serviceAccountName: "agent" });
    const before = inventory({ workloads: [workload("ds"), plain], ...lists("observability/agent") });
    const after = inventory({
      workloads: [workload("ds"), plain, workload("web-2", plain), agent],
      ...lists("observability/agent"),
    });
    expect(lastEvents({ parts: before }, { parts: after }).map((event) => event.subject)).toEqual([
      "observability/operator",
    ]);
  });

  test("a list that was refused is no removal, and is compared with before when it is read again", () => {
    const all = inventory({ workloads: [workload("a"), workload("b")] });
    const refused = { parts: inventory({ workloads: [] }), notRead: ["daemonsets"] };
    expect(lastEvents({ parts: all }, refused)).toEqual([]);
    expect(lastEvents({ parts: all }, refused, { parts: all })).toEqual([]);
    expect(
      lastEvents({ parts: all }, refused, { parts: inventory({ workloads: [workload("a")] }) }).map(
        ({ kind, subject }) => [kind, subject],
      ),
    ).toEqual([["agent-removed", "observability/b"]]);
  });

  test("a part that was not due says nothing", () => {
    expect(lastEvents({ parts: inventory({ workloads: [workload("a")] }) }, { parts: {} })).toEqual([]);
  });

  test("RBAC that was not read leaves Deployments as they were known", () => {
    const operator = workload("operator", { kind: "Deployment" });
    expect(
      lastEvents(
        { parts: inventory({ workloads: [operator], ...lists("observability/agent") }) },
        { parts: inventory({ workloads: [] }) },
      ),
    ).toEqual([]);
  });
});

describe("CRDs and APIServices", () => {
  test("500 CRDs at once are one event with the first names", () => {
    const many = Array.from({ length: 500 }, (_, i) => `c${String(i).padStart(3, "0")}.example.com`);
    expect(lastEvents({ parts: crds() }, { parts: crds(...many) })).toEqual([
      expect.objectContaining({
        kind: "crd-added",
        lead: "500 CustomResourceDefinitions added",
        text: "c000.example.com, c001.example.com, c002.example.com, c003.example.com, c004.example.com and 495 more.",
      }),
    ]);
  });

  test("a few are named one by one; a list not read is no removal", () => {
    expect(
      lastEvents({ parts: crds("a", "b") }, { parts: crds("b", "c") }).map(({ kind, subject }) => [
        kind,
        subject,
      ]),
    ).toEqual([
      ["crd-added", "c"],
      ["crd-removed", "a"],
    ]);
    expect(lastEvents({ parts: crds("a") }, { parts: inventory({}) })).toEqual([]);
  });

  test("an APIService says which Service stands behind it", () => {
    const service = (name: string) => ({
      name,
      service: "monitoring/adapter",
      isAvailable: true,
      unavailableReason: null,
    });
    const events = lastEvents(
      { parts: inventory({ apiServices: [service("v1.a")] }) },
      { parts: inventory({ apiServices: [service("v1.b")] }) },
    );
    expect(events.map(({ kind, after }) => [kind, after])).toEqual([
      ["api-service-added", "monitoring/adapter"],
      ["api-service-removed", null],
    ]);
  });
});

describe("FlowSchemas and priority levels", () => {
  const schema = (fields: Partial<FlowSchemaObject> = {}): FlowSchemaObject => ({
    name: "agents",
    matchingPrecedence: 5000,
    priorityLevelName: "workload-low",
    distinguisherMethod: "ByUser",
    rules: [{ subjects: [{ kind: "Group", name: "g" }] }],
    autoupdateSpec: null,
    isDangling: false,
    generation: 1,
    ...fields,
  });
  const priorityLevel = (nominalConcurrencyShares: number) => ({
    name: "workload-low",
    type: "Limited" as const,
    nominalConcurrencyShares,
    lendablePercent: 90,
    borrowingLimitPercent: null,
    limitResponse: "Queue" as const,
    queues: 128,
    handSize: 6,
    queueLengthLimit: 50,
    autoupdateSpec: null,
    generation: 1,
  });

  test("the changed fields, before and after; bookkeeping and key order are no change", () => {
    const reordered = schema({
      generation: 9,
      isDangling: true,
      rules: [{ subjects: [{ name: "g", kind: "Group" }] }],
    });
    expect(
      lastEvents(
        { parts: fairness({ flowSchemas: [schema()] }) },
        { parts: fairness({ flowSchemas: [reordered] }) },
      ),
    ).toEqual([]);
    expect(
      lastEvents(
        { parts: fairness({ flowSchemas: [schema()] }) },
        { parts: fairness({ flowSchemas: [schema({ matchingPrecedence: 800, rules: [{}, {}] })] }) },
      ),
    ).toEqual([
      expect.objectContaining({
        kind: "flow-schema-changed",
        text: "matchingPrecedence 5000 → 800, rules changed.",
        before: "matchingPrecedence: 5000, rules: 1 rules",
        after: "matchingPrecedence: 800, rules: 2 rules",
      }),
    ]);
  });

  test("a level's shares; added and removed objects; a configuration not read is none of it", () => {
    expect(
      lastEvents(
        { parts: fairness({ priorityLevels: [priorityLevel(100)], flowSchemas: [schema()] }) },
        {
          parts: fairness({ priorityLevels: [priorityLevel(40)], flowSchemas: [schema({ name: "other" })] }),
        },
      ).map(({ kind, after }) => [kind, after]),
    ).toEqual([
      ["flow-schema-added", "precedence 5000, priority level workload-low"],
      ["flow-schema-removed", null],
      ["priority-level-changed", "nominalConcurrencyShares: 40"],
    ]);
    expect(
      lastEvents({ parts: fairness({ priorityLevels: [priorityLevel(100)] }) }, { parts: fairness({}) }),
    ).toEqual([]);
  });
});

describe("rejections", () => {
  const minute = 60_000;
  const kinds = (...passes: readonly Pass[]) => lastEvents(...passes).map(({ kind }) => kind);

  test("a clear rate begins at once; a trickle only when it is seen twice", () => {
    expect(kinds(rejecting(12.4, AT))).toEqual(["rejections-started"]);
    expect(kinds(rejecting(0.03, AT))).toEqual([]);
    expect(kinds(rejecting(0.03, AT), rejecting(0.03, AT + 30_000))).toEqual(["rejections-started"]);
    expect(kinds(rejecting(0.03, AT), rejecting(0, AT + 30_000), rejecting(0.03, AT + minute))).toEqual([]);
  });

  test("it is said once, with the figures", () => {
    const [event] = lastEvents({ parts: apiServers({ a: 1 }) }, rejecting(12.4, AT));
    expect(event).toMatchObject({
      severity: "error",
      subject: "workload-low on api-0",
      text: "12 a second (queue-full); 240 of 240 seats in use.",
    });
    expect(kinds(rejecting(12.4, AT), rejecting(40, AT + 30_000))).toEqual([]);
  });

  test("a lull of less than five minutes ends nothing; after five minutes it has ended, with the peak", () => {
    expect(kinds(rejecting(12, AT), rejecting(0, AT + 4 * minute))).toEqual([]);
    expect(kinds(rejecting(12, AT), rejecting(0, AT + 4 * minute), rejecting(9, AT + 5 * minute))).toEqual(
      [],
    );
    expect(lastEvents(rejecting(12, AT), rejecting(40, AT + minute), rejecting(0, AT + 7 * minute))).toEqual([
      expect.objectContaining({
        kind: "rejections-ended",
        severity: "ok",
        text: "after 1 min, at most 40 a second.",
      }),
    ]);
  });

  test("a rate that is not known (restart, first scrape) ends nothing", () => {
    expect(kinds(rejecting(12, AT), rejecting(null, AT + 60 * minute))).toEqual([]);
  });
});

test("a collector that starts anew compares with what the store holds", () => {
  const baseline = seedBaseline(inventory({ workloads: [workload("a")], customResourceDefinitions: ["x"] }));
  const { events } = diffParts({
    baseline,
    parts: inventory({
      workloads: [workload("a"), workload("b"), workload("sts", { kind: "StatefulSet" })],
      customResourceDefinitions: ["x", "y"],
      clusterWideLists: [{ serviceAccount: "observability/agent", resources: ["*"], through: [] }],
    }),
    notReadLists: new Set(),
    at: AT,
  });
  // The StatefulSets may have been refused before: their first reading says nothing.
  expect(events.map(({ kind, subject }) => [kind, subject])).toEqual([
    ["agent-added", "observability/b"],
    ["crd-added", "y"],
  ]);
});
