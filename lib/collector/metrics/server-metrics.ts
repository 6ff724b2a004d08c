import type { FeatureGate } from "../../domain/clusters/version-part.ts";
import { BodyError } from "../../kube/index.ts";
import { shareGates } from "./share-gates.ts";

/** One sample as the scanner hands it over. */
export interface WantedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What one server's `/metrics` page comes to once reduced: a few kilobytes, however long the page was. */
export interface ServerMetrics {
  /** When the page had been read, milliseconds since the epoch, our clock. */
  readonly readAt: number;
  readonly processStartSeconds: number | null;
  readonly cpuSeconds: number | null;
  readonly residentMemoryBytes: number | null;
  /** Threads that may run its code at once: the cores that it may use. */
  readonly cores: number | null;
  readonly storageBytes: number | null;
  readonly gitVersion: string | null;
  readonly platform: string | null;
  /** Sorted by name; empty where the page holds none. */
  readonly gates: readonly FeatureGate[];
  /** Keyed by `group/resource` (`/pods`, `apps/deployments`). */
  readonly resources: ReadonlyMap<string, ResourceCounters>;
  /** Which of the three size metrics this page holds at all, whatever the resource. */
  readonly publishes: {
    readonly resourceObjects: boolean;
    readonly sizeEstimates: boolean;
    readonly storageObjects: boolean;
  };
  /** Sum of `apiserver_request_total` over all labels. */
  readonly requestsTotal: number | null;
  readonly inflightRequests: number | null;
  readonly longRunningRequests: number | null;
  /** Keyed by priority level name. Empty where APF is off. */
  readonly levels: ReadonlyMap<string, LevelCounters>;
}

/** As published, −1 included; `null` where the page has no such sample. */
export interface ResourceCounters {
  readonly resourceObjects: number | null;
  readonly sizeEstimateBytes: number | null;
  readonly storageObjects: number | null;
}

