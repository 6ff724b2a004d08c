import { describe, expect, test } from "vitest";
import type { FairnessPart, LevelSample, PriorityLevelObject } from "../fairness/fairness-part.ts";
import type { InventoryPart } from "./inventory-part.ts";
import type { ServersPart } from "./servers-part.ts";
import { summariseCluster } from "./summarise-cluster.ts";

const AT = 1_000_000_000_000;
const HOUR_MS = 3_600_000;

const level = (priorityLevelName: string, figures: Partial<LevelSample> = {}): LevelSample => ({
  priorityLevelName,
  nominalSeats: null,
  minSeats: null,
  maxSeats: null,
  currentLimitSeats: 100,
  executingSeats: 1,
  executingRequests: null,
  waitingRequests: 0,
  waitingSeats: null,
  demandSeatsSmoothed: null,
  rejectedTotal: {},
  dispatchedTotal: null,
  rejectedPerSecond: 0,
  dispatchedPerSecond: null,
  waitP99: null,
  ...figures,
});

const fairness = (
  levelsByServer: Readonly<Record<string, readonly LevelSample[]>>,
  priorityLevels: readonly PriorityLevelObject[] | null = null,
): FairnessPart => ({
  servers: Object.entries(levelsByServer).map(([serverId, levels]) => ({
    serverId,
    observedAt: AT,
    isEnabled: true,
    levels,
    flows: null,
    flowsObservedAt: null,
  })),
  priorityLevels,
  flowSchemas: null,
  configurationReadAt: null,
  configurationApiVersion: null,
});

const servers = (
  names: Readonly<Record<string, string>>,
  expectedServers: number | null = null,
): ServersPart => ({
  servers: Object.entries(names).map(([id, name]) => ({
    id,
    name,
    hostname: null,
    address: null,
    access: name === "api-9" ? "not-read" : "direct",
    processStartAt: null,
    leaseRenewAt: null,
    lastReadAt: null,
  })),
  expectedServers,
  expectedFrom: expectedServers === null ? null : "leases",
});

const inventory = (nodes: number | null, pods: number | null): InventoryPart => ({
  workloads: [],
  nodes: nodes === null ? null : { total: nodes, byLabel: {} },
  pods,
  controlPlanePods: null,
  webhooks: null,
  apiServices: null,
  customResourceDefinitions: null,
  clusterWideLists: null,
});

