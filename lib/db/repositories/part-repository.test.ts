import SqliteDatabase from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Workload } from "../../domain/clusters/inventory-part.ts";
import type { FairnessPart } from "../../domain/fairness/fairness-part.ts";
import {
  addCluster,
  makeEvent,
  makeOutcome,
  makePass,
  makeSample,
  makeServers,
  NOON,
} from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();
const SECOND = 1000;

/** Changes the file behind the store's back, as damage or another release would. */
function tamper(sql: string): void {
  const database = new SqliteDatabase(stores.path());
  database.exec(sql);
  database.close();
}

const failure = {
  reason: "timeout",
  verb: "GET",
  path: "/metrics",
  status: null,
  message: "No answer within 10 s.",
  retryAfterSeconds: null,
} as const;

const fairness: FairnessPart = {
  servers: [
    {
      serverId: "a",
      observedAt: NOON,
      isEnabled: true,
      levels: [
        {
          priorityLevelName: "workload-low",
          nominalSeats: 245,
          minSeats: 25,
          maxSeats: 600,
          currentLimitSeats: 368,
          executingSeats: 361,
          executingRequests: 40,
          waitingRequests: 182,
          waitingSeats: 400,
          demandSeatsSmoothed: 500.5,
          rejectedTotal: { "queue-full": 12 },
          dispatchedTotal: 99,
          rejectedPerSecond: 9.6,
          dispatchedPerSecond: 33,
          waitP99: { seconds: 15, isAtLeast: true, windowSeconds: 30 },
        },
      ],
      flows: null,
      flowsObservedAt: null,
    },
  ],
  priorityLevels: null,
  flowSchemas: [
    {
      name: "x",
      matchingPrecedence: 100,
      priorityLevelName: "workload-low",
      distinguisherMethod: "ByUser",
      rules: [{ subjects: [{ kind: "Group" }] }],
      autoupdateSpec: null,
      isDangling: false,
      generation: 2,
    },
  ],
  configurationReadAt: NOON,
  configurationApiVersion: "flowcontrol.apiserver.k8s.io/v1",
};

const workload = (index: number): Workload => ({
  kind: "DaemonSet",
  namespace: `namespace-${index % 40}`,
  name: `agent-${index}`,
  uid: `uid-${index}`,
  generation: 1,
  desiredReplicas: 5000,
  readyReplicas: 4998,
  updatedReplicas: 5000,
  serviceAccountName: `agent-${index}`,
  images: [{ container: "agent", image: `registry.example.com/agent-${index}:v1.2.3` }],
  labels: { "app.kubernetes.io/name": `agent-${index}` },
  maxUnavailable: "10%",
  maxSurge: null,
  updateStrategy: "RollingUpdate",
  minReadySeconds: 0,
});

const inventory = {
  workloads: Array.from({ length: 3000 }, (_, index) => workload(index)),
  nodes: { total: 5000, byLabel: { "topology.kubernetes.io/zone": { a: 2500, b: 2500 } } },
  pods: 150_000,
  controlPlanePods: null,
  webhooks: [],
  apiServices: null,
  customResourceDefinitions: ["widgets.example.com"],
  clusterWideLists: null,
};

