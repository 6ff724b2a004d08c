import type { PartRecord, Store } from "../../db/store.ts";
import { addCluster, makeEvent, makeOutcome, makePass, NOON } from "../../db/testing/records.ts";
import type { NotRead, PartStatus, ReadFailure } from "../../domain/clusters/part.ts";
import { known } from "../../domain/clusters/reading.ts";
import type { SeriesSample } from "../../domain/clusters/series.ts";
import type { ApiServer } from "../../domain/clusters/servers-part.ts";
import type { FairnessPart, LevelSample } from "../../domain/fairness/fairness-part.ts";

/** One level of one server, in few words. */
export interface SeedLevel {
  readonly name: string;
  readonly seats: number;
  readonly limit: number | null;
  readonly waiting?: number;
  readonly rejectedPerSecond?: number;
}

export interface SeedCluster {
  readonly name: string;
  /** Levels by server name (`api-0`); `null`: that server was not read. */
  readonly servers?: Readonly<Record<string, readonly SeedLevel[] | null>>;
  readonly nodes?: number;
  readonly at?: number;
  readonly inventory?: { readonly status: PartStatus; readonly notRead: readonly NotRead[] };
  readonly samples?: readonly SeriesSample[];
}

export const forbidden = (path: string): ReadFailure => ({
  reason: "forbidden",
  verb: "GET",
  path,
  status: 403,
  message: `forbidden (HTTP 403, GET ${path} at 10.0.0.1:6443)`,
  retryAfterSeconds: null,
});

export const refusedConnection: ReadFailure = {
  reason: "unreachable",
  verb: "GET",
  path: "/version",
  status: null,
  message: "connection refused (GET /version at 10.0.0.1:6443)",
  retryAfterSeconds: null,
};

/** Stores one pass over a cluster of its own and returns its id. */
export async function seedCluster(store: Store, seed: SeedCluster): Promise<string> {
  const at = seed.at ?? NOON - 10_000;
  const clusterId = await addCluster(store, seed.name, at);
  await recordSeed(store, clusterId, seed, at);
  return clusterId;
}

/** Stores one more pass over a cluster. */
export async function recordSeed(
  store: Store,
  clusterId: string,
  seed: SeedCluster,
  at: number,
): Promise<void> {
  const servers = Object.entries(seed.servers ?? { "api-0": [] });
  const fairness = makeFairness(servers, at);
  const parts: PartRecord[] = [
    {
      part: "version",
      outcome: makeOutcome("version", { startedAt: at }),
      value: {
        gitVersion: "v1.34.2",
        major: 1,
        minor: 34,
        servers: servers.map(([name]) => ({
          serverId: `id-${name}`,
          gitVersion: "v1.34.2",
          platform: "linux/amd64",
          gates: [
            { name: "SizeBasedListCostEstimate", stage: "BETA", enabled: true },
            { name: "WatchList", stage: "BETA", enabled: name === "api-0" },
          ],
        })),
      },
    },
    {
      part: "servers",
      outcome: makeOutcome("servers", { startedAt: at }),
      value: {
        servers: servers.map(([name, levels]) => makeServer(name, levels === null, at)),
        expectedServers: servers.length,
        expectedFrom: "leases",
      },
    },
    {
      part: "sizes",
      outcome: makeOutcome("sizes", { startedAt: at }),
      value: {
        resources: servers.flatMap(([name]) => [
          makeSize("pods", "", `id-${name}`, 48_000, 481_000_000),
          makeSize("nodes", "", `id-${name}`, 2000, 24_000_000),
        ]),
        samples: [],
      },
    },
    { part: "fairness", outcome: makeOutcome("fairness", { startedAt: at }), value: fairness },
    {
      part: "inventory",
      outcome: makeOutcome("inventory", {
        startedAt: at,
        status: seed.inventory?.status ?? "ok",
        notRead: seed.inventory?.notRead ?? [],
        failure: seed.inventory?.notRead[0]?.failure ?? null,
      }),
      value: {
        workloads: [],
        nodes: { total: seed.nodes ?? 10, byLabel: {} },
        pods: 200,
        controlPlanePods: null,
        webhooks: null,
        apiServices: null,
        customResourceDefinitions: null,
        clusterWideLists: null,
      },
    },
  ];
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: at,
      requests: 12,
      wireBytes: 3_000_000,
      parts,
      periodSeconds: { version: 300, servers: 60, sizes: 3600, fairness: 30, inventory: 300 },
      events: [makeEvent({ at, subject: "nodes" })],
      samples: [...makeSamples(fairness), ...(seed.samples ?? [])],
    }),
  );
}

