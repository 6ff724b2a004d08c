import type { LearnedAgents } from "../domain/agents/learn/learned-agents.ts";
import type { ClusterEvent } from "../domain/clusters/event.ts";
import type { PartName, PartOutcome, PartState } from "../domain/clusters/part.ts";
import type { PartValues } from "../domain/clusters/part-values.ts";
import type { SeriesKey, SeriesPoint, SeriesSample } from "../domain/clusters/series.ts";
import type { ClusterSummary } from "../domain/clusters/summarise-cluster.ts";
import type { AgentProjection } from "../domain/fan-out/agent-projection.ts";
import type { FanOutSummary } from "../domain/fan-out/fan-out-summary.ts";

export type { ClusterSummary };

/**
 * What the rest of Headroom knows of the database: these repositories and nothing else. Instants are milliseconds
 * since the epoch unless the name says seconds. Methods reject with `AppError` (`store-*`, `not-found`, `conflict`).
 */
export interface Store {
  readonly mode: "read-write" | "read-only";
  readonly origin: StoreOrigin;
  readonly clusters: ClusterRepository;
  readonly parts: PartRepository;
  readonly scrapes: ScrapeRepository;
  readonly samples: SampleRepository;
  readonly events: EventRepository;
  readonly fanOut: FanOutRepository;
  readonly reviews: ReviewRepository;
  readonly connectionTests: ConnectionTestRepository;
  readonly collector: CollectorRepository;
  readonly learnedAgents: LearnedAgentsRepository;
  readonly maintenance: MaintenanceRepository;
  close(): Promise<void>;
}

/** Where this store comes from. */
export interface StoreOrigin {
  /** When the file was made. */
  readonly createdAt: number;
  /** The damaged store that this one replaced, kept under this path; `null` as a rule. */
  readonly asidePath: string | null;
}

/** Where a connection was named. The order is the order of precedence when two name one cluster. */
export type TargetSource = "flag" | "environment" | "configuration-file" | "page" | "in-cluster" | "demo";

/** A connection somebody configured: how to reach a cluster, never a credential. */
export interface Target {
  readonly id: string;
  readonly clusterId: string;
  readonly source: TargetSource;
  /** Path on the server; `null` for in-cluster and demo. */
  readonly kubeconfigPath: string | null;
  readonly context: string | null;
  readonly addedAt: number;
  readonly removedAt: number | null;
  /** Another target that wins over this one for the same cluster; `null` when this one is in use. */
  readonly overriddenByTargetId: string | null;
  /** True where TLS verification is off for it. */
  readonly isInsecure: boolean;
}

export interface Cluster {
  /** Made from the first name (`prod-us-east`, `prod-us-east-2`), stable when the name changes; used in URLs. */
  readonly id: string;
  /** UID of its kube-system namespace; `null` until it was read once. */
  readonly uid: string | null;
  readonly name: string;
  readonly role: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly isDemo: boolean;
  readonly addedAt: number;
  readonly removedAt: number | null;
  /** First failed attempt of the present outage; `null` while it answers. */
  readonly unreachableSince: number | null;
  /** Permissions of the minimal ClusterRole as last met, by permission id. */
  readonly permissions: Readonly<Record<string, PermissionState>>;
}

export interface PermissionState {
  readonly state: "granted" | "refused";
  readonly at: number;
}

export interface NewTarget {
  readonly source: TargetSource;
  readonly kubeconfigPath: string | null;
  readonly context: string | null;
  readonly name: string;
  readonly role: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly isInsecure: boolean;
  readonly isDemo: boolean;
}

/** What learning a target's kube-system UID came to. */
export type IdentityOutcome =
  | { readonly kind: "unchanged" | "learnt"; readonly cluster: Cluster }
  /** The UID is known under another cluster row: the target now belongs to that one (the context was renamed). */
  | { readonly kind: "same-cluster"; readonly cluster: Cluster; readonly formerName: string }
  /** The target used to lead to another cluster: it now belongs to a row of its own. */
  | { readonly kind: "repointed"; readonly cluster: Cluster; readonly formerClusterId: string };