describe("recording a pass", () => {
  test("each part comes back as it was read, a large one too", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const pass = makePass(clusterId, {
      parts: [
        { part: "fairness", outcome: makeOutcome("fairness"), value: fairness },
        {
          part: "inventory",
          outcome: makeOutcome("inventory", {
            status: "partial",
            notRead: [{ what: "apiservices", serverId: null, failure }],
          }),
          value: inventory,
        },
      ],
      nextAttemptAt: { fairness: NOON + 30 * SECOND },
      periodSeconds: { fairness: 5 },
    });
    await store.parts.recordPass(pass);
    expect(await store.parts.getAll(clusterId)).toEqual({
      fairness: {
        part: "fairness",
        latest: pass.parts[0]?.outcome,
        value: fairness,
        valueAt: NOON,
        nextAttemptAt: NOON + 30 * SECOND,
        periodSeconds: 5,
      },
      inventory: {
        part: "inventory",
        latest: pass.parts[1]?.outcome,
        value: inventory,
        valueAt: NOON,
        nextAttemptAt: null,
        periodSeconds: 300,
      },
    });
    expect((await store.parts.get(clusterId, "inventory"))?.value).toEqual(inventory);
    expect(await store.parts.get(clusterId, "sizes")).toBeNull();
    // 3,000 workloads are 1.2 MB of JSON.
    const { tables } = await store.maintenance.check();
    expect(tables.find(({ name }) => name === "part_values")?.sizeBytes).toBeLessThan(200_000);
  });

  test("the last good value stays under a failed attempt, with its age", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    const startedAt = NOON + 60 * SECOND;
    const outcome = makeOutcome("servers", { startedAt, status: "failed", answer: "", failure });
    await store.parts.recordPass(
      makePass(clusterId, { startedAt, parts: [{ part: "servers", outcome, value: null }] }),
    );
    expect(await store.parts.get(clusterId, "servers")).toMatchObject({
      latest: outcome,
      value: makeServers(),
      valueAt: NOON,
    });
    const [listed] = (await store.parts.listOutcomes()).get(clusterId) ?? [];
    expect(listed).toMatchObject({ latest: outcome, value: null, valueAt: NOON });
  });

  test("the same pass twice changes nothing, whatever the second says", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const pass = makePass(clusterId, { events: [makeEvent()], samples: [makeSample(5)] });
    await store.parts.recordPass(pass);
    await store.parts.recordPass({
      ...pass,
      requests: 99,
      samples: [makeSample(7)],
      events: [makeEvent({ subject: "other" })],
    });
    expect((await store.events.list({ limit: 10 })).events).toHaveLength(1);
    expect(await store.scrapes.list(clusterId, { limit: 10 })).toMatchObject([{ requests: 3 }]);
    const range = { fromSeconds: 0, toSeconds: NOON / 1000, maxPoints: 1e9 };
    expect(
      (await store.samples.query(clusterId, {}, range)).map(({ points }) => points.map(({ avg }) => avg)),
    ).toEqual([[5]]);
  });

  test("a pass that comes late does not replace a younger part", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const at = (startedAt: number, expectedServers: number) =>
      makePass(clusterId, {
        startedAt,
        parts: [
          {
            part: "servers",
            outcome: makeOutcome("servers", { startedAt }),
            value: makeServers({ expectedServers }),
          },
        ],
      });
    await store.parts.recordPass(at(NOON + SECOND, 5));
    await store.parts.recordPass(at(NOON, 3));
    expect(await store.parts.get(clusterId, "servers")).toMatchObject({
      valueAt: NOON + SECOND,
      value: { expectedServers: 5 },
    });
    expect((await store.parts.listSummaries()).get(clusterId)?.apiServers).toBe(5);
    expect(await store.scrapes.list(clusterId, { limit: 10 })).toHaveLength(2);
  });

  test("a value that comes after a younger failure is the last good one, and its age is listed", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const startedAt = NOON + 60 * SECOND;
    const outcome = makeOutcome("servers", { startedAt, status: "failed", answer: "", failure });
    await store.parts.recordPass(
      makePass(clusterId, { startedAt, parts: [{ part: "servers", outcome, value: null }] }),
    );
    await store.parts.recordPass(makePass(clusterId));
    expect(await store.parts.get(clusterId, "servers")).toMatchObject({ latest: outcome, valueAt: NOON });
    const [listed] = (await store.parts.listOutcomes()).get(clusterId) ?? [];
    expect(listed).toMatchObject({ latest: outcome, valueAt: NOON });
  });

  test("a pass may say when the parts that it left out come next", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    await store.parts.recordPass(
      makePass(clusterId, {
        startedAt: NOON + SECOND,
        parts: [],
        nextAttemptAt: { servers: NOON + 90 * SECOND },
      }),
    );
    expect((await store.parts.get(clusterId, "servers"))?.nextAttemptAt).toBe(NOON + 90 * SECOND);
  });

  test("the summary names servers as the latest servers part does, though the pass read only fairness", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const server = {
      id: "a",
      name: "api-1",
      hostname: null,
      address: null,
      access: "direct",
      processStartAt: null,
      leaseRenewAt: null,
      lastReadAt: null,
    } as const;
    await store.parts.recordPass(
      makePass(clusterId, {
        parts: [
          { part: "servers", outcome: makeOutcome("servers"), value: makeServers({ servers: [server] }) },
        ],
      }),
    );
    await store.parts.recordPass(
      makePass(clusterId, {
        startedAt: NOON + SECOND,
        parts: [{ part: "fairness", outcome: makeOutcome("fairness"), value: fairness }],
      }),
    );
    expect((await store.parts.listSummaries()).get(clusterId)).toMatchObject({
      apiServers: 3,
      apiServersRead: 1,
      busiest: { serverName: "api-1", executingSeats: 361 },
      fairnessFindings: [
        {
          severity: "error",
          text: "workload-low on api-1: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected",
        },
      ],
    });
  });

  test("an unknown cluster is refused, and nothing of the pass is kept", async () => {
    const store = await stores.open();
    await expect(store.parts.recordPass(makePass("no-such"))).rejects.toMatchObject({ code: "not-found" });
    expect(await store.scrapes.costSince(0)).toEqual(new Map());
  });
});