/** Stores a pass in which nothing answered, and marks the cluster unreachable since then. */
export async function seedOutage(store: Store, clusterId: string, at: number): Promise<void> {
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: at,
      requests: 1,
      wireBytes: 0,
      parts: (["version", "fairness"] as const).map((part) => ({
        part,
        outcome: makeOutcome(part, { startedAt: at, status: "failed", failure: refusedConnection }),
        value: null,
      })),
    }),
  );
  await store.clusters.setUnreachableSince(clusterId, at);
}

function makeServer(name: string, isNotRead: boolean, at: number): ApiServer {
  return {
    id: `id-${name}`,
    name,
    hostname: `${name}.example`,
    address: null,
    access: isNotRead ? "not-read" : "direct",
    processStartAt: at - 86_400_000,
    leaseRenewAt: at,
    lastReadAt: isNotRead ? null : at,
  };
}

function makeSize(resource: string, group: string, serverId: string, objects: number, bytes: number) {
  return {
    group,
    resource,
    serverId,
    objects: known(objects),
    storedBytes: known(bytes),
    objectsSource: "apiserver_resource_objects" as const,
  };
}

function makeFairness(
  servers: readonly (readonly [string, readonly SeedLevel[] | null])[],
  at: number,
): FairnessPart {
  const names = new Set(servers.flatMap(([, levels]) => (levels ?? []).map((each) => each.name)));
  return {
    servers: servers.flatMap(([name, levels]) =>
      levels === null
        ? []
        : [
            {
              serverId: `id-${name}`,
              observedAt: at,
              isEnabled: true,
              levels: levels.map(makeLevel),
              flows: null,
              flowsObservedAt: null,
            },
          ],
    ),
    priorityLevels: [...names].sort().map((name) => ({
      name,
      type: name === "exempt" ? "Exempt" : "Limited",
      nominalConcurrencyShares: 20,
      lendablePercent: 0,
      borrowingLimitPercent: null,
      limitResponse: name === "exempt" ? null : name === "catch-all" ? "Reject" : "Queue",
      queues: 64,
      handSize: 6,
      queueLengthLimit: 50,
      autoupdateSpec: null,
      generation: 1,
    })),
    flowSchemas: [],
    configurationReadAt: at,
    configurationApiVersion: "flowcontrol.apiserver.k8s.io/v1",
  };
}

function makeLevel({ name, seats, limit, waiting, rejectedPerSecond }: SeedLevel): LevelSample {
  return {
    priorityLevelName: name,
    nominalSeats: limit,
    minSeats: 1,
    maxSeats: 600,
    currentLimitSeats: limit,
    executingSeats: seats,
    executingRequests: seats,
    waitingRequests: waiting ?? 0,
    waitingSeats: waiting ?? 0,
    demandSeatsSmoothed: null,
    rejectedTotal: {},
    dispatchedTotal: 1,
    rejectedPerSecond: rejectedPerSecond ?? 0,
    dispatchedPerSecond: 1,
    waitP99: null,
  };
}

function makeSamples(fairness: FairnessPart): readonly SeriesSample[] {
  const key = { priorityLevelName: null, rejectReason: null };
  return fairness.servers.flatMap(({ serverId, levels }) => [
    { key: { ...key, metric: "up" as const, serverId }, value: 1 },
    { key: { ...key, metric: "resident-memory-bytes" as const, serverId }, value: 2_000_000_000 },
    ...levels.flatMap((level) => {
      const ofLevel = { ...key, serverId, priorityLevelName: level.priorityLevelName };
      return [
        { key: { ...ofLevel, metric: "executing-seats" as const }, value: level.executingSeats ?? 0 },
        ...(level.currentLimitSeats === null
          ? []
          : [
              { key: { ...ofLevel, metric: "current-limit-seats" as const }, value: level.currentLimitSeats },
            ]),
        ...((level.rejectedPerSecond ?? 0) > 0
          ? [
              {
                key: { ...ofLevel, metric: "rejected-per-second" as const, rejectReason: "queue-full" },
                value: level.rejectedPerSecond ?? 0,
              },
            ]
          : []),
      ];
    }),
  ]);
}