export interface ClusterRepository {
  /** Sorted by name. Removed ones are left out. */
  list(): Promise<readonly Cluster[]>;
  get(clusterId: string): Promise<Cluster | null>;
  listTargets(): Promise<readonly Target[]>;
  /**
   * Makes the targets of the given sources exactly these: new ones are added (each with a cluster row until its UID
   * is known), absent ones are marked removed, present ones keep their ids. Idempotent. Returns
   * them in the order in which they were given.
   */
  syncTargets(
    sources: readonly TargetSource[],
    targets: readonly NewTarget[],
    at: number,
  ): Promise<readonly Target[]>;
  addTarget(target: NewTarget, at: number): Promise<Target>;
  removeTarget(targetId: string, at: number): Promise<void>;
  /** Records the UID that a target's API server answered with. One transaction. */
  recordIdentity(targetId: string, uid: string, at: number): Promise<IdentityOutcome>;
  setUnreachableSince(clusterId: string, at: number | null): Promise<void>;
  mergePermissions(clusterId: string, permissions: Readonly<Record<string, PermissionState>>): Promise<void>;
}

/** One attempt at a part, ready to store. `value` is absent where nothing usable was read: the last good one stays. */
export type PartRecord = {
  [P in PartName]: { readonly part: P; readonly outcome: PartOutcome; readonly value: PartValues[P] | null };
}[PartName];

export interface PassRecord {
  readonly clusterId: string;
  readonly startedAt: number;
  readonly durationSeconds: number;
  readonly requests: number;
  readonly wireBytes: number;
  readonly decodedBytes: number;
  readonly parts: readonly PartRecord[];
  readonly nextAttemptAt: Readonly<Partial<Record<PartName, number>>>;
  readonly periodSeconds: Readonly<Partial<Record<PartName, number>>>;
  readonly events: readonly ClusterEvent[];
  /** Samples of this pass, all at `samplesAtSeconds`. */
  readonly samplesAtSeconds: number;
  readonly samples: readonly SeriesSample[];
}

export interface PartRepository {
  /** Stores a whole pass in one transaction; the same (cluster, startedAt) twice changes nothing. */
  recordPass(pass: PassRecord): Promise<void>;
  get<P extends PartName>(clusterId: string, part: P): Promise<PartState<PartValues[P]> | null>;
  /** All parts of a cluster; a part never attempted is absent. */
  getAll(clusterId: string): Promise<{ readonly [P in PartName]?: PartState<PartValues[P]> }>;
  /**
   * The latest outcomes and ages of every cluster without the values (which may be large), for the fleet page.
   * Keyed by cluster id.
   */
  listOutcomes(): Promise<ReadonlyMap<string, readonly PartState<null>[]>>;
  /** Small figures for the fleet table, kept beside the values at write time. Keyed by cluster id. */
  listSummaries(): Promise<ReadonlyMap<string, ClusterSummary>>;
}

export interface Scrape {
  readonly clusterId: string;
  readonly startedAt: number;
  readonly durationSeconds: number;
  readonly status: "ok" | "partial" | "failed";
  readonly requests: number;
  readonly wireBytes: number;
  readonly parts: readonly PartOutcome[];
}

