import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { PartName, PartOutcome } from "../../domain/clusters/part.ts";
import type { SeriesKey, SeriesSample } from "../../domain/clusters/series.ts";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import type { NewTarget, PassRecord, RetentionSeconds, Store } from "../store.ts";

/** A round instant: the start of a day, an hour and a five-minute bucket. Milliseconds. */
export const NOON = Date.UTC(2026, 10, 30, 12);

export const RETENTION: RetentionSeconds = {
  fine: 7200,
  fiveMinutes: 14 * 86_400,
  hourly: 400 * 86_400,
  scrapes: 90 * 86_400,
};

export const makeTarget = (target: Partial<NewTarget> = {}): NewTarget => ({
  source: "configuration-file",
  kubeconfigPath: "/etc/headroom/kubeconfig",
  context: "prod-us-east",
  name: target.context ?? "prod-us-east",
  role: null,
  labels: {},
  isInsecure: false,
  isDemo: false,
  ...target,
});

/** Adds a cluster by a target of its own and returns its id. */
export async function addCluster(store: Store, name = "prod-us-east", at = NOON): Promise<string> {
  return (await store.clusters.addTarget(makeTarget({ context: name, name }), at)).clusterId;
}

export const makeOutcome = (part: PartName, outcome: Partial<PartOutcome> = {}): PartOutcome => ({
  part,
  status: "ok",
  startedAt: NOON,
  durationSeconds: 0.4,
  requests: 3,
  wireBytes: 48_000,
  answer: "3 of 3 servers",
  failure: null,
  notRead: [],
  ...outcome,
});

export const makeServers = (servers: Partial<ServersPart> = {}): ServersPart => ({
  servers: [],
  expectedServers: 3,
  expectedFrom: "leases",
  ...servers,
});

/** A pass that read the servers, unless told otherwise. */
export function makePass(clusterId: string, pass: Partial<PassRecord> = {}): PassRecord {
  const startedAt = pass.startedAt ?? NOON;
  return {
    clusterId,
    startedAt,
    durationSeconds: 1.2,
    requests: 3,
    wireBytes: 48_000,
    decodedBytes: 480_000,
    parts: [{ part: "servers", outcome: makeOutcome("servers", { startedAt }), value: makeServers() }],
    nextAttemptAt: {},
    periodSeconds: {},
    events: [],
    samplesAtSeconds: Math.floor(startedAt / 1000),
    samples: [],
    ...pass,
  };
}

export const makeEvent = (event: Partial<ClusterEvent> = {}): ClusterEvent => ({
  kind: "node-count-changed",
  severity: "info",
  at: NOON,
  subject: "nodes",
  lead: "12 nodes more",
  text: "4 800 before, 4 812 now.",
  before: "4800",
  after: "4812",
  ...event,
});

export const makeKey = (key: Partial<SeriesKey> = {}): SeriesKey => ({
  metric: "executing-seats",
  serverId: "api-0",
  priorityLevelName: "workload-low",
  rejectReason: null,
  ...key,
});

export const makeSample = (value: number, key: Partial<SeriesKey> = {}): SeriesSample => ({
  key: makeKey(key),
  value,
});
