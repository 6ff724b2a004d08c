import type { PassRecord } from "../../lib/db/store.ts";
import type { SeriesKey, SeriesSample } from "../../lib/domain/clusters/series.ts";
import type { LevelSample } from "../../lib/domain/fairness/fairness-part.ts";

/** Seconds between two passes: twice in five minutes, and as the collector does. */
export const PASSES = { sparseSeconds: 150, fineSeconds: 30 } as const;

const SERVERS = ["api-0", "api-1", "api-2"];

/** Usual seats in use and current limit. The last of a level's waiting and rejections is zero nearly always. */
const LEVELS: readonly {
  readonly name: string;
  readonly seats: number;
  readonly limit: number | null;
  readonly isBusy: boolean;
}[] = [
  { name: "catch-all", seats: 0.2, limit: 13, isBusy: false },
  { name: "exempt", seats: 2, limit: null, isBusy: false },
  { name: "global-default", seats: 2, limit: 49, isBusy: false },
  { name: "leader-election", seats: 2, limit: 25, isBusy: false },
  { name: "node-high", seats: 9, limit: 98, isBusy: false },
  { name: "system", seats: 4, limit: 74, isBusy: false },
  { name: "workload-high", seats: 30, limit: 98, isBusy: false },
  { name: "workload-low", seats: 180, limit: 245, isBusy: true },
];

/** Uniform in [0, 1), the same for the same numbers. */
function noise(...numbers: readonly number[]): number {
  let hash = 2166136261;
  for (const number of numbers) hash = Math.imul(hash ^ (number | 0), 16777619) ^ (hash >>> 13);
  return ((Math.imul(hash, 2654435761) >>> 0) % 100_000) / 100_000;
}

/** What a cluster of 1,000 nodes gives in one pass. Busy days and quiet nights, waiting 2 % and rejections 0.5 % of the time. */
export function makeStorePass(clusterId: string, atSeconds: number, index: number): PassRecord {
  const startedAt = atSeconds * 1000;
  const outcome = (part: "fairness" | "inventory") => ({
    part,
    startedAt,
    // The dumps are refused throughout, as they are to a reader with the minimal role.
    status: part === "fairness" ? ("partial" as const) : ("ok" as const),
    durationSeconds: 1.25,
    requests: 6,
    wireBytes: 310_000,
    answer: "3 of 3 servers",
    failure: null,
    notRead:
      part === "fairness"
        ? SERVERS.map((serverId) => ({ what: `dump_requests of ${serverId}`, serverId, failure: REFUSED }))
        : [],
  });
  const levels = SERVERS.map((serverId, server) => ({
    serverId,
    levels: LEVELS.map((_, level) => sampleLevel(server, level, atSeconds)),
  }));
  return {
    clusterId,
    startedAt,
    durationSeconds: 1.4,
    requests: 6,
    wireBytes: 310_000,
    decodedBytes: 4_100_000,
    parts: [
      {
        part: "fairness",
        outcome: outcome("fairness"),
        value: {
          servers: levels.map((server) => ({
            ...server,
            observedAt: startedAt,
            isEnabled: true,
            flows: null,
            flowsObservedAt: null,
          })),
          priorityLevels: null,
          flowSchemas: null,
          configurationReadAt: null,
          configurationApiVersion: null,
        },
      },
      ...(index % 10 === 0
        ? [{ part: "inventory" as const, outcome: outcome("inventory"), value: INVENTORY }]
        : []),
    ],
    nextAttemptAt: {},
    periodSeconds: {},
    // About twenty changes a day.
    events:
      noise(atSeconds, 7) < (20 * PASSES.sparseSeconds) / 86_400
        ? [
            {
              kind: "agent-image-changed",
              severity: "info",
              at: startedAt,
              subject: `observability/agent-${index % 97}`,
              lead: "observability/agent has a new image",
              text: "registry.example.com/agent:v1.2.3 before, registry.example.com/agent:v1.2.4 now.",
              before: "v1.2.3",
              after: "v1.2.4",
            },
          ]
        : [],
    samplesAtSeconds: atSeconds,
    samples: [
      ...levels.flatMap(({ serverId, levels: ofServer }) =>
        ofServer.flatMap((level) => samplesOfLevel(serverId, level)),
      ),
      ...SERVERS.flatMap((serverId, server) => samplesOfServer(serverId, server, atSeconds)),
      ...(["nodes", "pods", "own-requests-per-minute", "own-wire-bytes-per-minute"] as const).map(
        (metric, place) => ({
          key: { metric, serverId: null, priorityLevelName: null, rejectReason: null },
          value:
            [
              1000 + Math.floor(noise(Math.floor(atSeconds / 7200)) * 9),
              31_000 + Math.floor(noise(Math.floor(atSeconds / 600)) * 90),
              12,
              620_000 + noise(atSeconds) * 9000,
            ][place] ?? 0,
        }),
      ),
    ],
  };
}