describe("a stored value that does not parse", () => {
  test("is named with part, cluster and time; the other parts are not affected", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const parts = [
      { part: "servers", outcome: makeOutcome("servers"), value: makeServers() },
      { part: "fairness", outcome: makeOutcome("fairness"), value: fairness },
    ] as const;
    await store.parts.recordPass(makePass(clusterId, { parts }));
    tamper(
      `UPDATE part_values SET content = CAST('{"servers": 3}' AS BLOB), encoding = 'json' WHERE part = 'fairness'`,
    );
    const message =
      "The stored value of part fairness of cluster prod-us-east, 2026-11-30 12:00:00 UTC, does not parse.";
    await expect(store.parts.get(clusterId, "fairness")).rejects.toMatchObject({
      code: "stored-value-unreadable",
      message,
    });
    const all = await store.parts.getAll(clusterId);
    expect(all.servers?.value).toEqual(makeServers());
    expect(all.fairness).toMatchObject({
      value: null,
      valueAt: null,
      unreadable: message,
      latest: { status: "ok" },
    });
  });

  test.each([
    [
      "truncated compression",
      "UPDATE part_values SET content = substr(content, 1, 100) WHERE part = 'inventory'",
    ],
    [
      "an encoding of another release",
      "UPDATE part_values SET encoding = 'json+br' WHERE part = 'inventory'",
    ],
    ["no JSON", "UPDATE part_values SET content = x'7b7b', encoding = 'json' WHERE part = 'inventory'"],
  ])("may be %s", async (_, sql) => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(
      makePass(clusterId, {
        parts: [{ part: "inventory", outcome: makeOutcome("inventory"), value: inventory }],
      }),
    );
    tamper(sql);
    await expect(store.parts.get(clusterId, "inventory")).rejects.toMatchObject({
      code: "stored-value-unreadable",
    });
    expect((await store.parts.getAll(clusterId)).inventory?.unreadable).toContain("part inventory");
  });

  test("may be an outcome, which then reads as a failed attempt that says so", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    tamper("UPDATE part_states SET outcome_json = '{}'");
    const message =
      "The stored outcome of part servers of cluster prod-us-east, 2026-11-30 12:00:00 UTC, does not parse.";
    expect((await store.parts.listOutcomes()).get(clusterId)?.[0]?.latest).toMatchObject({
      status: "failed",
      failure: { message },
    });
    expect((await store.parts.getAll(clusterId)).servers).toMatchObject({
      value: makeServers(),
      latest: { status: "failed" },
    });
    await expect(store.parts.get(clusterId, "servers")).rejects.toMatchObject({
      code: "stored-value-unreadable",
      message,
    });
  });

  test("may be a summary, which is left out until the next pass writes it anew", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    tamper("UPDATE cluster_summaries SET summary_json = '[]'");
    expect((await store.parts.listSummaries()).has(clusterId)).toBe(false);
    await store.parts.recordPass(makePass(clusterId, { startedAt: NOON + SECOND }));
    expect((await store.parts.listSummaries()).get(clusterId)?.apiServers).toBe(3);
  });

  test("may be labels, permissions or the parts of a scrape, which are empty then", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    tamper(
      "UPDATE clusters SET labels_json = '7', permissions_json = ''; UPDATE scrapes SET parts_json = '{'",
    );
    expect(await store.clusters.get(clusterId)).toMatchObject({ labels: {}, permissions: {} });
    expect(await store.scrapes.list(clusterId, { limit: 1 })).toMatchObject([{ status: "ok", parts: [] }]);
  });

  test("keys that a later release adds are left out", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.parts.recordPass(makePass(clusterId));
    tamper(
      `UPDATE part_values SET content = CAST(json_set(CAST(content AS TEXT), '$.colour', 'blue') AS BLOB)`,
    );
    expect((await store.parts.get(clusterId, "servers"))?.value).toEqual(makeServers());
  });
});
