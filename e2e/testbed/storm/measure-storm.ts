import { setTimeout as sleep } from "node:timers/promises";
import { findBinaries } from "../binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { type AgentRequest, type AgentsOutcome, runAgents, type StormResource } from "./run-agents.ts";
import { cpuSecondsOf, residentBytesOf } from "./server-cpu.ts";
import { STORM_FLEET, type StormCase } from "./storm-case.ts";

/** The API server has one core, everything else the others: its service time is then its own. */
const SERVER_CORES = "0";
const OTHER_CORES = "1";
const LEVEL = "workload-low";
const SAMPLE_MS = 500;
const LIMIT_SAMPLE_MS = 5000;
/** The deadline of a LIST on the server; what ends later than this with an error was cut by it. */
const DEADLINE_SECONDS = 59;

/** What a server holds of one resource, as it says itself. */
export interface MeasuredCollection {
  readonly resource: string;
  readonly objects: number;
  /** Stored; `null` before 1.34. */
  readonly storedBytes: number | null;
}

/** One resource in one form, asked for alone. */
export interface SingleRequests {
  readonly resource: string;
  readonly representation: StormResource["representation"];
  readonly watchList: boolean;
  readonly gzip: boolean;
  readonly requests: number;
  /** Per request, garbage collection included. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly responseBytes: number;
}

export interface MeasuredStorm {
  readonly outcome: AgentsOutcome;
  readonly requests: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly retriesSeen: number;
  readonly cutByDeadline: number;
  readonly seatsMax: number;
  readonly waitingMax: number;
  /** Limit of the level over time. */
  readonly limits: readonly { readonly atSeconds: number; readonly seats: number }[];
  readonly listSecondsP95: number;
  readonly retryAfterMax: number;
  readonly serverCpuSeconds: number;
  readonly residentBytesMax: number;
}

export interface StormMeasurement {
  readonly stormCase: StormCase;
  readonly version: string;
  readonly collections: readonly MeasuredCollection[];
  readonly single: readonly SingleRequests[];
  readonly storm: MeasuredStorm;
}

/** A control plane with the fleet of the storms, its one API server on a core of its own. */
export async function startStormBed(version: string, inflight: StormCase["inflight"]): Promise<ControlPlane> {
  return startControlPlane({
    version,
    seed: STORM_FLEET,
    apiServerCores: SERVER_CORES,
    apiServerFlags: [
      // Counts and sizes are known within seconds of a restart.
      "--etcd-count-metric-poll-period=4s",
      ...(inflight === null
        ? []
        : [
            `--max-requests-inflight=${inflight.requests}`,
            `--max-mutating-requests-inflight=${inflight.mutating}`,
          ]),
    ],
  });
}

/** Measures single requests, forgets all state of fairness, then runs the storm. */
export async function measureStorm(
  bed: ControlPlane,
  stormCase: StormCase,
  singles: (resource: StormResource) => Promise<SingleRequests>,
): Promise<StormMeasurement> {
  const single: SingleRequests[] = [];
  for (const resource of stormCase.resources) single.push(await singles(resource));
  await bed.apiServers[0]?.restart();
  await countsAreKnown(bed);
  const collections = await readCollections(bed);
  const { token } = await stormAccount(bed);
  return {
    stormCase,
    version: bed.version,
    collections,
    single,
    storm: await runStorm(bed, stormCase, token),
  };
}

export async function stormAccount(bed: ControlPlane): Promise<{ readonly token: string }> {
  return bed.serviceAccount({
    name: "agent",
    namespace: "storm",
    rules: [{ apiGroups: [""], resources: ["pods", "nodes", "configmaps"], verbs: ["list", "watch"] }],
  });
}

