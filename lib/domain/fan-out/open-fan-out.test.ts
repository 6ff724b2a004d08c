import { describe, expect, test } from "vitest";
import { AGENT_CATALOGUE } from "../agents/catalogue/catalogue.ts";
import { SERVER_LABELS } from "../clusters/server-resources.ts";
import { capacityRows } from "./capacity-rows.ts";
import { listPriceRows } from "./list-price-rows.ts";
import { openFanOut } from "./open-fan-out.ts";
import { inventoryOf, NOW, partsOf, TELEMETRY, workloadOf } from "./testing/parts.ts";

const open = (parts = partsOf(), labels: Readonly<Record<string, string>> = {}) =>
  openFanOut({ clusterName: "prod-us-east", labels, parts, catalogue: AGENT_CATALOGUE, now: NOW });

describe("agents of a cluster", () => {
  test("2,000 copies that LIST 48,000 pods ask for 28,000 seats and 481 GB", () => {
    const fanOut = open();
    const cost = fanOut?.costs.get("daemonset/observability/node-telemetry");
    expect(cost?.perStart.seats.value).toBe(14);
    expect(cost?.perStart.receivedBytes.value).toBe(240_374_000);
    expect(cost?.total?.seats.value).toBe(28_000);
    expect(cost?.total?.receivedBytes.value).toBe(480_748_000_000);
    expect(cost?.grade).toBe("declared");
  });

  test("workloads that may list nothing are counted, not listed; kubelets are always there", () => {
    const app = workloadOf({ kind: "Deployment", name: "web", informersAnnotation: null });
    const fanOut = open(partsOf({ inventory: inventoryOf([TELEMETRY, app]) }));
    expect(fanOut?.agents.map(({ id }) => id)).toEqual([
      "client/kubelet",
      "daemonset/observability/node-telemetry",
    ]);
    expect(fanOut?.otherWorkloads).toBe(1);
  });

  test("what RBAC allows bounds an agent that nothing else is known of", () => {
    const injector = workloadOf({
      kind: "Deployment",
      namespace: "mesh",
      name: "injector",
      informersAnnotation: null,
    });
    const inventory = inventoryOf(
      [injector],
      [{ serviceAccount: "mesh/injector", resources: ["configmaps", "secrets"], through: ["injector"] }],
    );
    const agent = open(partsOf({ inventory }))?.agents.find(({ name }) => name === "injector");
    expect(agent?.informers.map(({ resource, evidence }) => [resource, evidence.grade])).toEqual([
      ["configmaps", "bounded"],
      ["secrets", "bounded"],
    ]);
  });

  test("without workloads nothing is known", () => {
    expect(open(partsOf({ inventory: null }))).toBeNull();
  });
});

describe("facts", () => {
  test("a resource that servers publish no count of is not installed: no objects, and named", () => {
    const reads = workloadOf({ name: "policy", informersAnnotation: "policies.example.io; pods" });
    const fanOut = open(partsOf({ inventory: inventoryOf([reads]) }));
    expect(fanOut?.absent).toContain("policies.example.io");
    expect(fanOut?.facts.collections.find(({ resource }) => resource === "policies")?.objects).toBe(0);
    const cost = fanOut?.costs.get("daemonset/observability/policy");
    expect(cost?.perStart.seats.isComplete).toBe(true);
  });

  test("cores, link and memory come from labels, else cores from what servers publish", () => {
    expect(open()?.facts.server).toEqual({ cores: 16, memoryBytes: null, linkBytesPerSecond: null });
    const labels = {
      [SERVER_LABELS.cores]: "8",
      [SERVER_LABELS.linkBytesPerSecond]: "1.15e9",
      [SERVER_LABELS.memoryBytes]: "much",
    };
    expect(open(partsOf(), labels)?.facts.server).toEqual({
      cores: 8,
      memoryBytes: null,
      linkBytesPerSecond: 1.15e9,
    });
  });

  test("etcd's version is that of its static pods", () => {
    expect(open()?.facts.etcdVersion).toBe("3.6.5");
  });

  test("old sizes, an old inventory and rejections now are doubts", () => {
    expect(open()?.doubts).toEqual([]);
    const old = partsOf({
      sizesAt: NOW - 3 * 3_600_000,
      inventoryAt: NOW - 3_600_000,
      rejectedPerSecond: 9.6,
    });
    expect(open(old)?.doubts).toEqual([
      "Counts and sizes are older than two of their periods.",
      "The list of workloads is older than two of its periods.",
      "The cluster rejects requests now: what is measured is no steady load.",
    ]);
  });

  test("the key moves with the image, not with a few pods", () => {
    const key = open()?.key;
    expect(open(partsOf({ pods: 48_300 }))?.key).toBe(key);
    expect(open(partsOf({ pods: 60_000 }))?.key).not.toBe(key);
    const newer = {
      ...TELEMETRY,
      images: [{ container: "node-telemetry", image: "r/node-telemetry:2.7.1" }],
    };
    expect(open(partsOf({ inventory: inventoryOf([newer]) }))?.key).not.toBe(key);
  });
});

describe("capacity", () => {
  test("seats asked stand against idle, nominal and ceiling of all servers", () => {
    const fanOut = open();
    const rows = fanOut === null ? [] : capacityRows([...fanOut.costs.values()], fanOut.projection);
    const low = rows.find(({ priorityLevelName }) => priorityLevelName === "workload-low");
    expect(low?.seatsAsked.value).toBe(28_000);
    expect(low?.apiServers).toBe(3);
    expect(low?.flows).toBe("one-per-agent");
    expect(low?.capacity?.ceilingSeats).toBeGreaterThan(low?.capacity?.nominalSeats ?? 0);
    expect(low?.ofCeilingRatio).toBeCloseTo(28_000 / (3 * (low?.capacity?.ceilingSeats ?? 1)), 10);
    expect(low?.linkSeconds).toBeNull();
    const system = rows.find(({ priorityLevelName }) => priorityLevelName === "system");
    expect(system?.flows).toBe("one-each");
  });

  test("the network alone takes bytes ÷ links", () => {
    const fanOut = open(partsOf(), { [SERVER_LABELS.linkBytesPerSecond]: "1000000000" });
    const rows = fanOut === null ? [] : capacityRows([...fanOut.costs.values()], fanOut.projection);
    const low = rows.find(({ priorityLevelName }) => priorityLevelName === "workload-low");
    expect(low?.linkSeconds).toBeCloseTo(480.748 / 3, 3);
  });
});

test("a LIST of pods costs 10 seats from cache; of few namespaces as many as their bytes", () => {
  const fanOut = open();
  const { rows, total } =
    fanOut === null ? { rows: [], total: 0 } : listPriceRows(fanOut.agents, fanOut.projection, 2);
  expect(
    rows.map(({ resource, objects, objectBytes, cacheSeats }) => [
      resource,
      objects,
      objectBytes,
      cacheSeats,
    ]),
  ).toEqual([
    ["pods", 48_000, 5000, 10],
    ["namespaces", 340, 1100, 4],
  ]);
  expect(total).toBeGreaterThan(2);
});