const REFUSED = {
  reason: "forbidden",
  verb: "GET",
  path: "/debug/api_priority_and_fairness/dump_requests",
  status: 403,
  message: "User cannot get path.",
  retryAfterSeconds: null,
} as const;

const INVENTORY = {
  workloads: Array.from({ length: 400 }, (_, index) => ({
    kind: "Deployment" as const,
    namespace: `team-${index % 40}`,
    name: `service-${index}`,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    generation: 3,
    desiredReplicas: 3,
    readyReplicas: 3,
    updatedReplicas: 3,
    serviceAccountName: `service-${index}`,
    images: [{ container: "main", image: `registry.example.com/team/service-${index}:v1.${index % 20}.0` }],
    labels: { "app.kubernetes.io/name": `service-${index}` },
    maxUnavailable: "25%",
    maxSurge: "25%",
    updateStrategy: "RollingUpdate",
    minReadySeconds: 0,
  })),
  nodes: { total: 1000, byLabel: {} },
  pods: 31_000,
  controlPlanePods: null,
  webhooks: [],
  apiServices: [],
  customResourceDefinitions: [],
  clusterWideLists: null,
};

function sampleLevel(server: number, level: number, at: number): LevelSample {
  const { name, seats, limit, isBusy } = LEVELS[level] ?? { name: "", seats: 0, limit: null, isBusy: false };
  const day = 0.6 + 0.4 * Math.sin((at % 86_400) / 13_750);
  const executingSeats = Math.round(seats * day * (0.5 + noise(server, level, at)));
  const isWaiting = isBusy && noise(server, level, at, 1) < 0.02;
  const isRejecting = isBusy && noise(server, level, at, 2) < 0.005;
  // Borrowing moves the limit every ten seconds for levels that need it.
  const currentLimitSeats =
    limit === null ? null : isBusy ? Math.round(limit * (1 + 0.5 * noise(server, at, 3))) : limit;
  return {
    priorityLevelName: name,
    nominalSeats: limit,
    minSeats: limit,
    maxSeats: null,
    currentLimitSeats,
    executingSeats,
    executingRequests: executingSeats,
    waitingRequests: isWaiting ? Math.round(180 * noise(at, 4)) : 0,
    waitingSeats: 0,
    demandSeatsSmoothed: seats * day,
    rejectedTotal: isBusy ? { "queue-full": 12, "time-out": 3 } : {},
    dispatchedTotal: at,
    rejectedPerSecond: isRejecting ? 9.6 * noise(at, 5) : 0,
    dispatchedPerSecond: 12.25,
    waitP99: null,
  };
}

function samplesOfLevel(serverId: string, level: LevelSample): SeriesSample[] {
  const key = (metric: SeriesKey["metric"], rejectReason: string | null = null): SeriesKey => ({
    metric,
    serverId,
    priorityLevelName: level.priorityLevelName,
    rejectReason,
  });
  const samples: SeriesSample[] = [
    { key: key("executing-seats"), value: level.executingSeats ?? 0 },
    { key: key("waiting-requests"), value: level.waitingRequests ?? 0 },
    { key: key("rejected-per-second"), value: level.rejectedPerSecond ?? 0 },
  ];
  if (level.currentLimitSeats !== null)
    samples.push({ key: key("current-limit-seats"), value: level.currentLimitSeats });
  for (const reason of Object.keys(level.rejectedTotal)) {
    samples.push({ key: key("rejected-per-second", reason), value: (level.rejectedPerSecond ?? 0) / 2 });
  }
  return samples;
}

function samplesOfServer(serverId: string, server: number, at: number): SeriesSample[] {
  const values: readonly (readonly [SeriesKey["metric"], number])[] = [
    ["up", 1],
    ["requests-per-second", 410.5 + 160 * noise(server, at, 11)],
    ["rejected-per-second", 0],
    ["inflight-requests", Math.round(40 + 60 * noise(server, at, 12))],
    ["cpu-cores", 2.2 + noise(server, at, 13)],
    ["resident-memory-bytes", 9e9 + Math.round(4e8 * noise(server, at, 14))],
    ["storage-bytes", 1.9e9 + 4096 * Math.floor(at / 900)],
    ["long-running-requests", Math.round(9200 + 40 * noise(server, at, 15))],
    ["executing-seats", Math.round(220 + 90 * noise(server, at, 16))],
    ["current-limit-seats", 602],
    ["waiting-requests", 0],
  ];
  return values.map(([metric, value]) => ({
    key: { metric, serverId, priorityLevelName: null, rejectReason: null },
    value,
  }));
}