/** At least 20 requests and 10 s, the least from which service times are worth something on a shared machine. */
export async function measureSingles(
  bed: ControlPlane,
  resource: StormResource,
  { gzip, watchList, requests = 20 }: Pick<SingleRequests, "gzip" | "watchList"> & { requests?: number },
): Promise<SingleRequests> {
  const { token } = await stormAccount(bed);
  const pid = bed.apiServers[0]?.pid() ?? 0;
  const ask = (single: number) =>
    runAgents({
      binary: stormBinary(bed),
      cores: OTHER_CORES,
      plan: {
        server: bed.url,
        caFile: `${bed.directory}/ca.crt`,
        token,
        single,
        watchList,
        gzip,
        limitSeconds: 120,
        resources: [{ ...resource, resourceVersion: "0" }],
      },
    });
  await ask(2); // connections, caches of the encoder
  const before = cpuSecondsOf(pid);
  const run = await ask(requests);
  const cpuSeconds = (cpuSecondsOf(pid) - before) / requests;
  const worked = run.requests.filter(({ status, error }) => status === 200 && error === undefined);
  if (worked.length < requests) throw new Error(`${requests - worked.length} of ${requests} LISTs failed`);
  const mean = (of: (request: AgentRequest) => number) =>
    worked.reduce((sum, request) => sum + of(request), 0) / worked.length;
  return {
    resource: resource.resource,
    representation: resource.representation,
    watchList,
    gzip,
    requests,
    cpuSeconds,
    wallSeconds: mean(({ startedSeconds, endedSeconds }) => endedSeconds - startedSeconds),
    responseBytes: mean(({ bytes }) => bytes),
  };
}