/** Sums over the FlowSchemas of one priority level. `null` where the page has no such sample. */
export interface LevelCounters {
  readonly nominalSeats: number | null;
  readonly minSeats: number | null;
  readonly maxSeats: number | null;
  readonly currentLimitSeats: number | null;
  readonly executingSeats: number | null;
  readonly executingRequests: number | null;
  readonly waitingRequests: number | null;
  readonly waitingSeats: number | null;
  readonly demandSeatsSmoothed: number | null;
  readonly rejectedTotal: ReadonlyMap<string, number>;
  readonly dispatchedTotal: number | null;
  /** Cumulative counts of the wait histogram by upper bound in seconds (`Infinity` for the last). */
  readonly waitBuckets: ReadonlyMap<number, number>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface LevelDraft extends Omit<Mutable<LevelCounters>, "rejectedTotal" | "waitBuckets"> {
  rejectedTotal: Map<string, number>;
  waitBuckets: Map<number, number>;
  limitBefore126: number | null;
  inUseBefore128: number | null;
}

const COUNTS: ReadonlySet<string> = new Set(["apiserver_resource_objects", "apiserver_storage_objects"]);
/** −1 here is the API server's own word for "not known". */
const MAY_BE_MINUS_ONE: ReadonlySet<string> = new Set([...COUNTS, "apiserver_resource_size_estimate_bytes"]);
/** Seconds of the last instant that a date can hold. */
const MAX_INSTANT_SECONDS = 8.64e12;

const FLOWCONTROL = "apiserver_flowcontrol_";

/**
 * How much one page may name. Everything named is kept, stored and shown, so that a page which invents names would take
 * the memory of the collector and the time of the pages from every other cluster. Each is several times what the
 * largest API servers come to.
 */
const MAX_NAMED = {
  "priority levels": 1_000,
  "reasons of rejection": 100,
  "buckets of a histogram": 100,
  "feature gates": 2_000,
  resources: 20_000,
} as const;
/** Names of Kubernetes objects and of API groups end at 253 characters. */
const MAX_NAME_CHARACTERS = 253;

/** Gauges and counters of a level that are summed over its FlowSchemas, by metric name without the prefix. */
const LEVEL_FIELDS: Readonly<Record<string, keyof LevelDraft>> = {
  nominal_limit_seats: "nominalSeats",
  request_concurrency_limit: "limitBefore126",
  lower_limit_seats: "minSeats",
  upper_limit_seats: "maxSeats",
  current_limit_seats: "currentLimitSeats",
  current_executing_seats: "executingSeats",
  request_concurrency_in_use: "inUseBefore128",
  current_executing_requests: "executingRequests",
  current_inqueue_requests: "waitingRequests",
  current_inqueue_seats: "waitingSeats",
  demand_seats_smoothed: "demandSeatsSmoothed",
  dispatched_requests_total: "dispatchedTotal",
};

/** Takes the wanted samples of one page, one at a time, and keeps sums only. */
export interface ServerMetricsReducer {
  /** @throws BodyError `too-large` where the page names more than any API server does */
  readonly take: (sample: WantedSample) => void;
  readonly finish: (readAt: number) => ServerMetrics;
}

export function createServerMetricsReducer(): ServerMetricsReducer {
  const single = new Map<string, number>();
  const gates = new Map<string, FeatureGate>();
  const resources = new Map<string, Mutable<ResourceCounters>>();
  const levels = new Map<string, LevelDraft>();
  const publishes = { resourceObjects: false, sizeEstimates: false, storageObjects: false };
  const families = new Set<keyof LevelDraft>();
  let build: { gitVersion: string | null; platform: string | null } = { gitVersion: null, platform: null };

  const add = (name: string, value: number) => single.set(name, (single.get(name) ?? 0) + value);
  const resourceOf = (group: string, resource: string) => {
    const key = `${group}/${resource}`;
    const known = resources.get(key);
    if (known !== undefined) return known;
    const created = { resourceObjects: null, sizeEstimateBytes: null, storageObjects: null };
    keep(resources, key, created, "resources");
    return created;
  };
  const takeLevel = (name: string, sample: WantedSample) => {
    const levelName = sample.labels.priority_level;
    if (levelName === undefined) return;
    const level = levels.get(levelName) ?? keep(levels, levelName, emptyLevel(), "priority levels");
    if (name === "rejected_requests_total") {
      const reason = sample.labels.reason ?? "unknown";
      const before = level.rejectedTotal.get(reason) ?? 0;
      keep(level.rejectedTotal, reason, before + sample.value, "reasons of rejection");
    } else if (name === "request_wait_duration_seconds_bucket") {
      const bound = parseBound(sample.labels.le);
      if (bound === null) return;
      const before = level.waitBuckets.get(bound) ?? 0;
      keep(level.waitBuckets, bound, before + sample.value, "buckets of a histogram");
    } else {
      const field = LEVEL_FIELDS[name];
      if (field !== undefined) families.add(field);
      addToField(level, field, sample.value);
    }
  };

  const take = (sample: WantedSample) => {
    const { name, labels, value } = sample;
    if (!isFigure(sample)) return;
    if (name.startsWith(FLOWCONTROL)) {
      takeLevel(name.slice(FLOWCONTROL.length), sample);
      return;
    }
    switch (name) {
      case "kubernetes_build_info":
        build = { gitVersion: nameOrNull(labels.git_version), platform: nameOrNull(labels.platform) };
        return;
      case "kubernetes_feature_enabled":
        if (labels.name !== undefined) {
          const stage = nameOrNull(labels.stage) ?? "";
          keep(gates, labels.name, { name: labels.name, stage, enabled: value === 1 }, "feature gates");
        }
        return;
      case "apiserver_resource_objects":
        publishes.resourceObjects = true;
        resourceOf(labels.group ?? "", labels.resource ?? "").resourceObjects = value;
        return;
      case "apiserver_resource_size_estimate_bytes":
        publishes.sizeEstimates = true;
        resourceOf(labels.group ?? "", labels.resource ?? "").sizeEstimateBytes = value;
        return;
      case "apiserver_storage_objects": {
        publishes.storageObjects = true;
        const [resource, group] = splitGroupResource(labels.resource ?? "");
        resourceOf(group, resource).storageObjects = value;
        return;
      }
      default:
        add(name, value);
    }
  };

  const finish = (readAt: number): ServerMetrics => ({
    readAt,
    processStartSeconds: instantOrNull(single.get("process_start_time_seconds")),
    cpuSeconds: single.get("process_cpu_seconds_total") ?? null,
    residentMemoryBytes: single.get("process_resident_memory_bytes") ?? null,
    cores: single.get("go_sched_gomaxprocs_threads") ?? null,
    storageBytes:
      single.get("apiserver_storage_size_bytes") ??
      single.get("apiserver_storage_db_total_size_in_bytes") ??
      single.get("etcd_db_total_size_in_bytes") ??
      null,
    ...build,
    gates: shareGates([...gates.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
    resources,
    publishes,
    requestsTotal: single.get("apiserver_request_total") ?? null,
    inflightRequests: single.get("apiserver_current_inflight_requests") ?? null,
    longRunningRequests: single.get("apiserver_longrunning_requests") ?? null,
    levels: new Map([...levels].map(([name, level]) => [name, finishLevel(level, families)])),
  });

  return { take, finish };
}

/**
 * A number that pages can show and the store can hold: 9 petabytes are more than any counter or gauge of an API server
 * comes to, and sums of a page of them stay finite. Objects come in whole numbers, and less than none of something there
 * cannot be.
 */
function isFigure({ name, value }: WantedSample): boolean {
  if (value < (MAY_BE_MINUS_ONE.has(name) ? -1 : 0)) return false;
  return COUNTS.has(name) ? Number.isSafeInteger(value) : value <= Number.MAX_SAFE_INTEGER;
}

/** Sets `key` unless it is one too many or no name, and gives the value back. @throws BodyError `too-large` */
function keep<K extends string | number, V>(
  map: Map<K, V>,
  key: K,
  value: V,
  what: keyof typeof MAX_NAMED,
): V {
  if (typeof key === "string" && key.length > 2 * MAX_NAME_CHARACTERS + 1) {
    throw new BodyError("too-large", `the metrics page has names of ${what} that are far too long`);
  }
  if (map.size >= MAX_NAMED[what] && !map.has(key)) {
    throw new BodyError("too-large", `the metrics page names more than ${MAX_NAMED[what]} ${what}`);
  }
  map.set(key, value);
  return value;
}

function nameOrNull(text: string | undefined): string | null {
  return text === undefined || text.length > MAX_NAME_CHARACTERS ? null : text;
}

function instantOrNull(seconds: number | undefined): number | null {
  return seconds !== undefined && seconds > 0 && seconds <= MAX_INSTANT_SECONDS ? seconds : null;
}

/** `deployments.apps` → `["deployments", "apps"]`; a core resource has the empty group. */
export function splitGroupResource(groupResource: string): [resource: string, group: string] {
  const dot = groupResource.indexOf(".");
  return dot < 0 ? [groupResource, ""] : [groupResource.slice(0, dot), groupResource.slice(dot + 1)];
}

function emptyLevel(): LevelDraft {
  return {
    nominalSeats: null,
    minSeats: null,
    maxSeats: null,
    currentLimitSeats: null,
    executingSeats: null,
    executingRequests: null,
    waitingRequests: null,
    waitingSeats: null,
    demandSeatsSmoothed: null,
    rejectedTotal: new Map(),
    dispatchedTotal: null,
    waitBuckets: new Map(),
    limitBefore126: null,
    inUseBefore128: null,
  };
}

function addToField(level: LevelDraft, field: keyof LevelDraft | undefined, value: number): void {
  if (field === undefined || field === "rejectedTotal" || field === "waitBuckets") return;
  level[field] = (level[field] ?? 0) + value;
}

/**
 * A gauge or counter of a level has no sample until its first request, so where the page publishes it for any level,
 * none for this one is 0. Those that every release since 1.26 has are 0 in any case.
 */
function finishLevel(level: LevelDraft, families: ReadonlySet<keyof LevelDraft>): LevelCounters {
  const { limitBefore126, inUseBefore128, ...rest } = level;
  const publishesSeats = families.has("executingSeats") || families.has("inUseBefore128");
  return {
    ...rest,
    nominalSeats: rest.nominalSeats ?? limitBefore126,
    executingSeats: rest.executingSeats ?? inUseBefore128 ?? (publishesSeats ? 0 : null),
    executingRequests: rest.executingRequests ?? 0,
    waitingRequests: rest.waitingRequests ?? 0,
    waitingSeats: rest.waitingSeats ?? (families.has("waitingSeats") ? 0 : null),
    dispatchedTotal: rest.dispatchedTotal ?? 0,
  };
}

function parseBound(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  const bound = Number(text);
  return Number.isNaN(bound) ? null : bound;
}
