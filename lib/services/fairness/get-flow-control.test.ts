import { expect, test } from "vitest";
import { FlowControlResponseSchema } from "../../contracts/flow-control.ts";
import type { PartRecord, Store } from "../../db/store.ts";
import { makeOutcome, makePass, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import type { Workload } from "../../domain/clusters/inventory-part.ts";
import { defaultFlowSchemas, defaultPriorityLevels } from "../../domain/fairness/index.ts";
import { forbidden, seedCluster } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getFlowControl } from "./get-flow-control.ts";

const stores = temporaryStores();
const AT = NOON - 5_000;

const ask = async (store: Store, clusterId: string) =>
  FlowControlResponseSchema.parse(await getFlowControl(makeTestContext(store), { clusterId }));

/** A cluster of two servers, one not read, with parts of its own on top. */
async function seed(store: Store, parts: readonly PartRecord[] = []): Promise<string> {
  const clusterId = await seedCluster(store, {
    name: "ml",
    servers: { "api-0": [{ name: "workload-low", seats: 3, limit: 245 }], "api-1": null },
  });
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: AT,
      requests: 1,
      wireBytes: 1,
      parts,
      periodSeconds: { inventory: 300, fairness: 30, sizes: 3600 },
    }),
  );
  return clusterId;
}

const workload = (kind: Workload["kind"], name: string, account: string, replicas: number): Workload => ({
  kind,
  namespace: "team",
  name,
  uid: name,
  generation: 1,
  desiredReplicas: replicas,
  readyReplicas: replicas,
  updatedReplicas: null,
  serviceAccountName: account,
  images: [],
  labels: {},
  maxUnavailable: null,
  maxSurge: null,
  updateStrategy: null,
  minReadySeconds: 0,
});

const inventory = (workloads: readonly Workload[]): PartRecord => ({
  part: "inventory",
  outcome: makeOutcome("inventory", {
    startedAt: AT,
    status: "partial",
    notRead: [
      { what: "statefulsets", serverId: null, failure: forbidden("/apis/apps/v1/statefulsets") },
      { what: "apiservices", serverId: null, failure: forbidden("/apis") },
    ],
    failure: forbidden("/apis/apps/v1/statefulsets"),
  }),
  value: {
    workloads,
    nodes: null,
    pods: 900,
    controlPlanePods: null,
    webhooks: null,
    apiServices: [
      { name: "v1.", service: null, isAvailable: true, unavailableReason: null },
      { name: "v1.apps", service: null, isAvailable: true, unavailableReason: null },
      {
        name: "v1beta1.metrics.k8s.io",
        service: "kube-system/metrics",
        isAvailable: true,
        unavailableReason: null,
      },
    ],
    customResourceDefinitions: null,
    clusterWideLists: null,
  },
});

test("FlowSchemas come with the rules that they were stored with, priority levels with their queues", async () => {
  const store = await stores.open();
  const flowSchemas = defaultFlowSchemas(34);
  const priorityLevels = defaultPriorityLevels(34);
  const clusterId = await seed(store, [
    {
      part: "fairness",
      outcome: makeOutcome("fairness", { startedAt: AT }),
      value: {
        servers: [],
        priorityLevels,
        flowSchemas,
        configurationReadAt: AT,
        configurationApiVersion: "flowcontrol.apiserver.k8s.io/v1",
      },
    },
  ]);
  const answer = await ask(store, clusterId);
  expect(answer.flowSchemas).toEqual(flowSchemas);
  expect(answer.priorityLevels).toEqual(priorityLevels);
  expect(answer).toMatchObject({ configurationReadAt: AT, gitVersion: "v1.34.2", clusterName: "ml" });
});

test("each server has its own version, gates, nominal limits and counts; those that were not read are absent", async () => {
  const store = await stores.open();
  const { servers, aggregated } = await ask(store, await seed(store));
  expect(aggregated).toBeNull();
  expect(servers.map(({ name }) => name)).toEqual(["api-0", "api-1"]);
  expect(servers[0]).toMatchObject({
    gitVersion: "v1.34.2",
    gates: { SizeBasedListCostEstimate: true, WatchList: true },
    nominalSeats: { "workload-low": 245 },
    countsFrom: "metrics",
    resources: [
      { resource: "pods", storedBytes: { state: "known", value: 481_000_000 } },
      { resource: "nodes", objects: { state: "known", value: 2000 } },
    ],
  });
  expect(servers[1]).toMatchObject({ nominalSeats: {}, gates: { WatchList: false } });
});