describe("summariseCluster", () => {
  test("a cluster of which nothing was read has no figures", () => {
    expect(summariseCluster({ previous: null, values: {}, servers: null, at: AT })).toEqual({
      gitVersion: null,
      nodes: null,
      pods: null,
      apiServers: null,
      apiServersRead: null,
      busiest: null,
      fairnessFindings: [],
      recentRejections: [],
    });
  });

  test("a part that this pass left out, or read without a count, keeps its figures", () => {
    const first = summariseCluster({
      previous: null,
      values: {
        version: { gitVersion: "v1.34.2", major: 1, minor: 34, servers: [] },
        servers: servers({ a: "api-0", b: "api-9" }, 3),
        inventory: inventory(4812, 148_000),
      },
      servers: null,
      at: AT,
    });
    const second = summariseCluster({
      previous: first,
      values: { inventory: inventory(4813, null) },
      servers: null,
      at: AT,
    });
    expect(second).toMatchObject({
      gitVersion: "v1.34.2",
      nodes: 4813,
      pods: 148_000,
      apiServers: 3,
      apiServersRead: 1,
    });
  });

  test("more servers may be seen than are expected while one is replaced", () => {
    const values = { servers: servers({ a: "api-0", b: "api-1", c: "api-2" }, 2) };
    expect(summariseCluster({ previous: null, values, servers: null, at: AT }).apiServers).toBe(3);
  });

  test("the busiest level is the highest ratio on any one server, never an exempt one and never a sum", () => {
    const values = {
      fairness: fairness({
        a: [
          level("exempt", { executingSeats: 900, currentLimitSeats: 1 }),
          level("workload-low", { executingSeats: 50 }),
        ],
        b: [
          level("workload-low", { executingSeats: 10 }),
          level("catch-all", { executingSeats: 9, currentLimitSeats: 13 }),
        ],
      }),
    };
    expect(
      summariseCluster({ previous: null, values, servers: servers({ a: "api-0", b: "api-1" }), at: AT })
        .busiest,
    ).toEqual({
      serverId: "b",
      serverName: "api-1",
      priorityLevelName: "catch-all",
      executingSeats: 9,
      currentLimitSeats: 13,
    });
  });

  test("a level without a known limit is not the busiest", () => {
    const values = {
      fairness: fairness({
        a: [level("x", { currentLimitSeats: null }), level("y", { currentLimitSeats: 0 })],
      }),
    };
    expect(summariseCluster({ previous: null, values, servers: null, at: AT }).busiest).toBeNull();
  });

  test("exempt levels are those that the configuration types so, whatever their name", () => {
    const configuration: PriorityLevelObject = {
      name: "break-glass",
      type: "Exempt",
      nominalConcurrencyShares: null,
      lendablePercent: null,
      borrowingLimitPercent: null,
      limitResponse: null,
      queues: null,
      handSize: null,
      queueLengthLimit: null,
      autoupdateSpec: null,
      generation: null,
    };
    const values = {
      fairness: fairness({ a: [level("break-glass", { rejectedPerSecond: 5 })] }, [configuration]),
    };
    const summary = summariseCluster({ previous: null, values, servers: null, at: AT });
    expect(summary.fairnessFindings).toEqual([]);
    expect(summary.recentRejections).toEqual([]);
  });

  test("findings are errors first, then by rate, then by how full the level is; at most eight", () => {
    const values = {
      fairness: fairness({
        a: [
          level("full", { executingSeats: 95, waitingRequests: 1 }),
          level("fuller", { executingSeats: 99, waitingRequests: 1 }),
          level("slow", { rejectedPerSecond: 1 }),
          level("fast", { rejectedPerSecond: 7 }),
          level("fine"),
        ],
        b: Array.from({ length: 7 }, (_, index) =>
          level(`also-${index}`, { executingSeats: 91, waitingRequests: 1 }),
        ),
      }),
    };
    const { fairnessFindings } = summariseCluster({
      previous: null,
      values,
      servers: servers({ a: "api-0" }),
      at: AT,
    });
    expect(fairnessFindings.map(({ priorityLevelName }) => priorityLevelName)).toEqual([
      "fast",
      "slow",
      "fuller",
      "full",
      "also-0",
      "also-1",
      "also-2",
      "also-3",
    ]);
    expect(fairnessFindings.map(({ severity }) => severity).slice(0, 3)).toEqual([
      "error",
      "error",
      "warning",
    ]);
    // A server whose name is not known yet goes by its id.
    expect(fairnessFindings.map(({ serverName }) => serverName).slice(3, 5)).toEqual(["api-0", "b"]);
  });

  test("a rejection keeps its level at a warning for an hour, through restarts of the counter", () => {
    const rejecting = { fairness: fairness({ a: [level("workload-low", { rejectedPerSecond: 2 })] }) };
    const restarted = { fairness: fairness({ a: [level("workload-low", { rejectedPerSecond: null })] }) };
    const during = summariseCluster({ previous: null, values: rejecting, servers: null, at: AT });
    const justWithin = summariseCluster({
      previous: during,
      values: restarted,
      servers: null,
      at: AT + HOUR_MS - 1,
    });
    const after = summariseCluster({
      previous: justWithin,
      values: restarted,
      servers: null,
      at: AT + HOUR_MS,
    });
    expect(during.fairnessFindings.map(({ severity }) => severity)).toEqual(["error"]);
    expect(justWithin.fairnessFindings.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(after.fairnessFindings).toEqual([]);
    expect(after.recentRejections).toEqual([]);
  });
});