export interface ScrapeRepository {
  /** Newest first. Kept: all for 2 h, then those that were not ok for `retention.scrapes`. */
  list(
    clusterId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly Scrape[]>;
  /** Requests and bytes of the last `seconds`, per cluster id: Headroom's own cost. */
  costSince(
    at: number,
  ): Promise<ReadonlyMap<string, { readonly requests: number; readonly wireBytes: number }>>;
}

export type Resolution = "fine" | "five-minutes" | "hourly";

export interface StoredSeries {
  readonly key: SeriesKey;
  readonly resolution: Resolution;
  readonly stepSeconds: number;
  /** Sorted by time. Missing data is a missing point. */
  readonly points: readonly SeriesPoint[];
  /** True where any point was generated (demo history), not measured. */
  readonly isGenerated: boolean;
}

export interface SampleRepository {
  /**
   * Appends samples outside a pass (demo history), one transaction. `resolution` other than fine writes that rolled-up
   * table and no coarser one: give each resolution what it should hold. Points replace those in the same bucket.
   */
  append(
    clusterId: string,
    resolution: Resolution,
    rows: readonly { readonly key: SeriesKey; readonly points: readonly SeriesPoint[] }[],
    options: { readonly isGenerated: boolean },
  ): Promise<void>;
  listKeys(clusterId: string): Promise<readonly SeriesKey[]>;
  /**
   * Points of the series that match every given member of `match`, in the finest resolution that covers the range and
   * yields at most `maxPoints` each (coarser ones are merged: min, avg, max); one more where the range ends on a bucket.
   */
  query(
    clusterId: string,
    match: Partial<SeriesKey>,
    range: { readonly fromSeconds: number; readonly toSeconds: number; readonly maxPoints: number },
  ): Promise<readonly StoredSeries[]>;
  /** The same for one series of many clusters at once (sparklines of the fleet page). Keyed by cluster id. */
  queryFleet(
    keys: ReadonlyMap<string, SeriesKey>,
    range: { readonly fromSeconds: number; readonly toSeconds: number; readonly maxPoints: number },
  ): Promise<ReadonlyMap<string, StoredSeries>>;
}

export interface StoredEvent extends ClusterEvent {
  readonly id: string;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly isGenerated: boolean;
}

export interface EventQuery {
  readonly clusterId?: string;
  readonly kinds?: readonly ClusterEvent["kind"][];
  readonly from?: number;
  readonly limit: number;
  /** Opaque cursor of the page before. */
  readonly cursor?: string;
}

export interface EventRepository {
  append(
    clusterId: string,
    events: readonly ClusterEvent[],
    options: { readonly isGenerated: boolean },
  ): Promise<void>;
  /** Newest first. */
  list(
    query: EventQuery,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly nextCursor: string | null }>;
}

/** What starting all copies of each agent at once would do to one cluster, as simulated. */
export interface StoredFanOut {
  /** When it was simulated. */
  readonly at: number;
  /** Of what it was made from. */
  readonly inputsHash: string;
  readonly model: string;
  /** Seeds wanted for each agent; one that takes long may have fewer. */
  readonly seedsWanted: number;
  /** CPU time of the simulations. */
  readonly durationSeconds: number;
  readonly projections: readonly AgentProjection[];
}

export interface FanOutRepository {
  /** Replaces what is stored of the cluster, and adds the events that it makes. One transaction. */
  record(
    clusterId: string,
    fanOut: StoredFanOut,
    summary: FanOutSummary,
    events: readonly ClusterEvent[],
  ): Promise<void>;
  /** `null`: never simulated, or what is stored does not parse (it is made anew in time). */
  get(clusterId: string): Promise<StoredFanOut | null>;
  /** Of every cluster, keyed by cluster id; what does not parse is absent. */
  listSummaries(): Promise<
    ReadonlyMap<string, { readonly summary: FanOutSummary; readonly inputsHash: string }>
  >;
}

export interface ReviewRepository {
  /** Events not acknowledged by this reviewer, sorted by day (newest first), then severity, then time; at most `limit`. */
  listUnacknowledged(
    reviewer: string,
    limit: number,
  ): Promise<{
    readonly events: readonly StoredEvent[];
    readonly total: number;
    readonly acknowledgedTotal: number;
  }>;
  /** When this reviewer last acknowledged something; `null` if never. */
  lastReviewAt(reviewer: string): Promise<number | null>;
  /** Returns the events that this acknowledged: not those that were before, nor any that do not exist. */
  acknowledge(reviewer: string, eventIds: readonly string[], at: number): Promise<readonly string[]>;
  /** Acknowledges everything up to and including `upTo`, so that an event that came meanwhile is kept. */
  acknowledgeAll(reviewer: string, upTo: number, at: number): Promise<readonly string[]>;
  /** Takes an acknowledgement back; nothing is deleted from the record. */
  undo(reviewer: string, eventIds: readonly string[], at: number): Promise<number>;
}

export type ConnectionTestState = "waiting" | "running" | "succeeded" | "failed" | "timed-out";

export interface ConnectionTest {
  readonly id: string;
  readonly kubeconfigPath: string;
  readonly context: string | null;
  readonly state: ConnectionTestState;
  readonly requestedAt: number;
  readonly answeredAt: number | null;
  readonly result: ConnectionTestResult | null;
}

export interface ConnectionTestResult {
  /** For people; `null` when it succeeded. */
  readonly error: string | null;
  readonly gitVersion: string | null;
  readonly clusterUid: string | null;
  /** The cluster already known under this UID. */
  readonly knownClusterId: string | null;
  /** Contexts that the file offers, sorted; empty where it could not be read. */
  readonly contexts: readonly string[];
  readonly permissions: Readonly<Record<string, PermissionState>>;
  readonly isInsecure: boolean;
}

export interface ConnectionTestRepository {
  request(kubeconfigPath: string, context: string | null, at: number): Promise<ConnectionTest>;
  get(id: string, now: number): Promise<ConnectionTest | null>;
  /** Takes one waiting test for this collector; `null` when there is none. Atomic. */
  claim(at: number): Promise<ConnectionTest | null>;
  answer(id: string, state: "succeeded" | "failed", result: ConnectionTestResult, at: number): Promise<void>;
}

export interface CollectorState {
  readonly pid: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly version: string;
  readonly stoppedAt: number | null;
  /** Crashes since the last start of the web side; the latest with its message for people. */
  readonly crashes: number;
  readonly lastCrashAt: number | null;
  readonly lastCrash: string | null;
}

export interface CollectorRepository {
  /**
   * Says that this collector runs, unless another one does: one that has not stopped, has written within
   * `silentSeconds`, and is no process known to be gone. Returns that one, or `null` where this one has the store now.
   */
  claim(
    pid: number,
    version: string,
    at: number,
    rules: { readonly silentSeconds: number; readonly isAlive: (pid: number) => boolean },
  ): Promise<CollectorState | null>;
  start(pid: number, version: string, at: number): Promise<void>;
  heartbeat(pid: number, at: number): Promise<void>;
  stop(pid: number, at: number): Promise<void>;
  recordCrash(message: string, at: number): Promise<void>;
  /** Called when the web side starts: crashes are counted from here on. */
  forgetCrashes(): Promise<void>;
  get(): Promise<CollectorState | null>;
  /** Clusters with an open incident page asked for a quicker pace until then. */
  requestIncidentPace(clusterId: string, until: number): Promise<void>;
  listIncidentPace(now: number): Promise<readonly string[]>;
}

/** Where audit events came from: the webhook that an API server posts to, or a file that somebody gave. */
export type LearnedSource = "webhook" | "file";

/** What was learned over one span of time. */
export interface StoredLearnedAgents {
  readonly source: LearnedSource;
  /** When learning began; the events' own times are those of `learned`. */
  readonly startedAt: number;
  /** When it was last stored: its age. */
  readonly storedAt: number;
  readonly learned: LearnedAgents;
}

export interface LearnedAgentsRepository {
  /** Stores what was learned since `startedAt`; again for the same span replaces it. The last three spans are kept. */
  record(
    clusterId: string,
    span: { readonly source: LearnedSource; readonly startedAt: number; readonly storedAt: number },
    learned: LearnedAgents,
  ): Promise<void>;
  /** Stored last first; empty where nothing was learned. */
  list(clusterId: string): Promise<readonly StoredLearnedAgents[]>;
}

export interface RetentionSeconds {
  readonly fine: number;
  readonly fiveMinutes: number;
  readonly hourly: number;
  readonly scrapes: number;
}

export interface MaintenanceRepository {
  /** Rolls up and deletes what is older than its retention. Short transactions; safe to stop at any moment. */
  prune(retention: RetentionSeconds, now: number): Promise<{ readonly deletedRows: number }>;
  /** Consistent copy while running. @throws AppError `conflict` where the destination exists. */
  backup(destinationPath: string): Promise<void>;
  /**
   * Integrity and size, for `headroom db check`. Reads every page: seconds for a large store, during which the process
   * does nothing else, so never for a page or a probe.
   */
  check(): Promise<StoreCheck>;
  /** Resolves where the store takes writes now, by one that changes nothing. @throws AppError that says why it does not. */
  probeWriting(): Promise<void>;
  /** Resolves where the store answers: for /readyz. @throws AppError. */
  ping(): Promise<void>;
}

export interface StoreCheck {
  readonly ok: boolean;
  /** What is damaged; empty when `ok`. */
  readonly messages: readonly string[];
  /** The file and its log. */
  readonly sizeBytes: number;
  /** Bytes by table with its indexes, largest first. */
  readonly tables: readonly { readonly name: string; readonly sizeBytes: number }[];
}