async function runStorm(bed: ControlPlane, stormCase: StormCase, token: string): Promise<MeasuredStorm> {
  const pid = bed.apiServers[0]?.pid() ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const rejectedBefore = await readRejected(bed);
  const stop = new AbortController();
  const samples = { seatsMax: 0, waitingMax: 0, residentBytesMax: 0 };
  const limits: { atSeconds: number; seats: number }[] = [];
  const startedAt = performance.now();
  const watching = [
    repeat(SAMPLE_MS, stop.signal, async () => {
      samples.residentBytesMax = Math.max(samples.residentBytesMax, residentBytesOf(pid));
      const { seats, waiting } = await readQueues(bed);
      samples.seatsMax = Math.max(samples.seatsMax, seats);
      samples.waitingMax = Math.max(samples.waitingMax, waiting);
    }),
    repeat(LIMIT_SAMPLE_MS, stop.signal, async () => {
      const atSeconds = (performance.now() - startedAt) / 1000;
      limits.push({ atSeconds, seats: await readLimit(bed) });
    }),
  ];
  const run = await runAgents({
    binary: stormBinary(bed),
    cores: OTHER_CORES,
    watchList: stormCase.watchList,
    plan: {
      server: bed.url,
      caFile: `${bed.directory}/ca.crt`,
      token,
      copies: stormCase.copies,
      startWindowSeconds: stormCase.startWindowSeconds,
      limitSeconds: stormCase.limitSeconds,
      seed: stormCase.seed,
      gzip: stormCase.gzip,
      resources: stormCase.resources,
    },
  }).finally(() => stop.abort());
  await Promise.all(watching);
  const rejectedAfter = await readRejected(bed);
  const lists = run.requests.filter(({ verb }) => verb !== "watch");
  const served = lists.filter(({ status, error }) => status === 200 && error === undefined);
  return {
    outcome: run.outcome,
    requests: run.requests.length,
    rejected: Object.fromEntries(
      Object.entries(rejectedAfter)
        .map(([reason, count]) => [reason, count - (rejectedBefore[reason] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    ),
    retriesSeen: run.requests.filter(({ status }) => status === 429).length,
    cutByDeadline: lists.filter(
      ({ status, error, startedSeconds, endedSeconds }) =>
        endedSeconds - startedSeconds > DEADLINE_SECONDS && (error !== undefined || status === 504),
    ).length,
    ...samples,
    limits,
    listSecondsP95: quantile(
      served.map(({ startedSeconds, endedSeconds }) => endedSeconds - startedSeconds),
      0.95,
    ),
    retryAfterMax: Math.max(0, ...run.requests.map(({ retryAfter }) => Number(retryAfter ?? 0))),
    serverCpuSeconds: cpuSecondsOf(pid) - cpuBefore,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Until told to stop; a look that fails is one look less, for the server is busy. */
async function repeat(periodMs: number, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now();
    await look().catch(() => undefined);
    await sleep(Math.max(0, periodMs - (performance.now() - begun)), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

function stormBinary(bed: ControlPlane): string {
  const found = findBinaries(bed.version);
  if (!found.available || found.value.storm === null) throw new Error("the storm program is not built");
  return found.value.storm;
}

const get = async (bed: ControlPlane, path: string) => {
  const { status, text } = await bed.request({ path });
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  return text;
};

/** `name{labels} value` lines of one metric, its labels as they stand. */
function samplesOf(text: string, name: string): { readonly labels: string; readonly value: number }[] {
  const found: { labels: string; value: number }[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${name}{`)) continue;
    const end = line.lastIndexOf("}");
    found.push({ labels: line.slice(name.length + 1, end), value: Number(line.slice(end + 2)) });
  }
  return found;
}

async function readRejected(bed: ControlPlane): Promise<Readonly<Record<string, number>>> {
  const rejected: Record<string, number> = {};
  const text = await get(bed, "/metrics");
  for (const { labels, value } of samplesOf(text, "apiserver_flowcontrol_rejected_requests_total")) {
    if (!labels.includes(`priority_level="${LEVEL}"`)) continue;
    const reason = /reason="([^"]*)"/.exec(labels)?.[1] ?? "";
    rejected[reason] = (rejected[reason] ?? 0) + value;
  }
  return rejected;
}

async function readLimit(bed: ControlPlane): Promise<number> {
  const text = await get(bed, "/metrics");
  const limit = samplesOf(text, "apiserver_flowcontrol_current_limit_seats").find(({ labels }) =>
    labels.includes(`priority_level="${LEVEL}"`),
  );
  if (limit === undefined) throw new Error(`no limit of ${LEVEL}`);
  return limit.value;
}

/** Sums over the level's queues. Columns are found by their heads: versions differ. */
async function readQueues(bed: ControlPlane): Promise<{ readonly seats: number; readonly waiting: number }> {
  const text = await get(bed, "/debug/api_priority_and_fairness/dump_queues");
  const [head = "", ...rows] = text.split("\n");
  const columns = head.split(",").map((column) => column.trim());
  const waitingAt = columns.indexOf("PendingRequests");
  const seatsAt = columns.indexOf("SeatsInUse");
  let seats = 0;
  let waiting = 0;
  for (const row of rows) {
    const cells = row.split(",").map((cell) => cell.trim());
    if (cells[0] !== LEVEL) continue;
    seats += Number(cells[seatsAt]);
    waiting += Number(cells[waitingAt]);
  }
  if (!Number.isFinite(seats + waiting)) throw new Error(`dump_queues has other columns: ${head}`);
  return { seats, waiting };
}

async function readCollections(bed: ControlPlane): Promise<readonly MeasuredCollection[]> {
  const text = await get(bed, "/metrics");
  const bytes = samplesOf(text, "apiserver_resource_size_estimate_bytes");
  const objects = samplesOf(text, "apiserver_resource_objects");
  const known = objects.length > 0 ? objects : samplesOf(text, "apiserver_storage_objects");
  return ["pods", "nodes", "configmaps"].map((resource) => {
    const isIt = ({ labels }: { labels: string }) => labels.includes(`resource="${resource}"`);
    const size = bytes.find(isIt)?.value ?? null;
    return {
      resource,
      objects: known.find(isIt)?.value ?? -1,
      storedBytes: size !== null && size >= 0 ? size : null,
    };
  });
}

/** Minutes after a restart everything costs one seat, unless the counts are polled soon: until they are known. */
async function countsAreKnown(bed: ControlPlane): Promise<void> {
  const until = performance.now() + 120_000;
  for (;;) {
    const collections = await readCollections(bed);
    if (collections.every(({ objects }) => objects > 0)) return;
    if (performance.now() > until) throw new Error("the counts of the collections are still not known");
    await sleep(1000);
  }
}