test("counts that come from LISTs do not stand for all that a server tracks", async () => {
  const store = await stores.open();
  const notRead = { state: "unknown", reason: "not-read", assumed: null, assumedBecause: null } as const;
  const clusterId = await seed(store, [
    {
      part: "sizes",
      outcome: makeOutcome("sizes", { startedAt: AT }),
      value: {
        resources: [
          {
            group: "",
            resource: "pods",
            serverId: "id-api-0",
            objects: { state: "known", value: 4 },
            storedBytes: notRead,
            objectsSource: "remainingItemCount",
          },
        ],
        samples: [
          {
            group: "",
            resource: "pods",
            sampledObjects: 4,
            jsonBytes: 8000,
            metadataBytes: null,
            protobufBytes: 2,
          },
          {
            group: "",
            resource: "nodes",
            sampledObjects: 4,
            jsonBytes: null,
            metadataBytes: 9,
            protobufBytes: 2,
          },
        ],
      },
    },
  ]);
  const { servers, samples } = await ask(store, clusterId);
  expect(servers.map(({ countsFrom }) => countsFrom)).toEqual(["lists", null]);
  expect(samples).toEqual([{ group: "", resource: "pods", jsonBytes: 8000 }]);
});

test("accounts sum the replicas of their workloads, most pods first; lists that failed are named", async () => {
  const store = await stores.open();
  const answer = await ask(
    store,
    await seed(store, [
      inventory([
        workload("Deployment", "web", "default", 3),
        workload("DaemonSet", "agent", "agent", 640),
        workload("Deployment", "api", "default", 5),
        workload("Deployment", "idle", "idle", 0),
      ]),
    ]),
  );
  expect(answer.accounts).toEqual([
    { namespace: "team", name: "agent", pods: 640, workloads: ["DaemonSet/agent"], workloadsTotal: 1 },
    {
      namespace: "team",
      name: "default",
      pods: 8,
      workloads: ["Deployment/api", "Deployment/web"],
      workloadsTotal: 2,
    },
    { namespace: "team", name: "idle", pods: 0, workloads: ["Deployment/idle"], workloadsTotal: 1 },
  ]);
  expect(answer.podsTotal).toBe(900);
  expect(answer.aggregated).toEqual([{ group: "metrics.k8s.io", service: "kube-system/metrics" }]);
  expect(answer.accountsNotRead.map(({ what }) => what)).toEqual(["statefulsets"]);
});

test.each([
  ["flowschemas alone", "flowschemas", defaultPriorityLevels(34), ["FlowSchemas"]],
  ["both in one", "prioritylevelconfigurations, flowschemas", null, ["FlowSchemas", "priority levels"]],
])("what was never read is named with what became of its latest try: %s", async (_, what, levels, names) => {
  const store = await stores.open();
  const failure = forbidden("/apis/flowcontrol.apiserver.k8s.io");
  const clusterId = await seed(store, [
    {
      part: "fairness",
      outcome: makeOutcome("fairness", {
        startedAt: AT,
        status: "partial",
        failure: forbidden("/metrics"),
        notRead: [
          { what: "/metrics of api-1", serverId: null, failure: forbidden("/metrics") },
          { what, serverId: null, failure },
        ],
      }),
      value: {
        servers: [],
        priorityLevels: levels,
        flowSchemas: null,
        configurationReadAt: null,
        configurationApiVersion: null,
      },
    },
  ]);
  expect((await ask(store, clusterId)).missing).toEqual(names.map((name) => ({ what: name, failure })));
});

test("a cluster that is not there is not found", async () => {
  const store = await stores.open();
  await expect(getFlowControl(makeTestContext(store), { clusterId: "gone" })).rejects.toMatchObject({
    code: "not-found",
  });
});
